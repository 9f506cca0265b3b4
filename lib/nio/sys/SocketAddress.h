// The address of a stream socket: an IPv4 or IPv6 address with a port, or the path of a Unix-domain
// socket, or its name in Linux's abstract namespace. Numeric only: kernel::resolve resolves names,
// off the dispatcher.
//
// Text forms: "127.0.0.1:7007", "[::1]:7007", "unix:/run/echo.sock", "unix:@echo" (abstract: it has
// no file). A scope is written "[fe80::1%eth0]:7007".
//
// Thread: any; a value.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <string_view>

#include <nio/base/Result.h>

namespace nio {

class SocketAddress {
  public:
    enum class Family { none, ipv4, ipv6, unix_ };

    SocketAddress() = default;  // of family none

    // From a numeric host without brackets ("127.0.0.1", "::1") and a port; badAddress otherwise.
    static Result<SocketAddress> numeric(std::string_view host, std::uint16_t port);
    // A path of 1 to 107 bytes without a NUL; "@name" is an abstract one ("./@name": a file).
    // badAddress otherwise.
    static Result<SocketAddress> unixPath(std::string_view path);
    // Any of the text forms above; badAddress otherwise.
    static Result<SocketAddress> parse(std::string_view text);
    // From what a system call filled in. `length` is at most sizeof(sockaddr_storage).
    static SocketAddress fromSystem(const sockaddr* address, socklen_t length);

    static SocketAddress loopback4(std::uint16_t port);
    static SocketAddress loopback6(std::uint16_t port);

    Family family() const;
    bool isUnix() const { return family() == Family::unix_; }
    std::uint16_t port() const;  // 0 for Unix-domain addresses
    SocketAddress withPort(std::uint16_t port) const;
    std::string path() const;  // of the file; empty if there is none
    std::string host() const;  // numeric, without brackets; empty for Unix-domain ones
    // One of the text forms above. Control characters in a path become '?', since a peer may choose
    // any path and it is logged.
    std::string toString() const;

    const sockaddr* data() const { return reinterpret_cast<const sockaddr*>(&storage_); }
    socklen_t length() const { return length_; }

    bool operator==(const SocketAddress& other) const;

  private:
    std::string abstractName() const;  // with its '@'; empty if it has none

    sockaddr_storage storage_{};
    socklen_t length_ = 0;
};

}  // namespace nio
