// Asio without Boost: a context for each thread, a shared session for each connection, a read and
// then a whole write.
#include <array>
#include <asio.hpp>
#include <memory>

#include "PeerProgram.h"

namespace {

using asio::ip::tcp;

class Session : public std::enable_shared_from_this<Session> {
  public:
    explicit Session(tcp::socket socket) : socket_(std::move(socket)) {}

    void read() {
        socket_.async_read_some(
            asio::buffer(buffer_),
            [self = shared_from_this()](const std::error_code& error, std::size_t size) {
                if (!error) self->write(size);
            });
    }

  private:
    void write(std::size_t size) {
        asio::async_write(socket_, asio::buffer(buffer_, size),
                          [self = shared_from_this()](const std::error_code& error, std::size_t) {
                              if (!error) self->read();
                          });
    }

    tcp::socket socket_;
    std::array<char, peers::bufferBytes> buffer_;
};

void acceptNext(tcp::acceptor& acceptor) {
    acceptor.async_accept([&acceptor](const std::error_code& error, tcp::socket socket) {
        if (!error) {
            std::error_code refused;
            socket.set_option(tcp::no_delay(true), refused);
            // Not make_shared, which would clear the buffer.
            std::shared_ptr<Session>(new Session(std::move(socket)))->read();
        }
        acceptNext(acceptor);
    });
}

void serve(int listener) {
    asio::io_context context(1);
    tcp::acceptor acceptor(context, tcp::v4(), listener);
    acceptNext(acceptor);
    context.run();
}

}  // namespace

int main(int argc, char** argv) {
    return peers::run(argc, argv, serve);
}
