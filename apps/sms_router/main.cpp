#include <csignal>
#include <iostream>
#include <optional>

#include <nio/base/Log.h>
#include <nio/net/SignalHandler.h>
#include <nio/net/Takeover.h>
#include <nio/observe/FlightDump.h>
#include <nio/sys/LineSink.h>
#include <nio/sys/handover/Handover.h>
#include <nio/sys/refusal/Refusal.h>

#include "common/CommandLine.h"
#include "common/HeapTrimmer.h"
#include "common/ServerOptions.h"
#include "common/SinkStream.h"
#include "sms_router/app/Commands.h"
#include "sms_router/app/ExitDeadline.h"
#include "sms_router/app/RouterCore.h"

namespace {

constexpr const char* program = "sms-router";
constexpr int dumpSignal = SIGUSR2;  // SIGUSR1 reopens the file of records

void logLine(nio::LogLevel level, std::string_view line) {
    (void)nio::standardError().write({program, ": ", nio::toString(level), ": ", line, "\n"});
}

void sayReady(const router::RouterCore& core) {
    std::string addresses;
    for (const nio::SocketAddress& address : core.addresses()) {
        addresses += (addresses.empty() ? "" : ", ") + address.toString();
    }
    const std::size_t threads = core.threads();
    const char* noun = threads == 1 ? " dispatcher, " : " dispatchers, ";
    (void)nio::standardOutput().write({"sms-router listening on ", addresses, " (",
                                       std::to_string(threads), noun, core.selectorName(), ")\n"});
    if (const std::string url = core.httpUrl(); !url.empty()) {
        (void)nio::standardOutput().write({"sms-router takes HTTP at ", url, "/v1/messages\n"});
    }
    if (const auto admin = core.adminAddress()) {
        (void)nio::standardOutput().write(
            {"sms-router status page at http://", admin->toString(), "/\n"});
    }
}

void sayStopped(const router::DrainSummary& summary, const char* how = "") {
    (void)nio::standardOutput().write({"sms-router stopped: ", summary.toString(), how, "\n"});
}

router::ConfigReading read(const router::RouterOptions& options) {
    return router::readConfigFile(options.configFile, options.settings);
}

// Standard error is for people: without a file it has the line that names a stall, and no more of
// it.
void installFlightDump(const std::string& file) {
    nio::FlightDump::Options flight;
    flight.file = file;
    flight.onStall = !file.empty();
    flight.signal = dumpSignal;
    nio::FlightDump::install(flight);
}

// Until its predecessor has closed the store, which only one process may have open.
void awaitPredecessor(nio::Takeover& takeover, const router::RouterConfig& config) {
    if (!takeover.hasPredecessor()) return;
    nio::log(nio::LogLevel::info, "waits until the router before it has drained");
    takeover.relieve(config.router.drainTimeout + config.router.exitTimeout +
                     std::chrono::seconds(10));
}

int run(const router::RouterOptions& options, const router::SharedConfig& config) {
    std::vector<nio::UniqueFd> passed = nio::listenFds().orThrow();
    if (!passed.empty() && !options.takeover.empty()) {
        return apps::fail(program, "sockets were passed (LISTEN_FDS): --takeover must not be given",
                          apps::exitUsage);
    }
    std::optional<nio::Takeover> takeover;
    if (!options.takeover.empty()) takeover.emplace(options.takeover);
    const bool isSuccessor = takeover && takeover->hasPredecessor();
    router::ListeningSockets sockets = takeover ? router::ListeningSockets(*takeover)
                                                : router::ListeningSockets(std::move(passed));
    sockets.openAll(*config);
    nio::kernel::checkConnectCalls().orThrow();
    installFlightDump(options.flightFile);
    // Before any thread, and before the ready line: whoever reads it may send a signal at once.
    nio::SignalHandler::block({SIGINT, SIGTERM, SIGHUP, SIGUSR1}).orThrow();
    if (takeover) awaitPredecessor(*takeover, *config);
    // It goes after the core, and sees to it that the core goes.
    std::optional<router::ExitDeadline> exitDeadline;
    router::RouterCore core({options.configFile, [&options] { return read(options); }}, config,
                            std::move(sockets));
    const apps::HeapTrimmer trimmer({[&core] { return core.bufferedBytes(); }});
    const auto drained = [&](const router::DrainSummary& summary) {
        const auto tell = [summary] { sayStopped(summary, "; forced, since a thread hangs"); };
        exitDeadline.emplace(core.exitTimeout(), tell, apps::exitFailed);
    };
    const auto ready = [&] {
        // Before the ready line: its reader may start a successor at once.
        if (takeover) core.passOn(*takeover);
        sayReady(core);
        if (isSuccessor) (void)nio::standardOutput().write({"sms-router has taken over\n"});
    };
    sayStopped(core.run(ready, drained));
    return apps::exitOk;
}

int perform(const router::RouterOptions& options) {
    using Task = router::RouterOptions::Task;
    switch (options.task) {
        case Task::check: return router::checkConfig(options, std::cout, std::cerr);
        case Task::explain: return router::explainMessage(options, std::cout, std::cerr);
        case Task::hashPassword: return router::hashPasswordOfStandardInput();
        case Task::makeApiKey: return router::makeApiKey(std::cout);
        case Task::run: break;
    }
    if (const auto mistake = apps::flightFileMistake(options.flightFile)) {
        return apps::fail(program, *mistake, apps::exitUsage);
    }
    const router::ConfigReading reading = read(options);
    if (reading.config == nullptr) {
        router::writeFindings(options.configFile, reading, std::cerr);
        return apps::exitUsage;
    }
    apps::SinkStream warnings(nio::standardError());
    router::writeFindings(options.configFile, reading, warnings << std::unitbuf);
    return run(options, reading.config);
}

}  // namespace

int main(int argc, char** argv) {
    apps::prepareProcess(dumpSignal);
    nio::setLogger(logLine);
    int exitCode = apps::exitOk;
    const auto options = router::parseRouterOptions(argc, argv, exitCode);
    if (!options) return exitCode;
    try {
        return perform(*options);
    } catch (const std::exception& error) {
        return apps::fail(program, error.what(), apps::exitFailed);
    }
}
