// Makes every n-th connection of a misbehaviour, several at once, one after the other on each line.
//
// A backlog that is full is waited for (a Unix-domain listener refuses at once then). Where the
// first connects all fail, the others are not tried.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: must be stopped before the dispatcher is destroyed. Not destroyed in one of its
// callbacks.
#pragma once

#include <memory>
#include <vector>

#include "echo_client/load/DialLine.h"
#include "echo_client/misbehave/MisbehaviourPlan.h"

namespace load {

class BadDialerListener {
  public:
    virtual ~BadDialerListener() = default;
    // Register it with a handler, or let it go.
    virtual void dialed(std::size_t connection, nio::SocketChannel channel,
                        nio::Clock::duration took) NIO_REQUIRES(nio::onDispatcher) = 0;
    virtual void dialFailed(const nio::Error& error) NIO_REQUIRES(nio::onDispatcher) = 0;
    // No connect is under way any more, and none will be.
    virtual void dialingOver() NIO_REQUIRES(nio::onDispatcher) = 0;
};

class BadDialer final : private DialLineListener {
  public:
    BadDialer(nio::SelectorThread& thread, const MisbehaviourPlan& plan,
              BadDialerListener& listener, Share share);
    BadDialer(const BadDialer&) = delete;
    BadDialer& operator=(const BadDialer&) = delete;

    void startNow() NIO_REQUIRES(nio::onDispatcher);
    // Gives up what is under way; dialingOver() does not follow.
    void stopNow() NIO_REQUIRES(nio::onDispatcher);

  private:
    std::optional<std::size_t> take() NIO_REQUIRES(nio::onDispatcher);
    void dialNext(DialLine& line) NIO_REQUIRES(nio::onDispatcher);
    void lineDialed(DialLine& line, nio::SocketChannel channel, nio::Clock::duration took) override
        NIO_REQUIRES(nio::onDispatcher);
    void lineFailed(DialLine& line, const nio::Error& error) override
        NIO_REQUIRES(nio::onDispatcher);

    nio::SelectorThread& thread_;
    const MisbehaviourPlan& plan_;
    BadDialerListener& listener_;
    const Share share_;
    std::size_t left_;  // to be dialed
    std::size_t taken_ = 0;
    std::size_t made_ = 0;
    std::size_t failed_ = 0;
    std::size_t busyLines_ = 0;
    std::vector<std::unique_ptr<DialLine>> lines_;
};

}  // namespace load
