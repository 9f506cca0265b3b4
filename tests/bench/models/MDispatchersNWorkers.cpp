// M dispatchers, N workers: the article's first attempt, which failed. It let workers touch
// selectors, keys and channels, and broke now and then in select(); here they do not, and it works.
//
// A connection stays with one dispatcher, which reads and writes. Each piece that it has read goes
// to any worker; meanwhile the connection reads nothing (the article's state "processing"), which
// keeps its order without an actor. The worker posts the answer back with invokeLater. The price:
// the two crossings of the Reactor, and all the threads of both designs.
//
// Source: ONJava article 2004, "The Complex Solution".
#include <nio/connection/StreamHandler.h>
#include <nio/net/Server.h>

#include "bench/models/Model.h"
#include "bench/models/WorkerPool.h"

namespace models {

namespace {

using StreamLimits = std::shared_ptr<const nio::StreamOptions>;

// The dispatcher's own. What the workers need of it goes into the task.
class Connection final : public nio::StreamHandler {
  public:
    Connection(nio::AcceptedConnection accepted, StreamLimits limits, const WorkOptions& work,
               WorkerPool& pool)
        : StreamHandler(std::move(accepted.channel), std::move(limits)),
          work_(std::make_shared<Work>(work)),
          pool_(pool) {
        keep(std::move(accepted.permit));
    }

    void answer(nio::ByteView bytes) NIO_REQUIRES(nio::onDispatcher) {
        send(bytes);
        owed_ -= bytes.size();
        if (owed_ == 0) resumeReading();
    }

  protected:
    // Not called again, nor peerFinished(), before resumeReading().
    void bytesArrived(nio::ByteView bytes) override NIO_REQUIRES(nio::onDispatcher) {
        pauseReading();
        owed_ = bytes.size();
        const nio::ChannelHandle self = dispatcher().handleOf(channel());
        pool_.submit([work = work_, self, request = nio::copyOf(bytes)] {
            work->onEach(request, [self](nio::ByteView piece) { postAnswer(self, piece); });
        });
    }

  private:
    // On a worker. If the client is gone the answer is dropped, if the dispatcher has stopped it is
    // refused: either way nobody waits for it.
    static void postAnswer(nio::ChannelHandle to, nio::ByteView piece) {
        auto task = [bytes = nio::copyOf(piece)](nio::SelectorHandler& handler) {
            nio::onDispatcher.assertCurrent();
            static_cast<Connection&>(handler).answer(bytes);
        };
        (void)to.dispatcher()->invokeLater(to, std::move(task));
    }

    // With the one task that is under way, or with nobody.
    const std::shared_ptr<Work> work_;
    WorkerPool& pool_;
    std::size_t owed_ = 0;  // bytes read and not yet answered
};

class MDispatchersNWorkers final : public Model {
  public:
    explicit MDispatchersNWorkers(const ModelOptions& options)
        : workers_(options.workers),
          pool_(options.workers),
          server_(options.serverOptions(options.dispatchers), makeConnections(options.work)) {}

    std::string address() const override { return server_.address().toString(); }
    std::string threads() override {
        return "dispatchers: " + std::to_string(server_.group().size()) +
               ", workers: " + std::to_string(workers_);
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
    WorkerPool pool_;
    nio::Server server_;
};

}  // namespace

std::unique_ptr<Model> mDispatchersNWorkers(const ModelOptions& options) {
    return std::make_unique<MDispatchersNWorkers>(options);
}

}  // namespace models
