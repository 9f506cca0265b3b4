// Makes every n-th connection of a load, a bounded number of connects at once, so that no backlog
// is overrun.
//
// A backlog that is full all the same is waited for (a Unix-domain listener refuses at once then).
// Where the first connects all fail, the others are not tried.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: must be stopped, by stopNow() or by its end, before the dispatcher stops. Not destroyed
// in one of its callbacks.
#pragma once

#include <memory>
#include <vector>

#include <nio/handlers/Connector.h>

#include "echo_client/LoadPlan.h"

namespace load {

class DialerListener {
  public:
    virtual ~DialerListener() = default;
    // Register it with a handler, or let it go.
    virtual void dialed(std::size_t connection, nio::SocketChannel channel,
                        nio::Clock::duration took) NIO_REQUIRES(nio::onDispatcher) = 0;
    virtual void dialFailed(const nio::Error& error) NIO_REQUIRES(nio::onDispatcher) = 0;
    // No connect is under way any more, and none will be.
    virtual void dialingOver() NIO_REQUIRES(nio::onDispatcher) = 0;
};

class Dialer {
  public:
    static constexpr std::size_t connectsAtOnce = 256;

    // The connections first, first + step, first + 2 * step, …
    Dialer(nio::SelectorThread& thread, const LoadPlan& plan, DialerListener& listener,
           std::size_t first, std::size_t step);
    Dialer(const Dialer&) = delete;
    Dialer& operator=(const Dialer&) = delete;
    ~Dialer();

    void startNow() NIO_REQUIRES(nio::onDispatcher);
    // Gives up what is under way; dialingOver() does not follow.
    void stopNow() NIO_REQUIRES(nio::onDispatcher);

  private:
    class Line;

    std::optional<std::size_t> take();
    void made(std::size_t connection, nio::SocketChannel channel, nio::Clock::duration took)
        NIO_REQUIRES(nio::onDispatcher);
    void failed(const nio::Error& error) NIO_REQUIRES(nio::onDispatcher);
    void lineIsIdle() NIO_REQUIRES(nio::onDispatcher);

    nio::SelectorThread& thread_;
    const LoadPlan& plan_;
    DialerListener& listener_;
    const std::size_t step_;
    std::size_t next_;
    std::size_t made_ = 0;
    std::size_t failed_ = 0;
    std::size_t busyLines_ = 0;
    std::vector<std::unique_ptr<Line>> lines_;
};

}  // namespace load
