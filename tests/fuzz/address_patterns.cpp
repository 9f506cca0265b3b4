// Patterns of addresses and blocks of IP addresses, of the router's configuration. What must hold:
//  - a pattern, or what is wrong with it; it keeps its text;
//  - an exact pattern matches its own text and nothing else, a prefix what begins with it; to a
//    pattern that has none, a leading "+" of the address does not matter;
//  - a block that is read is written as a text that is read as the same block.
//
// Input: the pattern and the address, each ended by a line feed.

#include "sms_router/config/AddressPattern.h"
#include "sms_router/config/AddressRange.h"

#include "fuzz/FuzzTarget.h"

namespace {

using fuzz::require;

std::string takeLine(std::string_view& rest) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string line(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return line;
}

void checkPattern(const std::string& text, const std::string& address) {
    std::string problem;
    const auto pattern = router::AddressPattern::parse(text, problem);
    require(pattern.has_value() == problem.empty(), "a pattern, or what is wrong with it");
    if (!pattern) return;
    require(pattern->text() == text, "it keeps its text");
    const bool matches = pattern->matches(address);
    const bool ignoresPlus = !text.starts_with('+') && address.starts_with('+');
    const std::string seen = address.substr(ignoresPlus ? 1 : 0);
    if (pattern->isExact()) {
        require(matches == (seen == text), "an exact one matches itself alone");
    } else if (text.ends_with('*') && !text.starts_with('/')) {
        const std::string prefix = text.substr(0, text.size() - 1);
        require(matches == seen.starts_with(prefix), "a prefix matches what begins with it");
    }
}

void checkRange(const std::string& text, const std::string& address) {
    const auto range = router::AddressRange::parse(text);
    if (!range) return;
    const std::string told = range->toString();
    const auto again = router::AddressRange::parse(told);
    require(again && again->toString() == told, "a block is read as it is written: " + told);
    for (const std::string& one : {address, told.substr(0, told.find('/'))}) {
        const auto peer = nio::SocketAddress::numeric(one, 1);
        if (!peer) continue;
        require(range->contains(peer.value()) == again->contains(peer.value()),
                "and is the same block");
    }
}

void run(fuzz::FuzzInput input) {
    std::string_view rest = input.rest();
    const std::string pattern = takeLine(rest);
    const std::string address = takeLine(rest);
    checkPattern(pattern, address);
    checkRange(pattern, address);
}

const fuzz::FuzzTarget target("address_patterns", run);

}  // namespace
