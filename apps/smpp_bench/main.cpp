#include <csignal>
#include <iostream>

#include <nio/net/SignalHandler.h>
#include <nio/sys/LineSink.h>

#include "common/CommandLine.h"
#include "common/Endpoint.h"
#include "smpp_bench/esme/EsmeRun.h"
#include "smpp_bench/smsc/Smsc.h"

namespace smppbench {

namespace {

constexpr const char* purpose =
    "Tests an SMSC or an SMPP gateway: ESMEs that send messages and check every\n"
    "answer and receipt, and an SMSC that a gateway can connect to.";

constexpr const char* examples =
    "\nsmpp-bench SUBCOMMAND --help lists the options of a subcommand.\n"
    "\nExamples:\n"
    "  smpp-bench esme --host smsc.example.org --system-id me --password secret \\\n"
    "      --messages 1 --show\n"
    "  smpp-bench esme --port 2775 --binds 10 --window 100 --duration 30s \\\n"
    "      --registered\n"
    "  smpp-bench esme --port 2775 --rate 500 --duration 1m --json\n"
    "  smpp-bench smsc --port 2776 --any-account\n"
    "  smpp-bench smsc --port 2776 --latency 20ms --throttle-above 100 --id-form hex";

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

// Exit 0 only if all is as it should be. SIGTERM or SIGINT ends the sending, a second one the run,
// and any one the wait for a reader of the report.
int runEsme(const EsmeOptions& options) {
    nio::SignalHandler::block({SIGINT, SIGTERM}).orThrow();
    EsmeProgram program(options);
    const EsmeRun& run = program.run();
    const EsmeFigures& figures = run.figures();
    apps::letSignalsEndProcess();
    if (options.json) {
        std::cout << toJson(options, figures, run.receipts()) << std::endl;
    } else {
        std::cout << toText(options, figures, run.receipts()) << std::flush;
    }
    if (!std::cout) throw std::runtime_error("cannot write the report");
    const bool ok = complaints(options, figures, run.receipts()).empty();
    return ok ? apps::exitOk : apps::exitFailed;
}

class SmscProgram {
  public:
    explicit SmscProgram(const SmscOptions& options) : smsc_(thread_, options) {
        const auto address = apps::resolve({options.host, options.port, {}}).orThrow();
        const nio::AcceptorOptions accepting{.listen = {.keepAlive = options.keepAlive}};
        acceptor_ = nio::Acceptor::open(address, smsc_.arrivals(), accepting).orThrow();
    }

    void run() {
        (void)nio::standardOutput().write(
            {"smsc listening on ", acceptor_->address().toString(), "\n"});
        (void)thread_.registerChannelLater(std::move(acceptor_), nio::Interest::accept);
        (void)thread_.registerChannelLater(signals(), nio::Interest::read);
        (void)thread_.invokeLater([this] {
            nio::onDispatcher.assertCurrent();
            smsc_.start();
        });
        thread_.run();
        (void)nio::standardOutput().writeAtEnd({lastReport_, "\n"});
    }

  private:
    std::unique_ptr<nio::SignalHandler> signals() {
        return nio::SignalHandler::open({SIGINT, SIGTERM, SIGUSR1},
                                        [this](int signal) {
                                            lastReport_ = smsc_.report();
                                            if (signal != SIGUSR1)
                                                return thread_.requestClose({.deadline = {}});
                                            (void)nio::standardOutput().write({lastReport_, "\n"});
                                        })
            .orThrow();
    }

    nio::SelectorThread thread_;
    Smsc smsc_;
    std::string lastReport_;
    std::unique_ptr<nio::Acceptor> acceptor_;  // until run()
};

// Until SIGTERM or SIGINT; SIGUSR1 asks for the report meanwhile.
int runSmsc(const SmscOptions& options) {
    nio::SignalHandler::block({SIGINT, SIGTERM, SIGUSR1}).orThrow();
    SmscProgram(options).run();
    return apps::exitOk;
}

}  // namespace

}  // namespace smppbench

int main(int argc, char** argv) {
    apps::prepareProcess();
    CLI::App app(smppbench::purpose, "smpp-bench");
    apps::addVersion(app, "smpp-bench");
    app.require_subcommand(0, 1);  // none is checked below: an unknown one is named first
    smppbench::SmscOptions smscOptions;
    smppbench::EsmeOptions esmeOptions;
    const CLI::App* smsc = smppbench::addSmsc(app, smscOptions);
    smppbench::addEsme(app, esmeOptions);
    app.footer(smppbench::examples);  // last: subcommands inherit it
    if (const std::optional<int> over = apps::parse(app, argc, argv)) return *over;
    if (app.get_subcommands().empty()) {
        return apps::fail("smpp-bench", "a subcommand is required: esme or smsc (see --help)",
                          apps::exitUsage);
    }
    try {
        return smsc->parsed() ? smppbench::runSmsc(smscOptions) : smppbench::runEsme(esmeOptions);
    } catch (const std::exception& error) {
        return apps::fail("smpp-bench", error.what(), apps::exitFailed);
    }
}
