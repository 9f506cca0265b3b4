// Makes every n-th connection of a load, a bounded number of connects at once, so that no backlog
// is overrun, and no faster than the plan's connect rate.
//
// A backlog that is full all the same is waited for (a Unix-domain listener refuses at once then).
// Where the first connects all fail, the others are not tried.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: must be stopped, by stopNow() or by its end, before the dispatcher stops. Not destroyed
// in one of its callbacks.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "echo_client/load/DialLine.h"
#include "echo_client/load/LoadPlan.h"
#include "echo_client/plan/Share.h"

namespace load {

class DialerListener {
  public:
    virtual ~DialerListener() = default;
    // Register it with a handler, or let it go.
    virtual void dialed(std::size_t connection, nio::SocketChannel channel,
                        nio::Clock::duration took) NIO_REQUIRES(nio::onDispatcher) = 0;
    virtual void dialFailed(std::size_t connection, const nio::Error& error)
        NIO_REQUIRES(nio::onDispatcher) = 0;
    // The first connections are made or have failed, once. Later ones may follow, for
    // dialAgainNow().
    virtual void dialingOver() NIO_REQUIRES(nio::onDispatcher) = 0;
};

class Dialer final : private DialLineListener {
  public:
    Dialer(nio::SelectorThread& thread, const LoadPlan& plan, DialerListener& listener,
           Share share);
    Dialer(const Dialer&) = delete;
    Dialer& operator=(const Dialer&) = delete;

    // From one connect to the next; zero: none.
    nio::Clock::duration pace() const { return pace_; }

    void startNow() NIO_REQUIRES(nio::onDispatcher);
    // Makes one more, not before `pause` is over.
    void dialAgainNow(std::size_t connection, nio::Clock::duration pause)
        NIO_REQUIRES(nio::onDispatcher);
    // Gives up what is under way; dialingOver() does not follow.
    void stopNow() NIO_REQUIRES(nio::onDispatcher);

  private:
    bool isHopeless() const { return made_ == 0 && failed_ >= lines_.size(); }
    std::optional<std::size_t> take(nio::TimePoint now);
    std::optional<std::size_t> nextWish(nio::TimePoint now);
    void dialWhatMayBe() NIO_REQUIRES(nio::onDispatcher);
    void setAlarm() NIO_REQUIRES(nio::onDispatcher);
    void tellWhenOver() NIO_REQUIRES(nio::onDispatcher);
    void lineIsFree(DialLine& line) NIO_REQUIRES(nio::onDispatcher);
    void lineDialed(DialLine& line, nio::SocketChannel channel, nio::Clock::duration took) override
        NIO_REQUIRES(nio::onDispatcher);
    void lineFailed(DialLine& line, const nio::Error& error) override
        NIO_REQUIRES(nio::onDispatcher);

    nio::SelectorThread& thread_;
    const LoadPlan& plan_;
    DialerListener& listener_;
    const Share share_;
    const nio::Clock::duration pace_;
    nio::TimePoint paceTime_{};  // no connect before it
    std::size_t next_;
    std::multimap<nio::TimePoint, std::size_t> again_;  // by when, not before
    std::size_t made_ = 0;
    std::size_t failed_ = 0;
    bool over_ = false;
    std::vector<std::unique_ptr<DialLine>> lines_;
    std::vector<DialLine*> free_;
    nio::Deadline alarm_;
};

}  // namespace load
