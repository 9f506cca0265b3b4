#include "echo_server/ProxyHeader.h"

#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>

namespace echo {

namespace {

using Parsed = nio::Result<std::optional<ProxyHeader>>;
using namespace std::string_view_literals;

nio::Error malformed(const char* what) {
    return {nio::Errc::malformedPacket, std::string("PROXY header: ") + what};
}

// As much of `expected` as is there.
bool begins(std::string_view text, std::string_view expected) {
    const std::size_t both = std::min(text.size(), expected.size());
    return text.substr(0, both) == expected.substr(0, both);
}

// --- version 1: a line

constexpr auto lineMark = "PROXY "sv;
constexpr auto lineEnd = "\r\n"sv;
constexpr std::size_t longestLine = 107;

std::string_view nextWord(std::string_view& text) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    return word;
}

std::optional<std::uint16_t> portFrom(std::string_view text) {
    std::uint16_t port = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, port);
    const bool isPadded = text.size() > 1 && text[0] == '0';
    if (error != std::errc() || rest != end || isPadded) return std::nullopt;
    return port;
}

nio::SocketAddress addressFrom(std::string_view host, std::string_view portText,
                               nio::SocketAddress::Family family) {
    const auto port = portFrom(portText);
    if (!port || host.find('%') != host.npos) return {};
    const auto address = nio::SocketAddress::numeric(host, *port);
    return address && address.value().family() == family ? address.value() : nio::SocketAddress();
}

Parsed parseLine(std::string_view text) {
    if (!begins(text, lineMark)) return malformed("it begins neither as version 1 nor as 2");
    const std::size_t end = text.substr(0, longestLine).find(lineEnd);
    if (end == text.npos) {
        if (text.size() >= longestLine) return malformed("a line of more than 107 bytes");
        return std::optional<ProxyHeader>();
    }
    std::string_view words = text.substr(0, end);
    words.remove_prefix(std::min(words.size(), lineMark.size()));
    ProxyHeader header;
    header.bytes = end + lineEnd.size();
    const std::string_view protocol = nextWord(words);
    if (protocol == "UNKNOWN") return std::optional(header);
    using Family = nio::SocketAddress::Family;
    const Family family = protocol == "TCP4"   ? Family::ipv4
                          : protocol == "TCP6" ? Family::ipv6
                                               : Family::none;
    if (family == Family::none) return malformed("the protocol is not TCP4, TCP6 or UNKNOWN");
    std::array<std::string_view, 4> fields;
    const auto spaces = std::count(words.begin(), words.end(), ' ');
    for (std::string_view& field : fields) field = nextWord(words);
    header.source = addressFrom(fields[0], fields[2], family);
    header.destination = addressFrom(fields[1], fields[3], family);
    const bool isWhole = header.source.family() == family && header.destination.family() == family;
    if (spaces != 3 || !isWhole) return malformed("the addresses or ports are malformed");
    return std::optional(header);
}

// --- version 2: binary

constexpr auto signature = "\r\n\r\n\0\r\nQUIT\n"sv;
constexpr std::size_t fixedBytes = 16;

std::size_t byteAt(std::string_view text, std::size_t i) {
    return static_cast<unsigned char>(text[i]);
}
std::size_t lengthAt(std::string_view text, std::size_t i) {
    return byteAt(text, i) << 8 | byteAt(text, i + 1);
}

// The bytes of both addresses; absent: no such family or transport.
std::optional<std::size_t> addressBytes(std::size_t family) {
    switch (family) {
        case 0x00: return 0;
        case 0x11:
        case 0x12: return 12;
        case 0x21:
        case 0x22: return 36;
        case 0x31:
        case 0x32: return 216;
        default: return std::nullopt;
    }
}

nio::SocketAddress internet4(std::string_view host, std::string_view port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    std::memcpy(&address.sin_addr, host.data(), sizeof address.sin_addr);
    std::memcpy(&address.sin_port, port.data(), sizeof address.sin_port);
    return nio::SocketAddress::fromSystem(reinterpret_cast<const sockaddr*>(&address),
                                          sizeof address);
}
nio::SocketAddress internet6(std::string_view host, std::string_view port) {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    std::memcpy(&address.sin6_addr, host.data(), sizeof address.sin6_addr);
    std::memcpy(&address.sin6_port, port.data(), sizeof address.sin6_port);
    return nio::SocketAddress::fromSystem(reinterpret_cast<const sockaddr*>(&address),
                                          sizeof address);
}
nio::SocketAddress unixAddress(std::string_view bytes) {
    const auto address = nio::SocketAddress::unixPath(bytes.substr(0, bytes.find('\0')));
    return address ? address.value() : nio::SocketAddress();
}

void readAddresses(std::string_view block, std::size_t family, ProxyHeader& header) {
    switch (family >> 4) {
        case 1:
            header.source = internet4(block, block.substr(8));
            header.destination = internet4(block.substr(4), block.substr(10));
            break;
        case 2:
            header.source = internet6(block, block.substr(32));
            header.destination = internet6(block.substr(16), block.substr(34));
            break;
        case 3:
            header.source = unixAddress(block.substr(0, 108));
            header.destination = unixAddress(block.substr(108, 108));
            break;
        default: break;
    }
}

// Type, length, value; the last one ends where the header ends.
bool areExtensions(std::string_view rest) {
    constexpr std::size_t head = 3;
    while (!rest.empty()) {
        if (rest.size() < head || rest.size() - head < lengthAt(rest, 1)) return false;
        rest.remove_prefix(head + lengthAt(rest, 1));
    }
    return true;
}

Parsed parseBinary(std::string_view text) {
    if (!begins(text, signature)) return malformed("the signature of version 2 is wrong");
    if (text.size() > 12 && byteAt(text, 12) >> 4 != 2) return malformed("the version is not 2");
    if (text.size() > 12 && (byteAt(text, 12) & 15) > 1) return malformed("unknown command");
    if (text.size() < fixedBytes) return std::optional<ProxyHeader>();
    ProxyHeader header;
    header.version = 2;
    header.isLocal = (byteAt(text, 12) & 15) == 0;
    header.bytes = fixedBytes + lengthAt(text, 14);
    const std::size_t family = byteAt(text, 13);
    const auto addresses = addressBytes(family);
    if (!header.isLocal && !addresses) return malformed("unknown address family or transport");
    if (!header.isLocal && header.bytes < fixedBytes + *addresses) {
        return malformed("it is too short for its addresses");
    }
    if (text.size() < header.bytes) return std::optional<ProxyHeader>();
    if (header.isLocal || family == 0) return std::optional(header);
    const std::string_view block = text.substr(fixedBytes, header.bytes - fixedBytes);
    if (!areExtensions(block.substr(*addresses))) return malformed("its extensions are malformed");
    readAddresses(block, family, header);
    return std::optional(header);
}

}  // namespace

std::string ProxyHeader::toString() const {
    const auto shown = [](const nio::SocketAddress& address) {
        const bool isKnown = address.family() != nio::SocketAddress::Family::none;
        return isKnown ? address.toString() : std::string("unknown");
    };
    const std::string how = " (version " + std::to_string(version) + ")";
    if (isLocal) return "the proxy itself" + how;
    return shown(source) + " to " + shown(destination) + how;
}

nio::Result<std::optional<ProxyHeader>> parseProxyHeader(nio::ByteView bytes) {
    const std::string_view text = nio::asText(bytes);
    if (text.empty()) return std::optional<ProxyHeader>();
    return text[0] == signature[0] ? parseBinary(text) : parseLine(text);
}

}  // namespace echo
