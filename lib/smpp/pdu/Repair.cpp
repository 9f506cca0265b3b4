#include <smpp/pdu/Repair.h>

#include <algorithm>
#include <array>

#include <smpp/pdu/BigEndian.h>
#include <smpp/pdu/BodyScan.h>

namespace smpp {

namespace {

constexpr std::size_t tlvHead = 4;
// A response may lack its message_id's NUL and the count that follows it.
constexpr int mostMissing = 2;

using Starts = std::array<std::uint32_t, Layout::maxFields + 1>;

bool isNul(nio::Byte octet) {
    return octet == nio::Byte{0};
}

void setLength(nio::Bytes& pdu) {
    put32(pdu.data(), static_cast<std::uint32_t>(pdu.size()));
}

// How many octets there are of whole TLVs. One without tag and length is padding; behind another
// one, so may be what has no tag.
std::size_t tlvOctets(nio::ByteView octets) {
    std::size_t whole = 0;
    while (octets.size() - whole >= tlvHead) {
        const nio::Byte* head = octets.data() + whole;
        const std::size_t size = tlvHead + get16(head + 2);
        const bool mayBePadding = get16(head) == 0 && (size == tlvHead || whole > 0);
        if (mayBePadding || size > octets.size() - whole) break;
        whole += size;
    }
    return whole;
}

// How many NULs in front are no part of TLVs: the count by which the most octets are whole TLVs.
std::size_t paddingOf(nio::ByteView rest) {
    const auto first = std::find_if_not(rest.begin(), rest.end(), isNul);
    const auto nuls = static_cast<std::size_t>(first - rest.begin());
    if (nuls == 0 || nuls == rest.size()) return nuls;
    std::size_t best = 0;
    std::size_t bestWhole = tlvOctets(rest);
    // A tag may begin with a NUL.
    for (const std::size_t count : {nuls - 1, nuls}) {
        const std::size_t whole = tlvOctets(rest.subspan(count));
        if (whole <= bestWhole) continue;
        best = count;
        bestWhole = whole;
    }
    return bestWhole > 0 ? best : nuls / tlvHead * tlvHead;
}

// A TLV that is cut gets the length of what is there of its value; one without a length goes.
Repaired withRest(nio::ByteView fields, nio::ByteView rest) {
    Repaired result{nio::copyOf(fields)};
    for (std::size_t whole = 1; whole > 0; rest = rest.subspan(whole)) {
        rest = rest.subspan(paddingOf(rest));
        whole = tlvOctets(rest);
        result.pdu.insert(result.pdu.end(), rest.begin(),
                          rest.begin() + static_cast<std::ptrdiff_t>(whole));
    }
    result.isCut = !std::all_of(rest.begin(), rest.end(), isNul);
    if (result.isCut && rest.size() >= tlvHead) {
        const std::size_t head = result.pdu.size();
        result.pdu.insert(result.pdu.end(), rest.begin(), rest.end());
        put16(result.pdu.data() + head + 2, static_cast<std::uint16_t>(rest.size() - tlvHead));
    }
    setLength(result.pdu);
    return result;
}

// What a response says has been done, and cannot be asked for again; only query_sm_resp is its
// body.
std::optional<Repaired> withoutBody(nio::ByteView pdu) {
    Repaired result{nio::copyOf(pdu.first(Header::bytes)), true};
    setLength(result.pdu);
    return result;
}

// What follows the last string of a response, or of a request that ends with one, was left out.
std::optional<Repaired> withMissingEnd(nio::ByteView pdu, const Layout& layout) {
    Repaired result{nio::copyOf(pdu), true};
    Starts starts{};
    for (int i = 0; i < mostMissing; ++i) {
        result.pdu.push_back(nio::Byte{0});
        if (scanFields(result.pdu, layout, Reading::tolerant, starts.data()) != Status::ok)
            continue;
        setLength(result.pdu);
        return result;
    }
    return std::nullopt;
}

// An SMSC keeps nothing of a deliver_sm that was refused: what came of its text is delivered.
std::optional<Repaired> withCutMessage(nio::ByteView pdu, std::size_t messageStart) {
    Repaired result{nio::copyOf(pdu), true};
    const std::size_t left = pdu.size() - messageStart;
    if (left > 0xFF) return std::nullopt;
    result.pdu[messageStart - 1] = static_cast<nio::Byte>(left);
    return result;
}

}  // namespace

std::optional<Repaired> repaired(nio::ByteView pdu, Missing missing) {
    const std::optional<Header> header = Header::read(pdu);
    if (!header || header->length != pdu.size()) return std::nullopt;
    const Layout* layout = layoutOf(header->command);
    if (layout == nullptr) return std::nullopt;
    Starts starts{};
    const Status problem = scanFields(pdu, *layout, Reading::tolerant, starts.data());
    if (problem == Status::ok) {
        const std::size_t end = starts[layout->count];
        Repaired result = withRest(pdu.first(end), pdu.subspan(end));
        if (result.isCut && missing == Missing::refused) return std::nullopt;
        return result;
    }
    const bool isAnswer = isResponse(header->command);
    if (missing == Missing::refused && !isAnswer) return std::nullopt;
    const Kind last = layout->count > 0 ? layout->rules[layout->count - 1].kind : Kind::integer;
    if (problem == Status::invMsgLen && header->command == Command::deliverSm) {
        return withCutMessage(pdu, starts[layout->positionOf(Field::shortMessage)]);
    }
    std::optional<Repaired> result;
    if (isText(last) || isAnswer) result = withMissingEnd(pdu, *layout);
    const bool isDone = isAnswer && header->command != Command::querySmResp;
    return result || !isDone ? result : withoutBody(pdu);
}

}  // namespace smpp
