#include <algorithm>
#include <cstring>

#include <smpp/pdu/BodyScan.h>
#include <smpp/pdu/Pdu.h>
#include <smpp/pdu/Tag.h>

namespace smpp {

namespace {

constexpr nio::Byte smeAddress{1};
constexpr nio::Byte distributionList{2};
constexpr std::size_t tonAndNpi = 2;
constexpr std::size_t errorStatusSize = 4;

// Each step begins at an octet and gives the one behind what it read; null: `problem` says why not.
// The place goes from step to step as a value, which keeps it in a register.
struct Steps {
    using At = const nio::Byte*;

    const nio::Byte* end;
    std::size_t longestText;
    bool isTolerant = false;
    Status problem = Status::ok;

    At field(At at, const FieldRule& rule);
    At text(At at, std::size_t maximum, Status otherwise);
    std::size_t mostOf(const FieldRule& rule) const;
    At time(At at, const FieldRule& rule);
    At skip(At at, std::size_t octets);
    At octets(At at);
    At destinationCount(At at);
    At destinations(At at);
    At destination(At at);
    At unsuccessful(At at);

    std::size_t mostAddress() const { return isTolerant ? longestText : maxAddress; }
    std::size_t left(At at) const { return static_cast<std::size_t>(end - at); }
    // The octet before a field that says how much there is in it.
    static std::size_t countBefore(At at) { return std::to_integer<std::size_t>(at[-1]); }
    At fail(Status status) {
        problem = status;
        return nullptr;
    }
};

Steps::At Steps::field(At at, const FieldRule& rule) {
    switch (rule.kind) {
        case Kind::text: return text(at, mostOf(rule), rule.problem);
        case Kind::time: return time(at, rule);
        case Kind::integer:
        case Kind::octetCount:
        case Kind::unsuccessCount: return skip(at, 1);
        case Kind::octets: return octets(at);
        case Kind::destinationCount: return destinationCount(at);
        case Kind::destinations: return destinations(at);
        case Kind::unsuccess: return unsuccessful(at);
    }
    return fail(Status::sysErr);
}

std::size_t Steps::mostOf(const FieldRule& rule) const {
    if (!isTolerant) return rule.maximum;
    return rule.field == Field::messageId ? longestId : longestText;
}

Steps::At Steps::text(At at, std::size_t maximum, Status otherwise) {
    if (at == end) return fail(Status::invCmdLen);
    if (*at == nio::Byte{0}) return at + 1;  // cheaper than the call
    const void* nul = std::memchr(at, 0, std::min(left(at), maximum));
    return nul != nullptr ? static_cast<At>(nul) + 1 : fail(otherwise);
}

Steps::At Steps::time(At at, const FieldRule& rule) {
    const At next = text(at, mostOf(rule), rule.problem);
    const bool fits = isTolerant || next == nullptr || next == at + 1 || next == at + timeSize;
    return fits ? next : fail(rule.problem);
}

Steps::At Steps::skip(At at, std::size_t octets) {
    return octets <= left(at) ? at + octets : fail(Status::invCmdLen);
}

Steps::At Steps::octets(At at) {
    const std::size_t size = countBefore(at);
    const bool fits = (isTolerant || size <= maxShortMessage) && size <= left(at);
    return fits ? at + size : fail(Status::invMsgLen);
}

Steps::At Steps::destinationCount(At at) {
    const At next = skip(at, 1);
    if (next == nullptr) return nullptr;
    const std::size_t count = countBefore(next);
    const bool fits = count > 0 && (isTolerant || count <= maxDestinations);
    return fits ? next : fail(Status::invNumDests);
}

Steps::At Steps::destinations(At at) {
    for (std::size_t more = countBefore(at); more > 0 && at != nullptr; --more) {
        at = destination(at);
    }
    return at;
}

Steps::At Steps::destination(At at) {
    if (at == end) return fail(Status::invCmdLen);
    const nio::Byte flag = *at++;
    if (flag == distributionList) return text(at, mostAddress(), Status::invDlName);
    if (flag != smeAddress) return fail(Status::invDestFlag);
    at = skip(at, tonAndNpi);
    return at != nullptr ? text(at, mostAddress(), Status::invDstAdr) : nullptr;
}

Steps::At Steps::unsuccessful(At at) {
    for (std::size_t more = countBefore(at); more > 0 && at != nullptr; --more) {
        at = skip(at, tonAndNpi);
        if (at != nullptr) at = text(at, mostAddress(), Status::invDstAdr);
        if (at != nullptr) at = skip(at, errorStatusSize);
    }
    return at;
}

}  // namespace

Status scanFields(nio::ByteView pdu, const Layout& layout, Reading reading, std::uint32_t* starts) {
    Steps steps{pdu.data() + pdu.size(), layout.longestText, reading == Reading::tolerant};
    const nio::Byte* at = pdu.data() + Header::bytes;
    const FieldRule* const end = layout.rules.data() + layout.count;
    for (const FieldRule* rule = layout.rules.data(); rule != end; ++rule) {
        *starts++ = static_cast<std::uint32_t>(at - pdu.data());
        at = steps.field(at, *rule);
        if (at == nullptr) return steps.problem;
    }
    *starts = static_cast<std::uint32_t>(at - pdu.data());
    return Status::ok;
}

RestScan scanRest(nio::ByteView rest, const Layout& layout, Reading reading) {
    if (rest.empty()) return {};
    const bool isTolerant = reading == Reading::tolerant;
    if (!layout.hasTlvs && !isTolerant) return {Status::invCmdLen};
    const nio::ByteView whole = rest.first(TlvList::wholeOctets(rest));
    RestScan scan;
    if (whole.size() < rest.size()) {
        scan.problem = layout.hasTlvs ? Status::invOptParStream : Status::invCmdLen;
    }
    if (isTolerant) {
        scan.good = whole.size();
        return scan;
    }
    for (const Tlv& tlv : TlvList(whole)) {
        if (!lengthFits(tlv.tag, tlv.value.size())) {
            if (scan.problem == Status::ok) scan.problem = Status::invParLen;
            return scan;
        }
        scan.good = static_cast<std::size_t>(tlv.value.data() + tlv.value.size() - rest.data());
    }
    return scan;
}

}  // namespace smpp
