#include <smpp/pdu/Repair.h>

#include <algorithm>
#include <array>
#include <compare>
#include <utility>

#include <smpp/pdu/BigEndian.h>
#include <smpp/pdu/BodyScan.h>
#include <smpp/pdu/Tag.h>

namespace smpp {

namespace {

constexpr std::size_t tlvHead = 4;
// A response may lack its message_id's NUL and the count that follows it.
constexpr int mostMissing = 2;
// What is looked at behind each padding: to look at all would be quadratic.
constexpr std::size_t mostAhead = 256;

using Starts = std::array<std::uint32_t, Layout::maxFields + 1>;

bool isNul(nio::Byte octet) {
    return octet == nio::Byte{0};
}

void setLength(nio::Bytes& pdu) {
    put32(pdu.data(), static_cast<std::uint32_t>(pdu.size()));
}

// How many octets there are of up to `most` whole TLVs. One without tag and length is padding;
// behind another one, so may be what has no tag.
std::size_t tlvOctets(nio::ByteView octets, std::size_t most = SIZE_MAX) {
    std::size_t whole = 0;
    for (; most > 0 && octets.size() - whole >= tlvHead; --most) {
        const nio::Byte* head = octets.data() + whole;
        const std::size_t size = tlvHead + get16(head + 2);
        const bool mayBePadding = get16(head) == 0 && (size == tlvHead || whole > 0);
        if (mayBePadding || size > octets.size() - whole) break;
        whole += size;
    }
    return whole;
}

// Where the whole TLVs from `start` on end, with the NULs behind them if those are the last; 0:
// there are none. `rest` ends with `lastNuls` NULs.
std::size_t endOfTlvs(nio::ByteView rest, std::size_t start, std::size_t lastNuls) {
    const std::size_t whole = tlvOctets(rest.subspan(start), mostAhead);
    if (whole == 0) return 0;
    const std::size_t end = start + whole;
    return rest.size() - end <= lastNuls ? rest.size() : end;
}

bool beginsWithKnownTag(nio::ByteView tlvs) {
    return nameOf(Tag{get16(tlvs.data())}) != "unknown";
}

// What speaks for a padding of some size, the strongest first.
struct Evidence {
    bool isSound = false;  // the TLVs behind it begin with a tag, and reach the end or padding
    bool isKnown = false;  // the first tag has a name
    bool reachesEnd = false;
    std::size_t end = 0;  // of the TLVs, where they are not sound
    auto operator<=>(const Evidence&) const = default;
};

// `nuls` in front, of which `padding` are none of a TLV; see endOfTlvs().
Evidence evidenceFor(nio::ByteView rest, std::size_t nuls, std::size_t padding,
                     std::size_t lastNuls) {
    const std::size_t end = endOfTlvs(rest, padding, lastNuls);
    // A tag may begin with a NUL.
    const bool hasTag = end > 0 && padding + 1 >= nuls;
    const bool reachesEnd = end == rest.size();
    if (!hasTag || !(reachesEnd || isNul(rest[end]))) return {false, false, false, end};
    return {true, beginsWithKnownTag(rest.subspan(padding)), reachesEnd, 0};
}

// How many NULs in front are no part of TLVs; of sizes for which as much speaks the least.
std::size_t paddingOf(nio::ByteView rest, std::size_t lastNuls) {
    const auto first = std::find_if_not(rest.begin(), rest.end(), isNul);
    const auto nuls = static_cast<std::size_t>(first - rest.begin());
    if (nuls == 0 || nuls == rest.size()) return nuls;
    std::size_t padding = nuls / tlvHead * tlvHead;
    Evidence best;
    for (const std::size_t size : {nuls - 1, nuls, std::size_t{0}}) {
        const Evidence evidence = evidenceFor(rest, nuls, size, lastNuls);
        if (evidence <= best) continue;
        best = evidence;
        padding = size;
    }
    return padding;
}

// A TLV that is cut gets the length of what is there of its value; one without a length goes.
Repaired withRest(nio::ByteView fields, nio::ByteView rest) {
    Repaired result{nio::copyOf(fields)};
    // Counted once: to look for them behind each padding would be quadratic.
    const auto lastNuls = static_cast<std::size_t>(
        std::find_if_not(rest.rbegin(), rest.rend(), isNul) - rest.rbegin());
    for (std::size_t whole = 1; whole > 0; rest = rest.subspan(whole)) {
        rest = rest.subspan(paddingOf(rest, lastNuls));
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

// Whether nothing but a string's NUL or a count was added behind `size` octets: any other value
// would be made up.
bool endsWithNuls(const Layout& layout, const Starts& starts, std::size_t size) {
    for (std::size_t i = layout.count; i > 0 && starts[i] > size; --i) {
        const Kind kind = layout.rules[i - 1].kind;
        const bool isEmpty = starts[i - 1] == starts[i];
        if (!isEmpty && !isText(kind) && kind != Kind::unsuccessCount) return false;
    }
    return true;
}

// What follows the last string of a response, or of a request that ends with one, was left out.
std::optional<Repaired> withMissingEnd(nio::ByteView pdu, const Layout& layout) {
    Repaired result{nio::copyOf(pdu), true};
    Starts starts{};
    for (int i = 0; i < mostMissing; ++i) {
        result.pdu.push_back(nio::Byte{0});
        if (scanFields(result.pdu, layout, Reading::tolerant, starts.data()) != Status::ok)
            continue;
        if (!endsWithNuls(layout, starts, pdu.size())) return std::nullopt;
        setLength(result.pdu);
        return result;
    }
    return std::nullopt;
}

// What a response says has been done, and cannot be asked for again; only query_sm_resp is its
// body. Its message_id is kept if `starts` says that it was read.
std::optional<Repaired> withoutRest(nio::ByteView pdu, const Layout& layout, const Starts& starts) {
    const std::size_t id = starts[1];
    if (id > 0) return withMissingEnd(pdu.first(id), layout);
    Repaired result{nio::copyOf(pdu.first(Header::bytes)), true};
    setLength(result.pdu);
    return result;
}

// The first string of a response lacks its NUL, so that it goes on with the TLVs behind it up to
// the first NUL in them. It ends before its first control character, from where there are whole
// TLVs up to the end of the PDU.
std::optional<Repaired> withEndOfText(nio::ByteView pdu, const Layout& layout) {
    constexpr nio::Byte firstPrintable{0x20};
    const std::size_t last = std::min(pdu.size(), Header::bytes + longestId);
    std::size_t at = Header::bytes;
    while (at < last && pdu[at] >= firstPrintable) ++at;
    if (at == last) return std::nullopt;
    const nio::ByteView tlvs = pdu.subspan(at);
    if (tlvOctets(tlvs) != tlvs.size()) return std::nullopt;
    std::optional<Repaired> result = withMissingEnd(pdu.first(at), layout);
    if (!result) return result;
    result->isCut = false;
    result->pdu.insert(result->pdu.end(), tlvs.begin(), tlvs.end());
    setLength(result->pdu);
    return result;
}

// An SMSC keeps nothing of a deliver_sm that was refused: what came of its text is delivered.
std::optional<Repaired> withAllAsText(nio::ByteView pdu, std::size_t messageStart) {
    Repaired result{nio::copyOf(pdu), true};
    const std::size_t left = pdu.size() - messageStart;
    if (left > 0xFF) return std::nullopt;
    result.pdu[messageStart - 1] = static_cast<nio::Byte>(left);
    return result;
}

// It ends where whole TLVs begin that reach the end of the PDU.
std::optional<Repaired> withUncountedText(nio::ByteView pdu, std::size_t messageStart) {
    constexpr nio::Byte firstPrintable{0x20};
    const std::size_t last = std::min(pdu.size(), messageStart + 0xFF);
    const auto endsAt = [pdu](std::size_t at) {
        const nio::ByteView tlvs = pdu.subspan(at);
        return tlvs.empty() || (tlvs[0] < firstPrintable && tlvOctets(tlvs) == tlvs.size());
    };
    std::size_t end = messageStart;
    while (end < last && !endsAt(end)) ++end;
    if (!endsAt(end)) return std::nullopt;
    Repaired result{nio::copyOf(pdu), true};
    result.pdu[messageStart - 1] = static_cast<nio::Byte>(end - messageStart);
    return result;
}

// Some leave out sm_length where there is no text: TLVs begin there, or nothing does. Any text may
// look like a TLV, but hardly like a known one.
std::optional<Repaired> withoutLength(nio::ByteView pdu, std::size_t lengthStart) {
    const nio::ByteView tlvs = pdu.subspan(lengthStart);
    const bool areTlvs = tlvOctets(tlvs) == tlvs.size();
    if (!areTlvs || (!tlvs.empty() && !beginsWithKnownTag(tlvs))) return std::nullopt;
    Repaired result{nio::copyOf(pdu), true};
    result.pdu.insert(result.pdu.begin() + static_cast<std::ptrdiff_t>(lengthStart), nio::Byte{0});
    setLength(result.pdu);
    return result;
}

// Whether no TLV begins there: no tag and no length are of such octets.
bool beginsWithText(nio::ByteView rest) {
    const auto isPrintable = [](nio::Byte octet) {
        return octet >= nio::Byte{0x20} && octet < nio::Byte{0x7F};
    };
    return rest.size() >= tlvHead && std::all_of(rest.begin(), rest.begin() + tlvHead, isPrintable);
}

// Of a deliver_sm whose sm_length is not what it says.
std::optional<Repaired> withOtherLength(nio::ByteView pdu, const Layout& layout,
                                        const Starts& starts, Status problem) {
    const std::size_t length = starts[layout.positionOf(Field::messageLength)];
    if (length == 0) return std::nullopt;
    if (std::optional<Repaired> result = withoutLength(pdu, length)) return result;
    const bool isUncounted =
        problem == Status::ok && beginsWithText(pdu.subspan(starts[layout.count]));
    if (isUncounted) return withUncountedText(pdu, length + 1);
    return problem == Status::invMsgLen ? withAllAsText(pdu, length + 1) : std::nullopt;
}

}  // namespace

std::optional<Repaired> repaired(nio::ByteView pdu, Missing missing) {
    const std::optional<Header> header = Header::read(pdu);
    if (!header || header->length != pdu.size()) return std::nullopt;
    const Layout* layout = layoutOf(header->command);
    if (layout == nullptr) return std::nullopt;
    Starts starts{};
    const Status problem = scanFields(pdu, *layout, Reading::tolerant, starts.data());
    const bool isAnswer = isResponse(header->command);
    const bool isDone = isAnswer && layout->hasTlvs;
    const bool isDelivery = header->command == Command::deliverSm && missing == Missing::mended;
    if (problem == Status::ok) {
        const std::size_t end = starts[layout->count];
        Repaired result = withRest(pdu.first(end), pdu.subspan(end));
        if (!result.isCut) return result;
        if (isDone) return withEndOfText(pdu, *layout);
        if (missing == Missing::refused) return std::nullopt;
        if (!isDelivery) return result;
        std::optional<Repaired> other = withOtherLength(pdu, *layout, starts, problem);
        return other ? other : result;
    }
    if (missing == Missing::refused && !isAnswer) return std::nullopt;
    const Kind last = layout->count > 0 ? layout->rules[layout->count - 1].kind : Kind::integer;
    if (isDelivery) return withOtherLength(pdu, *layout, starts, problem);
    std::optional<Repaired> result;
    if (isDone) result = withEndOfText(pdu, *layout);
    if (!result && (isText(last) || isAnswer)) result = withMissingEnd(pdu, *layout);
    return result || !isDone ? result : withoutRest(pdu, *layout, starts);
}

}  // namespace smpp
