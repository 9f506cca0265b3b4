// A thread for each client: blocking sockets, the simplest code of all.
//
// One thread accepts, and starts a thread for each client, which reads, does the work and writes
// until that client has gone. Work that blocks holds up nobody else. The price: a stack and a
// kernel thread for each client, also for one that says nothing, and a switch between threads for
// each message. When the system gives no more threads, further clients are turned away.
//
// Source: BGU Reactor, what it starts from (BaseServer with a thread per client).
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <iostream>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include <nio/sys/UniqueFd.h>

#include "bench/models/Model.h"

namespace models {

namespace {

void check(bool ok, const char* call) {
    if (!ok) throw std::system_error(errno, std::generic_category(), call);
}

// std::thread cannot be told; what it takes when not told can be set.
void setStackOfThreads(std::size_t bytes) {
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setstacksize(&attributes, bytes);
    ::pthread_setattr_default_np(&attributes);
    ::pthread_attr_destroy(&attributes);
}

sigset_t endSignals() {
    sigset_t signals;
    ::sigemptyset(&signals);
    ::sigaddset(&signals, SIGINT);
    ::sigaddset(&signals, SIGTERM);
    return signals;
}

nio::UniqueFd listenOn(std::uint16_t port) {
    nio::UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    check(static_cast<bool>(listener), "socket");
    const int on = 1;
    ::setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto* plain = reinterpret_cast<const sockaddr*>(&address);
    check(::bind(listener.get(), plain, sizeof address) == 0, "bind");
    check(::listen(listener.get(), 4096) == 0, "listen");
    return listener;
}

bool sendAll(int fd, nio::ByteView bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return false;
        bytes = bytes.subspan(static_cast<std::size_t>(sent));
    }
    return true;
}

// The whole life of a client.
void echo(int fd, const WorkOptions& options) {
    Work work(options);
    std::array<nio::Byte, 16 * 1024> buffer;
    for (bool goesOn = true; goesOn;) {
        const ssize_t count = ::recv(fd, buffer.data(), buffer.size(), 0);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return;
        work.onEach({buffer.data(), static_cast<std::size_t>(count)},
                    [&](nio::ByteView piece) { goesOn = goesOn && sendAll(fd, piece); });
    }
}

class ThreadPerClient final : public Model {
  public:
    explicit ThreadPerClient(const ModelOptions& options)
        : options_(options), listener_(listenOn(options.port)) {
        setStackOfThreads(options.stackKib * 1024);
        // In all threads: sigwait() does not return for a signal that a handler has taken.
        const sigset_t ends = endSignals();
        ::pthread_sigmask(SIG_BLOCK, &ends, nullptr);
    }

    std::string address() const override {
        sockaddr_in address{};
        socklen_t size = sizeof address;
        ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
        return "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    }
    std::string threads() override {
        return "a thread per client, stack: " + std::to_string(options_.stackKib) + " KiB";
    }

    void run() override {
        std::thread acceptor([this] { acceptAll(); });
        const sigset_t ends = endSignals();
        int number = 0;
        ::sigwait(&ends, &number);
        stopAccepting();
        acceptor.join();
        endAll();
    }

  private:
    struct Client {
        nio::UniqueFd fd;
        std::thread thread{};
    };
    using Clients = std::list<Client>;

    void acceptAll() {
        for (;;) {
            nio::UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            if (fd) {
                welcome(std::move(fd));
            } else if (errno == EMFILE || errno == ENFILE) {
                if (!waitForAnEnd(errno)) return;
            } else if (errno != EINTR && errno != ECONNABORTED) {
                return;  // stopAccepting()
            }
            bury();
        }
    }

    void welcome(nio::UniqueFd fd) {
        const int on = 1;
        ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        const std::lock_guard lock(mutex_);
        clients_.push_front({std::move(fd)});
        const Clients::iterator self = clients_.begin();
        try {
            self->thread = std::thread([this, self] { serve(self); });
        } catch (const std::system_error& error) {
            clients_.pop_front();
            complain("no thread", error.code().value());
        }
    }

    // On the client's thread.
    void serve(Clients::iterator self) {
        echo(self->fd.get(), options_.work);
        const std::lock_guard lock(mutex_);
        self->fd.reset();
        gone_.splice(gone_.end(), clients_, self);
        changed_.notify_all();
    }

    // Once: the rest would be the same line again. Under the lock.
    void complain(const char* what, int reason) {
        if (std::exchange(complained_, true)) return;
        std::cerr << "model-server: " + std::string(what) + " for client " +
                         std::to_string(clients_.size() + 1) + ": " +
                         std::generic_category().message(reason) + "\n";
    }

    // No descriptor is left until a client has gone. False: stopAccepting() came first.
    bool waitForAnEnd(int reason) {
        std::unique_lock lock(mutex_);
        complain("no descriptor", reason);
        changed_.wait(lock, [this] { return stopping_ || !gone_.empty(); });
        return !stopping_;
    }

    // The threads of clients that have gone.
    void bury() {
        Clients gone;
        {
            const std::lock_guard lock(mutex_);
            gone.swap(gone_);
        }
        for (Client& client : gone) client.thread.join();
    }

    // A blocked accept() returns.
    void stopAccepting() {
        {
            const std::lock_guard lock(mutex_);
            stopping_ = true;
        }
        changed_.notify_all();
        ::shutdown(listener_.get(), SHUT_RDWR);
    }

    // A blocked recv() returns with the end of the stream.
    void endAll() {
        {
            std::unique_lock lock(mutex_);
            for (Client& client : clients_) ::shutdown(client.fd.get(), SHUT_RDWR);
            changed_.wait(lock, [this] { return clients_.empty(); });
        }
        bury();
    }

    const ModelOptions options_;
    const nio::UniqueFd listener_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool complained_ = false;
    bool stopping_ = false;
    Clients clients_;  // served
    Clients gone_;     // their threads have ended, or are about to
};

}  // namespace

std::unique_ptr<Model> threadPerClient(const ModelOptions& options) {
    return std::make_unique<ThreadPerClient>(options);
}

}  // namespace models
