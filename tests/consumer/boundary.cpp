// What goes to and fro between a program and the library: turns, exceptions, handlers of its own.
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include <nio/channel/SocketChannel.h>
#include <nio/loop/SelectorThread.h>
#include <sys/socket.h>

namespace {

int mistakes = 0;

void expect(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "boundary: not so: %s\n", what);
    ++mistakes;
}

class Thrower final : public nio::ReadWriteSelectorHandler {
  public:
    explicit Thrower(nio::UniqueFd fd) : channel_(std::move(fd)) {}

    nio::SelectableChannel& channel() override { return channel_; }
    void handleRegistered() override NIO_REQUIRES(nio::onDispatcher) {
        // One that is no MovableHandler.
        const auto moved = dispatcher().moves().moveNow(channel_, dispatcher());
        expect(!moved && moved.error().is(nio::Errc::notMovable), "it cannot be moved");
    }
    void handleRead() override NIO_REQUIRES(nio::onDispatcher) {
        throw std::runtime_error("from a callback");
    }
    void handleWrite() override NIO_REQUIRES(nio::onDispatcher) {}

  private:
    nio::SocketChannel channel_;
};

// A call in the wrong place is caught as what it is.
template <class Call>
bool isRefused(Call&& call) {
    try {
        call();
    } catch (const nio::WrongThreadError&) {
        return true;
    } catch (...) {
        return false;
    }
    return false;
}

}  // namespace

int main() {
    std::string failure;
    nio::SelectorThreadOptions options;
    options.onFailure = [&failure](const nio::Failure& heard) { failure = heard.toString(); };
    nio::SelectorThread dispatcher(std::move(options));
    expect(isRefused([] { nio::onDispatcher.assertCurrent(); }), "outside of a turn it is refused");
    try {
        nio::Error(nio::Errc::timedOut, "boundary").raise();
    } catch (const std::system_error& error) {
        expect(error.code() == make_error_code(nio::Errc::timedOut), "an error keeps its code");
    }

    int ends[2];
    expect(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0, "socketpair");
    nio::UniqueFd peer(ends[1]);
    auto handler = std::make_unique<Thrower>(nio::UniqueFd(ends[0]));
    expect(dispatcher.registerChannelLater(std::move(handler), nio::Interest::read).ok(),
           "registered");
    expect(::send(peer.get(), "x", 1, 0) == 1, "sent");
    bool current = false;
    expect(dispatcher.invokeLater([&] {
        try {
            nio::onDispatcher.assertCurrent();
            (void)dispatcher.memory();
            current = true;
        } catch (const nio::WrongThreadError&) {
        }
    }),
           "posted");
    for (int turns = 0; turns < 100 && failure.empty(); ++turns)
        dispatcher.turn(std::chrono::milliseconds(100));
    expect(current, "a task is in its dispatcher's turn");
    expect(failure.find("from a callback") != std::string::npos, "the failure was reported");
    // The dispatcher remembers the callback, and the handler's type, if it has one.
    std::FILE* const file = std::tmpfile();
    expect(file != nullptr, "a file");
    nio::FlightDump::writeTo(::fileno(file), "boundary");
    if (mistakes == 0) std::puts("boundary: fine");
    return mistakes == 0 ? 0 : 1;
}
