#include <nio/sys/SocketAddress.h>

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>
#include <optional>

namespace nio {

namespace {

constexpr std::string_view unixPrefix = "unix:";
constexpr char abstractMark = '@';
constexpr std::size_t pathOffset = offsetof(sockaddr_un, sun_path);

Error notAnAddress(std::string_view text) {
    return {Errc::badAddress, "'" + std::string(text) + "'"};
}

// Escape sequences, including U+009B, could rewrite a terminal's screen.
std::string printable(std::string text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const bool isSecondSet = byte >= 0x80 && byte < 0xa0 && i > 0 && text[i - 1] == '\xc2';
        if (byte < ' ' || byte == 0x7f || isSecondSet) text[i] = '?';
    }
    return text;
}

// Copies instead of casts: a sockaddr_storage may not be read as another type.
template <class Address>
Address as(const sockaddr* address) {
    Address copy;
    std::memcpy(&copy, address, sizeof copy);
    return copy;
}

template <class Address>
SocketAddress from(const Address& address, std::size_t length = sizeof(Address)) {
    return SocketAddress::fromSystem(reinterpret_cast<const sockaddr*>(&address),
                                     static_cast<socklen_t>(length));
}

template <class Number>
std::optional<Number> parseNumber(std::string_view digits) {
    Number number{};
    const char* end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, number);
    if (error != std::errc{} || rest != end) return {};
    return number;
}

std::optional<std::uint32_t> parseScope(const std::string& scope) {
    const auto index = parseNumber<std::uint32_t>(scope);
    const std::uint32_t found = index ? *index : ::if_nametoindex(scope.c_str());
    if (found == 0) return {};
    return found;
}

std::string scopeText(std::uint32_t index) {
    if (index == 0) return {};
    char name[IF_NAMESIZE];
    if (::if_indextoname(index, name) == nullptr) return "%" + std::to_string(index);
    return std::string("%") + name;
}

std::optional<SocketAddress> ipv4(const std::string& host, std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    if (::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) return {};
    return from(address);
}

std::optional<SocketAddress> ipv6(const std::string& host, std::uint16_t port) {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    const std::size_t percent = host.find('%');
    if (::inet_pton(AF_INET6, host.substr(0, percent).c_str(), &address.sin6_addr) != 1) return {};
    if (percent == std::string::npos) return from(address);

    const auto scope = parseScope(host.substr(percent + 1));
    if (!scope) return {};
    address.sin6_scope_id = *scope;
    return from(address);
}

}  // namespace

Result<SocketAddress> SocketAddress::numeric(std::string_view host, std::uint16_t port) {
    if (host.find('\0') != std::string_view::npos) return notAnAddress(host);
    const std::string text(host);
    if (auto address = ipv4(text, port)) return *address;
    if (auto address = ipv6(text, port)) return *address;
    return notAnAddress(host);
}

Result<SocketAddress> SocketAddress::unixPath(std::string_view path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const bool fits = !path.empty() && path.size() < sizeof address.sun_path;
    if (!fits || path.find('\0') != std::string_view::npos) {
        return notAnAddress(std::string(unixPrefix).append(path));
    }
    std::copy(path.begin(), path.end(), address.sun_path);
    if (path.front() == abstractMark) {
        if (path.size() == 1) return notAnAddress(std::string(unixPrefix).append(path));
        address.sun_path[0] = '\0';
        return from(address, pathOffset + path.size());
    }
    return from(address, pathOffset + path.size() + 1);
}

Result<SocketAddress> SocketAddress::parse(std::string_view text) {
    if (text.starts_with(unixPrefix)) return unixPath(text.substr(unixPrefix.size()));

    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return notAnAddress(text);
    const auto port = parseNumber<std::uint16_t>(text.substr(colon + 1));
    if (!port) return notAnAddress(text);

    std::string_view host = text.substr(0, colon);
    const bool brackets = host.size() >= 2 && host.front() == '[' && host.back() == ']';
    if (brackets) host = host.substr(1, host.size() - 2);
    const auto address = numeric(host, *port);
    // Without brackets the last colon of an IPv6 address could be the one before the port.
    if (!address || brackets != (address.value().family() == Family::ipv6)) {
        return notAnAddress(text);
    }
    return address;
}

