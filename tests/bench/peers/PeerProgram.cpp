#include "PeerProgram.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <cerrno>
#include <thread>
#include <vector>

namespace peers {

namespace {

constexpr int backlog = 4096;
constexpr unsigned long mostThreads = 64;
std::string wayAsked;

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

void setOn(int socket, int level, int option) {
    const int on = 1;
    if (::setsockopt(socket, level, option, &on, sizeof on) != 0) fail("setsockopt");
}

int listenOn(std::uint16_t port, bool shared) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (socket < 0) fail("socket");
    setOn(socket, SOL_SOCKET, SO_REUSEADDR);
    if (shared) setOn(socket, SOL_SOCKET, SO_REUSEPORT);
    const sockaddr_in address = loopback(port);
    if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        fail("bind");
    }
    if (::listen(socket, backlog) != 0) fail("listen");
    return socket;
}

std::uint16_t portOf(int socket) {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
        fail("getsockname");
    }
    return ntohs(address.sin_port);
}

void openAsManyAsAllowed() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
}

ssize_t outcome(ssize_t count) {
    if (count >= 0) return count;
    return errno == EAGAIN || errno == EINTR ? -1 : 0;
}

}  // namespace

int run(int argc, char** argv, Loop loop) {
    const unsigned long port = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 65'536;
    const unsigned long threads = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1;
    if (port > 65'535 || threads < 1 || threads > mostThreads) {
        std::fprintf(stderr, "usage: %s PORT [THREADS] [WAY]\n", argv[0]);
        return 2;
    }
    if (argc > 3) wayAsked = argv[3];
    std::signal(SIGPIPE, SIG_IGN);
    openAsManyAsAllowed();
    std::vector<int> listeners{listenOn(static_cast<std::uint16_t>(port), threads > 1)};
    const std::uint16_t found = portOf(listeners[0]);
    while (listeners.size() < threads) listeners.push_back(listenOn(found, true));
    std::printf("listening on 127.0.0.1:%u \n", static_cast<unsigned>(found));
    std::fflush(stdout);
    for (std::size_t i = 1; i < threads; ++i) std::thread(loop, listeners[i]).detach();
    loop(listeners[0]);
    return 0;
}

const std::string& way() {
    return wayAsked;
}

void fail(const char* what) {
    std::perror(what);
    std::exit(1);
}

void sendAtOnce(int socket) {
    const int on = 1;
    // Refused only where the peer is gone already.
    (void)::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

int acceptFrom(int listener) {
    const int socket = ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket >= 0) sendAtOnce(socket);
    return socket;
}

ssize_t receive(int socket, char* buffer, std::size_t size) {
    return outcome(::recv(socket, buffer, size, 0));
}

ssize_t sendSome(int socket, const char* bytes, std::size_t size) {
    return outcome(::send(socket, bytes, size, MSG_NOSIGNAL));
}

}  // namespace peers
