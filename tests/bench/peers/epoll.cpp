// The least that an event loop can do: level-triggered epoll, each connection armed once, a read
// and a write at once. Everything else is measured against it.
//
// It reads a connection until a read is short; with the way `fair` once a turn, so that one that is
// refilled as fast as it is read does not keep the others waiting.
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <unordered_map>

#include "PeerProgram.h"

namespace {

using peers::bufferBytes;

class EpollLoop {
  public:
    explicit EpollLoop(int listener) : listener_(listener), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
        if (epoll_ < 0) peers::fail("epoll_create1");
        watch(EPOLL_CTL_ADD, listener_, EPOLLIN);
    }

    void run() {
        std::array<epoll_event, 512> events;
        for (;;) {
            const int count = ::epoll_wait(epoll_, events.data(), events.size(), -1);
            for (int i = 0; i < count; ++i) {
                const int fd = events[static_cast<std::size_t>(i)].data.fd;
                fd == listener_ ? acceptAll() : ready(fd);
            }
        }
    }

  private:
    void watch(int how, int fd, std::uint32_t events) {
        epoll_event event{};
        event.events = events;
        event.data.fd = fd;
        (void)::epoll_ctl(epoll_, how, fd, &event);
    }

    void acceptAll() {
        for (int fd = 0; (fd = peers::acceptFrom(listener_)) >= 0;) {
            watch(EPOLL_CTL_ADD, fd, EPOLLIN);
        }
    }

    void ready(int fd) {
        if (!unsent_.empty()) [[unlikely]] {
            if (const auto found = unsent_.find(fd); found != unsent_.end()) return flush(found);
        }
        while (echo(fd)) {
        }
    }

    // Whether there may be more.
    bool echo(int fd) {
        const ssize_t got = peers::receive(fd, buffer_.data(), bufferBytes);
        if (got <= 0) {
            if (got == 0) close(fd);
            return false;
        }
        const ssize_t sent = peers::sendSome(fd, buffer_.data(), static_cast<std::size_t>(got));
        if (sent == got) [[likely]]
            return !fair_ && got == static_cast<ssize_t>(bufferBytes);
        if (sent == 0) {
            close(fd);
            return false;
        }
        const std::size_t taken = sent > 0 ? static_cast<std::size_t>(sent) : 0;
        unsent_[fd].assign(buffer_.data() + taken, static_cast<std::size_t>(got) - taken);
        watch(EPOLL_CTL_MOD, fd, EPOLLOUT);
        return false;
    }

    void flush(std::unordered_map<int, std::string>::iterator found) {
        const int fd = found->first;
        const ssize_t sent = peers::sendSome(fd, found->second.data(), found->second.size());
        if (sent == 0) return close(fd);
        if (sent < 0) return;
        found->second.erase(0, static_cast<std::size_t>(sent));
        if (!found->second.empty()) return;
        unsent_.erase(found);
        watch(EPOLL_CTL_MOD, fd, EPOLLIN);
    }

    void close(int fd) {
        unsent_.erase(fd);
        ::close(fd);
    }

    const int listener_;
    const int epoll_;
    const bool fair_ = peers::way() == "fair";
    std::array<char, bufferBytes> buffer_;
    std::unordered_map<int, std::string> unsent_;
};

}  // namespace

int main(int argc, char** argv) {
    return peers::run(argc, argv, [](int listener) { EpollLoop(listener).run(); });
}
