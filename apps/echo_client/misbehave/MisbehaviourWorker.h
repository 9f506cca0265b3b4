// One dispatcher's share of a misbehaviour.
//
// Thread: the dispatcher's own, except construction and destruction (once the dispatcher has
// stopped, or before it ran).
// Lifetime: longer than its connections.
#pragma once

#include <memory>
#include <vector>

#include "echo_client/misbehave/BadConnection.h"
#include "echo_client/misbehave/BadDialer.h"
#include "echo_client/misbehave/EndWatch.h"
#include "echo_client/misbehave/MisbehaviourFigures.h"
#include "echo_client/misbehave/MisbehaviourPlan.h"

namespace load {

// Told on the worker's dispatcher.
class MisbehaviourWorkerListener {
  public:
    virtual ~MisbehaviourWorkerListener() = default;
    // The answer to each reportNow(), and unasked once at the end.
    virtual void workerReported(std::unique_ptr<MisbehaviourFigures> figures) = 0;
    // All its connects are made or have failed. At most once.
    virtual void workerConnected() = 0;
    // All connections that it will ever have are over. Once.
    virtual void workerFinished() = 0;
};

class MisbehaviourWorker final : private BadDialerListener {
  public:
    MisbehaviourWorker(nio::SelectorThread& thread, const MisbehaviourPlan& plan,
                       MisbehaviourWorkerListener& listener, std::size_t index,
                       std::size_t workers);

    void startNow() NIO_REQUIRES(nio::onDispatcher);
    // The time is over: each connection ends in its own way.
    void stopNow() NIO_REQUIRES(nio::onDispatcher);
    // What has not ended by now is reset.
    void giveUpNow() NIO_REQUIRES(nio::onDispatcher);
    void reportNow() NIO_REQUIRES(nio::onDispatcher);

    // For its connections.
    void connectionOpened(BadConnection& connection) NIO_REQUIRES(nio::onDispatcher);
    void connectionClosed(BadConnection& connection) NIO_REQUIRES(nio::onDispatcher);
    MisbehaviourFigures& figures() { return *figures_; }
    const MisbehaviourPlan& plan() const { return plan_; }
    nio::SelectorThread& thread() const { return thread_; }

  private:
    void dialed(std::size_t connection, nio::SocketChannel channel,
                nio::Clock::duration took) override NIO_REQUIRES(nio::onDispatcher);
    void dialFailed(const nio::Error& error) override NIO_REQUIRES(nio::onDispatcher);
    void dialingOver() override NIO_REQUIRES(nio::onDispatcher);
    void finishIfEmpty() NIO_REQUIRES(nio::onDispatcher);

    nio::SelectorThread& thread_;
    const MisbehaviourPlan& plan_;
    MisbehaviourWorkerListener& listener_;
    BadDialer dialer_;
    std::vector<BadConnection*> open_;
    EndWatch watch_;
    std::unique_ptr<MisbehaviourFigures> figures_ = std::make_unique<MisbehaviourFigures>();
    bool dialing_ = true;
    bool stopping_ = false;
    bool finished_ = false;
};

}  // namespace load
