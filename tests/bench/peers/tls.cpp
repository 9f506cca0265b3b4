// The least that an event loop can do with TLS: the loop of epoll.cpp, with OpenSSL between two
// memory BIOs of each connection. The way is a file with a certificate and its key (PEM). The TLS
// of echo-server is measured against it.
//
// What a socket does not take at once ends its connection: the bench never sends that much.
#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <unordered_map>

#include "PeerProgram.h"

namespace {

using peers::bufferBytes;

SSL_CTX* newContext() {
    SSL_CTX* const context = SSL_CTX_new(TLS_server_method());
    const char* const file = peers::way().c_str();
    if (SSL_CTX_use_certificate_chain_file(context, file) != 1) peers::fail(file);
    if (SSL_CTX_use_PrivateKey_file(context, file, SSL_FILETYPE_PEM) != 1) peers::fail(file);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    return context;
}

struct Connection {
    struct Free {
        void operator()(SSL* ssl) const { SSL_free(ssl); }
    };
    explicit Connection(SSL_CTX* context) : ssl(SSL_new(context)) {
        SSL_set_bio(ssl.get(), arrived, leaving);
        SSL_set_accept_state(ssl.get());
    }

    BIO* const arrived = BIO_new(BIO_s_mem());
    BIO* const leaving = BIO_new(BIO_s_mem());
    const std::unique_ptr<SSL, Free> ssl;
};

class TlsLoop {
  public:
    explicit TlsLoop(int listener) : listener_(listener), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
        if (epoll_ < 0) peers::fail("epoll_create1");
        watch(listener_);
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
    void watch(int fd) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = fd;
        (void)::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event);
    }

    void acceptAll() {
        for (int fd = 0; (fd = peers::acceptFrom(listener_)) >= 0;) {
            connections_.emplace(fd, context_);
            watch(fd);
        }
    }

    void ready(int fd) {
        if (serve(fd, connections_.at(fd))) return;
        connections_.erase(fd);
        ::close(fd);
    }

    bool serve(int fd, Connection& connection) {
        const ssize_t got = peers::receive(fd, buffer_.data(), bufferBytes);
        if (got <= 0) return got < 0;
        BIO_write(connection.arrived, buffer_.data(), static_cast<int>(got));
        SSL* const ssl = connection.ssl.get();
        int count = 0;
        while ((count = SSL_read(ssl, buffer_.data(), bufferBytes)) > 0) {
            if (SSL_write(ssl, buffer_.data(), count) != count) return false;
        }
        return SSL_get_error(ssl, count) == SSL_ERROR_WANT_READ && flush(fd, connection.leaving);
    }

    static bool flush(int fd, BIO* leaving) {
        char* bytes = nullptr;
        const long size = BIO_get_mem_data(leaving, &bytes);
        if (size == 0) return true;
        const bool isSent = peers::sendSome(fd, bytes, static_cast<std::size_t>(size)) == size;
        (void)BIO_reset(leaving);
        return isSent;
    }

    const int listener_;
    const int epoll_;
    SSL_CTX* const context_ = newContext();
    std::array<char, bufferBytes> buffer_;
    std::unordered_map<int, Connection> connections_;
};

}  // namespace

int main(int argc, char** argv) {
    return peers::run(argc, argv, [](int listener) { TlsLoop(listener).run(); });
}
