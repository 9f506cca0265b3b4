#include "sms_router/esme/MultiSubmit.h"

#include <smpp/pdu/PduWriter.h>

#include "sms_router/routing/Router.h"

namespace router {

namespace {

constexpr std::uint8_t smeAddress = 1;
constexpr std::uint8_t distributionList = 2;
constexpr std::size_t mostUnsuccessful = 255;
constexpr std::size_t longestAddress = 20;

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

bool DestinationGroup::add(const Destination& destination) {
    static const AddressRewrite unchanged;
    const bool rewrites = route_ != nullptr && !destination.isList;
    const AddressRewrite& to = rewrites ? route_->rewriteDestination : unchanged;
    const std::optional<std::string> other = rewritten(destination.address, to);
    if (other && other->size() > longestAddress) return false;
    destinations_.push_back(destination);
    append(octets_, destination.isList ? distributionList : smeAddress);
    if (!destination.isList) {
        append(octets_, to.ton.value_or(destination.ton));
        append(octets_, to.npi.value_or(destination.npi));
    }
    appendText(octets_, other ? std::string_view(*other) : destination.address);
    return true;
}

std::optional<nio::Bytes> DestinationGroup::request(const smpp::Pdu& submitMulti,
                                                    const SharedSource& source) const {
    smpp::PduPatch patch(submitMulti);
    if (!setSource(patch, source)) return std::nullopt;
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
                         const std::vector<std::vector<Destination>>& parts) {
    Multi& multi = multis_[sequence];
    multi = {};
    multi.id = id;
    multi.missing = parts.size();
    for (const std::vector<Destination>& part : parts) {
        std::vector<OwnDestination>& own = multi.parts.emplace_back();
        for (const Destination& one : part) {
            own.push_back({one.ton, one.npi, std::string(one.address)});
        }
    }
}

void MultiSubmits::addRefused(Multi& multi, const OwnDestination& destination,
                              smpp::Status status) {
    if (multi.firstRefusal == smpp::Status::ok) multi.firstRefusal = status;
    if (multi.unsuccessful >= mostUnsuccessful) return;
    ++multi.unsuccessful;
    append(multi.unsuccess, destination.ton);
    append(multi.unsuccess, destination.npi);
    appendText(multi.unsuccess, destination.address);
    const auto code = static_cast<std::uint32_t>(status);
    for (int shift = 24; shift >= 0; shift -= 8) {
        append(multi.unsuccess, static_cast<std::uint8_t>(code >> shift));
    }
}

void MultiSubmits::addUnsuccess(std::uint32_t sequence, const Destination& destination,
                                smpp::Status status) {
    addRefused(multis_[sequence],
               {destination.ton, destination.npi, std::string(destination.address)}, status);
}

void MultiSubmits::addAnswer(Multi& multi, std::uint32_t part, nio::ByteView response) {
    const smpp::Scanned scanned = smpp::scan(response);
    if (!scanned.pdu || scanned.pdu->status() != smpp::Status::ok) {
        for (const OwnDestination& each : multi.parts[part - 1]) {
            addRefused(multi, each, scanned.header.status);
        }
        return;
    }
    multi.anyAccepted = true;
    const std::size_t count = scanned.pdu->number(smpp::Field::unsuccessCount);
    if (multi.unsuccessful + count > mostUnsuccessful) return;
    const nio::ByteView some = scanned.pdu->octets(smpp::Field::unsuccess);
    multi.unsuccess.insert(multi.unsuccess.end(), some.begin(), some.end());
    multi.unsuccessful += count;
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
    addAnswer(found->second, part, response);
    if (--found->second.missing > 0) return std::nullopt;
    nio::Bytes whole = wholeAnswer(found->second, sequence);
    multis_.erase(found);
    return whole;
}

}  // namespace router
