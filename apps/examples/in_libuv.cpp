// An echo server inside the loop of libuv, on one thread with all else there: in_libuv [ADDRESS]
#include <csignal>
#include <iostream>

#include <nio/nio.h>
#include <uv.h>

// Makes the turns of a dispatcher, one each time before the loop waits, until it has stopped.
class Turns {
  public:
    Turns(uv_loop_t* loop, nio::SelectorThread& dispatcher)
        : dispatcher_(dispatcher), hosted_(dispatcher) {
        uv_timer_init(loop, &timer_);
        uv_poll_init(loop, &poll_, hosted_.descriptor().orThrow());
        uv_poll_start(&poll_, UV_READABLE, [](uv_poll_t*, int, int) {});
        uv_prepare_init(loop, &prepare_);
        prepare_.data = this;
        uv_prepare_start(&prepare_, [](auto* self) { static_cast<Turns*>(self->data)->turn(); });
    }

  private:
    void turn() {
        if (!dispatcher_.turn(std::chrono::nanoseconds(0))) return uv_stop(prepare_.loop);
        uv_timer_stop(&timer_);
        const auto wait = hosted_.prepareToWait();
        if (!wait) return;
        const auto time = std::chrono::ceil<std::chrono::milliseconds>(*wait).count();
        constexpr auto wakeUp = [](uv_timer_t*) {};
        uv_timer_start(&timer_, wakeUp, static_cast<std::uint64_t>(time), 0);
    }

    nio::SelectorThread& dispatcher_;
    nio::HostedTurns hosted_;
    uv_prepare_t prepare_{};  // before the loop waits
    uv_timer_t timer_{};      // ends the wait when a turn is due
    uv_poll_t poll_{};        // ends the wait when there is something to do
};

int main(int count, char** words) try {
    nio::SelectorThreadGroup group({.threads = 1});
    auto address = nio::SocketAddress::parse(count > 1 ? words[1] : "127.0.0.1:7013").orThrow();
    auto echo = nio::pipeline(nio::lines(), [](auto& peer, std::string_view s) { peer.send(s); });
    auto dealer = std::make_unique<nio::ConnectionDealer>(group, std::move(echo));
    auto acceptor = nio::Acceptor::open(address, std::move(dealer)).orThrow();
    std::cout << "listening on " << acceptor->address().toString() << std::endl;
    group[0].registerChannelLater(std::move(acceptor), nio::Interest::accept).orThrow();

    const Turns turns(uv_default_loop(), group[0]);
    uv_signal_t signal{};
    uv_signal_init(uv_default_loop(), &signal);
    signal.data = &group;
    const auto drain = [](auto* self, int) {
        static_cast<nio::SelectorThreadGroup*>(self->data)->requestClose();
    };
    uv_signal_start(&signal, drain, SIGTERM);
    uv_run(uv_default_loop(), UV_RUN_DEFAULT);
} catch (const std::exception& error) {
    return std::cerr << "in_libuv: " << error.what() << '\n', 1;
}
