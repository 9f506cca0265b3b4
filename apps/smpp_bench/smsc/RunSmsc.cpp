#include "smpp_bench/smsc/RunSmsc.h"

#include <csignal>
#include <iostream>

#include <nio/net/SignalHandler.h>

#include "common/CommandLine.h"
#include "common/Endpoint.h"
#include "smpp_bench/smsc/Smsc.h"

namespace smppbench {

namespace {

class SmscProgram {
  public:
    explicit SmscProgram(const SmscOptions& options) : smsc_(thread_, options) {
        const auto address = apps::resolve({options.host, options.port, {}}).orThrow();
        acceptor_ = nio::Acceptor::open(address, smsc_.arrivals()).orThrow();
    }

    void run() {
        std::cout << "smsc listening on " + acceptor_->address().toString() << std::endl;
        (void)thread_.registerChannelLater(std::move(acceptor_), nio::Interest::accept);
        (void)thread_.registerChannelLater(signals(), nio::Interest::read);
        (void)thread_.invokeLater([this] {
            nio::onDispatcher.assertCurrent();
            smsc_.start();
        });
        thread_.run();
    }

  private:
    std::unique_ptr<nio::SignalHandler> signals() {
        return nio::SignalHandler::open({SIGINT, SIGTERM, SIGUSR1},
                                        [this](int signal) {
                                            std::cout << smsc_.report() << std::endl;
                                            if (signal != SIGUSR1)
                                                thread_.requestClose({.deadline = {}});
                                        })
            .orThrow();
    }

    nio::SelectorThread thread_;
    Smsc smsc_;
    std::unique_ptr<nio::Acceptor> acceptor_;  // until run()
};

}  // namespace

int runSmsc(const SmscOptions& options) {
    nio::SignalHandler::block({SIGINT, SIGTERM, SIGUSR1}).orThrow();
    SmscProgram(options).run();
    return apps::exitOk;
}

}  // namespace smppbench