SocketAddress SocketAddress::fromSystem(const sockaddr* address, socklen_t length) {
    SocketAddress result;
    result.length_ = std::min(length, static_cast<socklen_t>(sizeof result.storage_));
    if (result.length_ > 0) std::memcpy(&result.storage_, address, result.length_);
    return result;
}

SocketAddress SocketAddress::loopback4(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return from(address);
}

SocketAddress SocketAddress::loopback6(std::uint16_t port) {
    sockaddr_in6 address{};
    address.sin6_family = AF_INET6;
    address.sin6_port = htons(port);
    address.sin6_addr = in6addr_loopback;
    return from(address);
}

SocketAddress::Family SocketAddress::family() const {
    switch (storage_.ss_family) {
        case AF_INET: return Family::ipv4;
        case AF_INET6: return Family::ipv6;
        case AF_UNIX: return Family::unix_;
        default: return Family::none;
    }
}

std::uint16_t SocketAddress::port() const {
    switch (family()) {
        case Family::ipv4: return ntohs(as<sockaddr_in>(data()).sin_port);
        case Family::ipv6: return ntohs(as<sockaddr_in6>(data()).sin6_port);
        default: return 0;
    }
}

SocketAddress SocketAddress::withPort(std::uint16_t port) const {
    if (family() == Family::ipv4) {
        auto address = as<sockaddr_in>(data());
        address.sin_port = htons(port);
        return from(address);
    }
    if (family() == Family::ipv6) {
        auto address = as<sockaddr_in6>(data());
        address.sin6_port = htons(port);
        return from(address);
    }
    return *this;
}

std::string SocketAddress::path() const {
    if (!isUnix() || length_ <= pathOffset) return {};
    const char* begin = reinterpret_cast<const char*>(&storage_) + pathOffset;
    return {begin, ::strnlen(begin, length_ - pathOffset)};
}

std::string SocketAddress::abstractName() const {
    if (!isUnix() || length_ <= pathOffset) return {};
    const char* begin = reinterpret_cast<const char*>(&storage_) + pathOffset;
    if (*begin != '\0') return {};
    std::string name(begin, length_ - pathOffset);
    name[0] = abstractMark;
    return name;
}

std::string SocketAddress::host() const {
    char text[INET6_ADDRSTRLEN] = "";
    if (family() == Family::ipv4) {
        const auto address = as<sockaddr_in>(data());
        return ::inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
    }
    if (family() == Family::ipv6) {
        const auto address = as<sockaddr_in6>(data());
        ::inet_ntop(AF_INET6, &address.sin6_addr, text, sizeof text);
        return text + scopeText(address.sin6_scope_id);
    }
    return {};
}

std::string SocketAddress::toString() const {
    switch (family()) {
        case Family::none: return {};
        case Family::ipv4: return host() + ":" + std::to_string(port());
        case Family::ipv6: return "[" + host() + "]:" + std::to_string(port());
        case Family::unix_: return std::string(unixPrefix) + printable(path() + abstractName());
    }
    return {};
}

bool SocketAddress::operator==(const SocketAddress& other) const {
    if (family() != other.family() || port() != other.port()) return false;
    if (family() == Family::ipv4) {
        return as<sockaddr_in>(data()).sin_addr.s_addr ==
               as<sockaddr_in>(other.data()).sin_addr.s_addr;
    }
    if (family() == Family::ipv6) {
        const auto mine = as<sockaddr_in6>(data());
        const auto theirs = as<sockaddr_in6>(other.data());
        return mine.sin6_scope_id == theirs.sin6_scope_id &&
               std::memcmp(&mine.sin6_addr, &theirs.sin6_addr, sizeof mine.sin6_addr) == 0;
    }
    return length_ == other.length_ && std::memcmp(&storage_, &other.storage_, length_) == 0;
}

}  // namespace nio
