#include "sms_router/ingress/MultiSubmit.h"

#include <algorithm>

#include <smpp/pdu/PduWriter.h>

#include "sms_router/routing/Router.h"

namespace router {

namespace {

constexpr std::uint8_t smeAddress = 1;
constexpr std::uint8_t distributionList = 2;
constexpr std::size_t mostUnsuccessful = 255;
constexpr std::size_t longestAddress = 20;
constexpr std::size_t statusOctets = 4;

void append(nio::Bytes& bytes, std::uint8_t number) {
    bytes.push_back(static_cast<nio::Byte>(number));
}

void appendText(nio::Bytes& bytes, std::string_view text) {
    const nio::ByteView octets = nio::asBytes(text);
    bytes.insert(bytes.end(), octets.begin(), octets.end());
    append(bytes, 0);
}

std::string_view takeText(nio::ByteView& octets) {
    const std::string_view all = nio::asText(octets);
    const std::string_view text = all.substr(0, all.find('\0'));
    octets = octets.subspan(std::min(octets.size(), text.size() + 1));
    return text;
}

std::uint8_t takeNumber(nio::ByteView& octets) {
    if (octets.empty()) return 0;
    const auto number = static_cast<std::uint8_t>(octets[0]);
    octets = octets.subspan(1);
    return number;
}

nio::Bytes octetsOf(std::uint8_t ton, std::uint8_t npi, std::string_view address) {
    nio::Bytes octets;
    append(octets, ton);
    append(octets, npi);
    appendText(octets, address);
    return octets;
}

nio::Bytes octetsOf(const Destination& destination) {
    return octetsOf(destination.ton, destination.npi, destination.address);
}

// ton, npi and address, and what is left behind them.
nio::ByteView takeAddress(nio::ByteView& octets) {
    const nio::ByteView all = octets;
    (void)takeNumber(octets);
    (void)takeNumber(octets);
    (void)takeText(octets);
    return all.first(all.size() - octets.size());
}

void append(nio::Bytes& bytes, nio::ByteView octets) {
    bytes.insert(bytes.end(), octets.begin(), octets.end());
}

}  // namespace

std::vector<Destination> destinationsOf(const smpp::Pdu& submitMulti) {
    std::vector<Destination> all;
    nio::ByteView octets = submitMulti.octets(smpp::Field::destinations);
    while (!octets.empty()) {
        Destination one;
        one.isList = takeNumber(octets) == distributionList;
        if (!one.isList) {
            one.ton = takeNumber(octets);
            one.npi = takeNumber(octets);
        }
        one.address = takeText(octets);
        all.push_back(one);
    }
    return all;
}

bool clearReceiptMark(const smpp::Pdu& request, smpp::PduPatch& patch) {
    constexpr std::size_t headBytes = 4;
    for (const smpp::Tlv& tlv : request.tlvs()) {
        if (tlv.tag != smpp::Tag::receiptedMessageId) continue;
        const auto value = static_cast<std::size_t>(tlv.value.data() - request.bytes().data());
        const bool isTaken = patch.octets(value - headBytes, headBytes + tlv.value.size(), {});
        if (!isTaken) return false;
    }
    const std::uint8_t esmClass = request.number(smpp::Field::esmClass);
    if ((esmClass & receiptBits) == 0) return true;
    return patch.number(smpp::Field::esmClass, static_cast<std::uint8_t>(esmClass & ~receiptBits));
}

std::string namesOf(const std::vector<Destination>& destinations) {
    std::string names;
    for (const Destination& each : destinations) {
        if (!names.empty()) names += ',';
        names += each.address;
    }
    return names;
}

std::string namesOf(const std::vector<DealtDestination>& destinations) {
    std::vector<Destination> own;
    for (const DealtDestination& each : destinations) own.push_back(each.own);
    return namesOf(own);
}

bool DestinationGroup::add(const Destination& destination) {
    static const AddressRewrite unchanged;
    const bool rewrites = route_ != nullptr && !destination.isList;
    const AddressRewrite& to = rewrites ? route_->rewriteDestination : unchanged;
    const std::optional<std::string> other = rewritten(destination.address, to);
    if (other && other->size() > longestAddress) return false;
    const std::string_view address = other ? std::string_view(*other) : destination.address;
    append(octets_, destination.isList ? distributionList : smeAddress);
    if (destination.isList) {
        appendText(octets_, address);
        destinations_.push_back({destination});
        return true;
    }
    nio::Bytes sent =
        octetsOf(to.ton.value_or(destination.ton), to.npi.value_or(destination.npi), address);
    append(octets_, nio::ByteView(sent));
    rewritten_ = rewritten_ || sent != octetsOf(destination);
    destinations_.push_back({destination, std::move(sent)});
    return true;
}

std::optional<nio::Bytes> DestinationGroup::request(const smpp::Pdu& submitMulti,
                                                    const SharedSource& source) const {
    smpp::PduPatch patch(submitMulti);
    if (!setSource(patch, source) || !clearReceiptMark(submitMulti, patch)) return std::nullopt;
    const std::size_t offset = submitMulti.offsetOf(smpp::Field::destinations);
    const std::size_t size = submitMulti.sizeOf(smpp::Field::destinations);
    const nio::Byte count{static_cast<std::uint8_t>(destinations_.size())};
    // Both fields are there: the PDU was scanned.
    (void)patch.octets(submitMulti.offsetOf(smpp::Field::destinationCount), 1, {&count, 1});
    (void)patch.octets(offset, size, octets_);
    return patch.bytes();
}

// --- answers --------------------------------------------------------------------------------

void MultiSubmits::begin(std::uint32_t sequence, MessageId id,
                         const std::vector<std::vector<DealtDestination>>& parts) {
    Multi& multi = multis_[sequence];
    multi = {};
    multi.id = id;
    multi.missing = parts.size();
    for (const std::vector<DealtDestination>& part : parts) {
        Part& named = multi.parts.emplace_back();
        for (const DealtDestination& one : part) named.push_back({octetsOf(one.own), one.sent});
    }
}

void MultiSubmits::addRefused(Multi& multi, nio::ByteView destination, smpp::Status status) {
    if (multi.firstRefusal == smpp::Status::ok) multi.firstRefusal = status;
    if (multi.unsuccessful >= mostUnsuccessful) return;
    ++multi.unsuccessful;
    append(multi.unsuccess, destination);
    const auto code = static_cast<std::uint32_t>(status);
    for (int shift = 24; shift >= 0; shift -= 8) {
        append(multi.unsuccess, static_cast<std::uint8_t>(code >> shift));
    }
}

void MultiSubmits::addUnsuccess(std::uint32_t sequence, const Destination& destination,
                                smpp::Status status) {
    addRefused(multis_[sequence], octetsOf(destination), status);
}

void MultiSubmits::addAnswer(Multi& multi, std::uint32_t part, nio::ByteView response) {
    const smpp::Scanned scanned = smpp::scan(response, smpp::Reading::tolerant);
    if (!scanned.pdu || scanned.pdu->status() != smpp::Status::ok) {
        for (const Named& each : multi.parts[part - 1]) {
            addRefused(multi, each.own, scanned.header.status);
        }
        return;
    }
    multi.anyAccepted = true;
    const std::size_t count = scanned.pdu->number(smpp::Field::unsuccessCount);
    if (multi.unsuccessful + count > mostUnsuccessful) return;
    const nio::ByteView some = scanned.pdu->octets(smpp::Field::unsuccess);
    append(multi.unsuccess, asNamed(multi.parts[part - 1], some));
    multi.unsuccessful += count;
}

nio::Bytes MultiSubmits::asNamed(const Part& part, nio::ByteView unsuccess) {
    nio::Bytes named;
    while (!unsuccess.empty()) {
        const nio::ByteView address = takeAddress(unsuccess);
        const auto isIt = [&](const Named& one) {
            return std::equal(one.sent.begin(), one.sent.end(), address.begin(), address.end());
        };
        const auto found = std::find_if(part.begin(), part.end(), isIt);
        append(named, found == part.end() ? address : nio::ByteView(found->own));
        const nio::ByteView status = unsuccess.first(std::min(statusOctets, unsuccess.size()));
        append(named, status);
        unsuccess = unsuccess.subspan(status.size());
    }
    return named;
}

nio::Bytes MultiSubmits::asNamedIn(const Part& part, nio::ByteView response) {
    const smpp::Scanned scanned = smpp::scan(response, smpp::Reading::tolerant);
    const bool names = scanned.pdu && scanned.pdu->has(smpp::Field::unsuccess);
    if (!names) return nio::copyOf(response);
    smpp::PduPatch patch(*scanned.pdu);
    const nio::Bytes named = asNamed(part, scanned.pdu->octets(smpp::Field::unsuccess));
    (void)patch.octets(scanned.pdu->offsetOf(smpp::Field::unsuccess),
                       scanned.pdu->sizeOf(smpp::Field::unsuccess), named);
    return patch.bytes();
}

nio::Bytes MultiSubmits::wholeAnswer(const Multi& multi, std::uint32_t sequence) {
    const smpp::Command request = smpp::Command::submitMulti;
    if (!multi.anyAccepted) return smpp::answer(request, multi.firstRefusal, sequence);
    return smpp::PduWriter(smpp::responseTo(request), smpp::Status::ok, sequence)
        .text(textOf(multi.id).view())
        .number(static_cast<std::uint8_t>(multi.unsuccessful))
        .octets(multi.unsuccess)
        .finish();
}

std::optional<nio::Bytes> MultiSubmits::partAnswered(std::uint32_t sequence, std::uint32_t part,
                                                     nio::ByteView response) {
    const auto found = multis_.find(sequence);
    if (found == multis_.end() || part == 0 || part > found->second.parts.size()) {
        return std::nullopt;
    }
    if (found->second.id == 0) {
        nio::Bytes only = asNamedIn(found->second.parts.front(), response);
        multis_.erase(found);
        return only;
    }
    addAnswer(found->second, part, response);
    if (--found->second.missing > 0) return std::nullopt;
    nio::Bytes whole = wholeAnswer(found->second, sequence);
    multis_.erase(found);
    return whole;
}

}  // namespace router
