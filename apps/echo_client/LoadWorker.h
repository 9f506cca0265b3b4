// One dispatcher's share of a load: its connections, and what they count.
//
// It goes through connecting, idle (all connections are there), sending, stopping (what is under
// way is awaited; who has all answers finishes) and closing.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: longer than its dispatcher.
#pragma once

#include <memory>
#include <vector>

#include "echo_client/Dialer.h"
#include "echo_client/LoadFigures.h"

namespace load {

class LoadConnection;

// Told on the worker's dispatcher.
class LoadWorkerListener {
  public:
    virtual ~LoadWorkerListener() = default;
    // All its connections are there, or failed.
    virtual void workerConnected(std::size_t made) = 0;
    // The answer to each reportNow(), measureNow() and stopNow(), and once at the end.
    virtual void workerReported(std::size_t worker, std::unique_ptr<LoadFigures> figures) = 0;
    // Its last connection is closed. Once.
    virtual void workerFinished() = 0;
};

class LoadWorker final : private DialerListener {
  public:
    LoadWorker(nio::SelectorThread& thread, const LoadPlan& plan, LoadWorkerListener& listener,
               std::size_t index, std::size_t workers);
    LoadWorker(const LoadWorker&) = delete;
    LoadWorker& operator=(const LoadWorker&) = delete;
    ~LoadWorker() override;

    nio::SelectorThread& thread() const { return thread_; }
    const LoadPlan& plan() const { return plan_; }

    void connectNow() NIO_REQUIRES(nio::onDispatcher);
    void sendNow() NIO_REQUIRES(nio::onDispatcher);
    // From here on it counts.
    void measureNow() NIO_REQUIRES(nio::onDispatcher);
    void reportNow() NIO_REQUIRES(nio::onDispatcher);
    void stopNow() NIO_REQUIRES(nio::onDispatcher);
    // What is not answered by now is an error.
    void giveUpNow() NIO_REQUIRES(nio::onDispatcher);

    // --- for its connections ----------------------------------------------------------------
    LoadFigures& figures() NIO_REQUIRES(nio::onDispatcher) { return *figures_; }
    bool isSending() const { return phase_ == Phase::sending; }
    bool isStopping() const { return phase_ == Phase::stopping; }
    void connectionOpened(LoadConnection& connection) NIO_REQUIRES(nio::onDispatcher);
    void connectionClosed(LoadConnection& connection) NIO_REQUIRES(nio::onDispatcher);

  private:
    enum class Phase { connecting, idle, sending, stopping, closing };

    void dialed(std::size_t connection, nio::SocketChannel channel,
                nio::Clock::duration took) override NIO_REQUIRES(nio::onDispatcher);
    void dialFailed(const nio::Error& error) override NIO_REQUIRES(nio::onDispatcher);
    void dialingOver() override NIO_REQUIRES(nio::onDispatcher);

    nio::Result<void> registerConnection(std::size_t connection, nio::SocketChannel channel)
        NIO_REQUIRES(nio::onDispatcher);
    void handFiguresOver() NIO_REQUIRES(nio::onDispatcher);
    void finishIfEmpty() NIO_REQUIRES(nio::onDispatcher);

    nio::SelectorThread& thread_;
    const LoadPlan& plan_;
    LoadWorkerListener& listener_;
    const std::size_t index_;
    Dialer dialer_;
    Phase phase_ = Phase::connecting;
    std::unique_ptr<LoadFigures> figures_ = std::make_unique<LoadFigures>();
    std::vector<LoadConnection*> open_;
    bool measuring_ = false;
    nio::TimePoint figuresSince_{};
    bool finished_ = false;
};

}  // namespace load
