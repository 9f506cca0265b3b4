// Simulation::run of nio-load-simulation: the load generator of echo-client as it is, with all its
// dispatchers, against a server that treats connections as it likes.
#include <nio/base/Log.h>

#include "echo_client/load/LoadGenerator.h"
#include "echo_client/load/LocalCrew.h"
#include "simulation/Simulation.h"
#include "simulation/load/ServerPeer.h"
#include "simulation/load/SlotWatch.h"

namespace simulation {

namespace {

class LoadRun {
  public:
    LoadRun(std::uint64_t seed, const std::optional<FaultSet>& only, bool prints)
        : scenario_(LoadScenario::drawn(seed)),
          journal_(prints),
          faults_(seed ^ 0x5eed, only),
          machine_(seed ^ 0xc0de, scenario_.limits, faults_, journal_),
          scheduler_(machine_, {seed, scenario_.calmAt, scenario_.stepsWhileAsleepPerMille, 0}),
          server_(scenario_, machine_),
          watch_(scenario_, server_.listener(), scheduler_) {
        for (std::size_t kind = 0; kind < faultKinds; ++kind) {
            faults_.setRate(static_cast<Fault>(kind), scenario_.faultsPerMille[kind]);
        }
        scheduler_.add(server_);
        scheduler_.setBeforeStep([this] { watch_.look(); });
    }

    Outcome runToEnd() {
        const nio::TimePoint began = machine_.now();
        check(load());
        checkTime(machine_.now() - began);
        const std::size_t left = machine_.openDescriptors();
        if (left > 0) journal_.fail(std::to_string(left) + " descriptors are left");
        return {journal_.failure(), faults_.struck(), journal_.fingerprint(), scheduler_.steps()};
    }

  private:
    load::LoadResult load() {
        const load::LoadPlan plan(scenario_.options, LoadScenario::server());
        load::LocalCrew crew(plan);
        return load::LoadGenerator(plan, crew, {&watch_}).run();
    }

    void check(const load::LoadResult& result) {
        const load::LoadFigures& total = result.total;
        checkDials(total);
        checkMessages(total);
        const bool isRenewed = options().renewsConnections() && total.connect.count() > 0;
        const bool lastsAsLongAsAsked = isRenewed && options().messages == 0;
        if (lastsAsLongAsAsked && result.measured != options().duration)
            journal_.fail("ended too early");
        if (total.stoodStill < watch_.suspension()) journal_.fail("a suspension was not told");
        if (scenario_.isCalm() && total.errors.total() > 0) {
            journal_.fail("errors of a server that has made none: " + total.errors.toString());
        }
    }

    // Each dial is made or has failed, but for those that the end of the load has given up.
    void checkDials(const load::LoadFigures& total) {
        const std::size_t ended =
            total.connect.count() + total.errors.connectsFailed() + total.reconnectsFailed;
        const std::size_t dials = machine_.sockets();
        // A dial may fail before it opens a socket: when it came too late for that.
        const bool isTooMany = ended > dials && !scheduler_.clockHasJumped();
        if (isTooMany || (ended < dials && dials - ended > options().connections)) {
            journal_.fail(std::to_string(dials) + " dials, of which " + std::to_string(ended) +
                          " are counted");
        }
    }

    void checkMessages(const load::LoadFigures& total) {
        const std::size_t size = options().size.largest();
        if (total.answered > total.sent) journal_.fail("more answers than messages");
        if (options().messages > 0 && total.sent > options().messages)
            journal_.fail("more messages than asked for");
        if (total.answeredBytes != total.answered * size) journal_.fail("octets do not add up");
        const std::size_t measured = total.latency.count() + total.outside.count();
        if (measured != total.answered) journal_.fail("latencies do not add up");
        if (total.errors.wrongAnswers() > 0) journal_.fail("answers that are called wrong");
        if (scenario_.isCalm() && total.answered != total.sent)
            journal_.fail("answers are missing");
    }

    void checkTime(nio::Clock::duration took) {
        const nio::Clock::duration most = options().connectTimeout + options().loadTime() +
                                          options().answerTimeout + std::chrono::seconds(10);
        const double paced =
            options().connectRate > 0
                ? static_cast<double>(options().connections) / options().connectRate
                : 0;
        const std::chrono::duration<double> all = most + std::chrono::duration<double>(paced);
        if (took > all && !scheduler_.clockHasJumped()) journal_.fail("took too long");
    }

    const load::LoadOptions& options() const { return scenario_.options; }

    const LoadScenario scenario_;
    Journal journal_;
    Faults faults_;
    Machine machine_;
    Scheduler scheduler_;
    ServerPeer server_;
    SlotWatch watch_;
};

}  // namespace

const char* const Simulation::subject =
    "the load generator of echo-client, against servers of all kinds, on a simulated kernel";

Outcome Simulation::run(std::uint64_t seed, const std::optional<FaultSet>& only, bool prints) {
    nio::setLogger([prints](nio::LogLevel, std::string_view line) {
        if (prints) std::fprintf(stderr, "log: %.*s\n", static_cast<int>(line.size()), line.data());
    });
    return LoadRun(seed, only, prints).runToEnd();
}

}  // namespace simulation
