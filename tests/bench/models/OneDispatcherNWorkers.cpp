// One dispatcher, N workers: the Reactor.
//
// The dispatcher accepts, reads and writes, and does nothing else. What it has read becomes a task
// of its connection in an ActorThreadPool; a worker does the work and posts the answer back with
// invokeLater, since only the dispatcher may touch the connection. Work that blocks holds up one
// worker, not the dispatcher. The price: each message crosses two queues and wakes two threads, and
// all I/O goes through one thread.
//
// Source: BGU Reactor; ONJava article 2004, "1 dispatcher/N workers".
#include <nio/connection/StreamHandler.h>
#include <nio/net/Server.h>

#include "bench/models/ActorThreadPool.h"
#include "bench/models/Model.h"

namespace models {

namespace {

using StreamLimits = std::shared_ptr<const nio::StreamOptions>;

// The dispatcher's own. What the workers need of it goes into the task.
class Connection final : public nio::StreamHandler {
  public:
    Connection(nio::AcceptedConnection accepted, StreamLimits limits, const WorkOptions& work,
               ActorThreadPool& pool)
        : StreamHandler(std::move(accepted.channel), std::move(limits)),
          work_(std::make_shared<Work>(work)),
          pool_(pool) {
        keep(std::move(accepted.permit));
    }

    void answer(nio::ByteView bytes) NIO_REQUIRES(nio::onDispatcher) {
        send(bytes);
        owed_ -= bytes.size();
        if (owed_ < maxOwed / 2) resumeReading();
        if (owed_ == 0 && finished_) closeAfterFlush();
    }

  protected:
    void bytesArrived(nio::ByteView bytes) override NIO_REQUIRES(nio::onDispatcher) {
        owed_ += bytes.size();
        if (owed_ > maxOwed) pauseReading();
        const nio::ChannelHandle self = dispatcher().handleOf(channel());
        pool_.submit(actor_, [work = work_, self, request = nio::copyOf(bytes)] {
            work->onEach(request, [self](nio::ByteView piece) { postAnswer(self, piece); });
        });
    }

    // The workers may still have something of this client.
    void peerFinished() override NIO_REQUIRES(nio::onDispatcher) {
        finished_ = true;
        if (owed_ == 0) closeAfterFlush();
    }

  private:
    static constexpr std::size_t maxOwed = 256 * 1024;

    // On a worker. If the client is gone the answer is dropped, if the dispatcher has stopped it is
    // refused: either way nobody waits for it.
    static void postAnswer(nio::ChannelHandle to, nio::ByteView piece) {
        auto task = [bytes = nio::copyOf(piece)](nio::SelectorHandler& handler) {
            nio::onDispatcher.assertCurrent();
            static_cast<Connection&>(handler).answer(bytes);
        };
        (void)to.dispatcher()->invokeLater(to, std::move(task));
    }

    // Touched by the tasks of actor_ only, which run one at a time.
    const std::shared_ptr<Work> work_;
    const std::shared_ptr<ActorThreadPool::Actor> actor_ =
        std::make_shared<ActorThreadPool::Actor>();
    ActorThreadPool& pool_;
    std::size_t owed_ = 0;  // bytes read and not yet answered
    bool finished_ = false;
};

class OneDispatcherNWorkers final : public Model {
  public:
    explicit OneDispatcherNWorkers(const ModelOptions& options)
        : workers_(options.workers),
          pool_(options.workers),
          server_(options.serverOptions(1), makeConnections(options.work)) {}

    std::string address() const override { return server_.address().toString(); }
    std::string threads() override {
        return "dispatchers: 1, workers: " + std::to_string(workers_);
    }
    // No connection is left when run() returns, so that nobody submits; workers post until stop().
    void run() override {
        server_.run();
        pool_.stop();
    }

  private:
    nio::HandlerFactory makeConnections(const WorkOptions& work) {
        return [limits = std::make_shared<nio::StreamOptions>(), work,
                this](nio::AcceptedConnection accepted) {
            return std::make_unique<Connection>(std::move(accepted), limits, work, pool_);
        };
    }

    const std::size_t workers_;
    ActorThreadPool pool_;
    nio::Server server_;
};

}  // namespace

std::unique_ptr<Model> oneDispatcherNWorkers(const ModelOptions& options) {
    return std::make_unique<OneDispatcherNWorkers>(options);
}

}  // namespace models
