// M dispatchers, no workers: the library's own model.
//
// A connection stays with one dispatcher, which reads, does the work and writes. Nothing of it is
// ever touched by a second thread: no lock, no queue, no copy. The price: while the work of one
// client blocks, all other clients of that dispatcher wait.
//
// Source: ONJava article 2004, "The Working Solution".
#include <nio/connection/StreamHandler.h>
#include <nio/net/Server.h>

#include "bench/models/Model.h"

namespace models {

namespace {

using StreamLimits = std::shared_ptr<const nio::StreamOptions>;

class Connection final : public nio::StreamHandler {
  public:
    Connection(nio::AcceptedConnection accepted, StreamLimits limits, const WorkOptions& work)
        : StreamHandler(std::move(accepted.channel), std::move(limits)), work_(work) {
        keep(std::move(accepted.permit));
    }

  protected:
    void bytesArrived(nio::ByteView bytes) override NIO_REQUIRES(nio::onDispatcher) {
        work_.onEach(bytes, [this](nio::ByteView piece) {
            nio::onDispatcher.assertCurrent();
            sendThrough(piece);
        });
    }

  private:
    Work work_;
};

class MDispatchersNoWorkers final : public Model {
  public:
    explicit MDispatchersNoWorkers(const ModelOptions& options)
        : server_(options.serverOptions(options.dispatchers), makeConnections(options.work)) {}

    std::string address() const override { return server_.address().toString(); }
    std::string threads() override {
        return "dispatchers: " + std::to_string(server_.group().size());
    }
    void run() override { server_.run(); }

  private:
    static nio::HandlerFactory makeConnections(const WorkOptions& work) {
        return [limits = std::make_shared<nio::StreamOptions>(),
                work](nio::AcceptedConnection accepted) {
            return std::make_unique<Connection>(std::move(accepted), limits, work);
        };
    }

    nio::Server server_;
};

}  // namespace

std::unique_ptr<Model> mDispatchersNoWorkers(const ModelOptions& options) {
    return std::make_unique<MDispatchersNoWorkers>(options);
}

}  // namespace models
