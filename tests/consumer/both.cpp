// A program that uses an Asio of its own, with other options than the library's, and our timers.
#define ASIO_STANDALONE
#define ASIO_DISABLE_EPOLL
#define ASIO_DISABLE_TIMERFD
#if !defined(__GXX_RTTI)
#define ASIO_NO_TYPEID
#endif
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <system_error>
#include <thread>

#include <nio/loop/SelectorThread.h>
#include <nio/timers/Timers.h>

using std::chrono::milliseconds;

int main() {
    constexpr int enough = 10;
    asio::io_context context;
    asio::steady_timer timer(context);
    int theirs = 0;
    std::function<void()> again = [&] {
        timer.expires_after(milliseconds(1));
        timer.async_wait([&](const std::error_code& error) {
            if (!error && ++theirs < enough) again();
        });
    };
    again();
    std::thread other([&] { context.run(); });

    nio::SelectorThread dispatcher;
    nio::Timers timers;
    int ours = 0;
    nio::Timer every = timers.every(milliseconds(1), dispatcher, [&] {
        if (++ours == enough) dispatcher.requestClose();
    });
    dispatcher.run();
    every.cancel();
    other.join();
    std::printf("both: %d and %d\n", theirs, ours);
}
