#include "smpp_bench/esme/RunEsme.h"

#include <csignal>
#include <iostream>

#include <nio/net/SignalHandler.h>

#include "common/CommandLine.h"
#include "smpp_bench/esme/EsmeRun.h"

namespace smppbench {

namespace {

class EsmeProgram {
  public:
    explicit EsmeProgram(const EsmeOptions& options)
        : run_(thread_, options, [this] { thread_.requestClose({.deadline = {}}); }) {}

    const EsmeRun& run() {
        (void)thread_.registerChannelLater(signals(), nio::Interest::read);
        (void)thread_.invokeLater([this] {
            nio::onDispatcher.assertCurrent();
            run_.start();
        });
        thread_.run();
        return run_;
    }

  private:
    std::unique_ptr<nio::SignalHandler> signals() {
        return nio::SignalHandler::open({SIGINT, SIGTERM},
                                        [this](int) {
                                            nio::onDispatcher.assertCurrent();
                                            run_.stop();
                                        })
            .orThrow();
    }

    nio::SelectorThread thread_;
    EsmeRun run_;
};

}  // namespace

int runEsme(const EsmeOptions& options) {
    nio::SignalHandler::block({SIGINT, SIGTERM}).orThrow();
    EsmeProgram program(options);
    const EsmeRun& run = program.run();
    const EsmeFigures& figures = run.figures();
    if (options.json) {
        std::cout << toJson(options, figures, run.receipts()) << std::endl;
    } else {
        std::cout << toText(options, figures, run.receipts()) << std::flush;
    }
    const bool ok = complaints(options, figures, run.receipts()).empty();
    return ok ? apps::exitOk : apps::exitFailed;
}

}  // namespace smppbench
