// Simulation::run of nio-router-simulation: sms-router as it is, without its main().
#include <nio/base/Log.h>

#include "simulation/Simulation.h"
#include "simulation/router/AdminPeer.h"
#include "simulation/router/EsmePeer.h"
#include "simulation/router/HookPeer.h"
#include "simulation/router/HttpPeer.h"
#include "simulation/router/ReceiverPeer.h"
#include "simulation/router/SmscPeer.h"
#include "sms_router/app/RouterCore.h"

namespace simulation {

namespace {

class RouterRun {
  public:
    RouterRun(std::uint64_t seed, const std::optional<FaultSet>& only, bool prints)
        : scenario_(RouterScenario::drawn(seed)),
          journal_(prints),
          faults_(seed ^ 0x5eed, only),
          machine_(seed ^ 0xc0de, scenario_.limits, faults_, journal_),
          scheduler_(machine_, {seed, scenario_.calmAt, scenario_.stepsWhileAsleepPerMille, 0}),
          ledger_(scenario_, scheduler_),
          admin_(ledger_) {
        if (!scenario_.waitsForBinds) ledger_.troubled.assign(scenario_.smscs, true);
        for (std::size_t i = 0; i < scenario_.smscs; ++i) smscs_.emplace_back(i, ledger_);
        for (std::size_t i = 0; i < scenario_.esmes; ++i) esmes_.emplace_back(i, ledger_);
        for (const EsmePeer& esme : esmes_) {
            if (receivers_.size() < scenario_.receivers) receivers_.emplace_back(esme, ledger_);
        }
        for (SmscPeer& smsc : smscs_) scheduler_.add(smsc);
        for (EsmePeer& esme : esmes_) scheduler_.add(esme);
        for (ReceiverPeer& receiver : receivers_) scheduler_.add(receiver);
        for (std::size_t i = 0; i < scenario_.webs; ++i) {
            scheduler_.add(hooks_.emplace_back(RouterScenario::mostEsmes + i, ledger_));
            scheduler_.add(webs_.emplace_back(RouterScenario::mostEsmes + i, ledger_));
        }
        scheduler_.add(admin_);
    }

    Outcome runToEnd() {
        runRouter();
        const std::size_t left = machine_.openDescriptors();
        if (left > 0) journal_.fail(std::to_string(left) + " descriptors are left");
        scheduler_.setBeforeStep({});
        scheduler_.stepUntil([this] { return areDone(); });
        checkMessages();
        return {journal_.failure(), faults_.struck(), journal_.fingerprint(), scheduler_.steps()};
    }

  private:
    void runRouter() {
        router::RouterCore core({"router.toml", [this] { return admin_.readConfig(); }},
                                scenario_.config(0));
        // What fails before is an error at the start, and that is all.
        for (std::size_t kind = 0; kind < faultKinds; ++kind) {
            faults_.setRate(static_cast<Fault>(kind), scenario_.faultsPerMille[kind]);
        }
        scheduler_.setBeforeStep([this, &core] { stopIfDue(core); });
        const router::DrainSummary summary = core.run([this] { ledger_.ready = true; });
        checkSummary(summary);
    }

    void stopIfDue(router::RouterCore& core) {
        if (ledger_.stops) return;
        const bool sendersDone = areAllDone(esmes_) && areAllDone(webs_);
        if (!sendersDone && scheduler_.steps() < scenario_.stopAt) return;
        ledger_.stops = true;
        journal_.note("stop");
        machine_.countProgress();
        core.requestStop();
    }

    template <class Peer>
    static bool areAllDone(const std::list<Peer>& peers) {
        return std::all_of(peers.begin(), peers.end(),
                           [](const Peer& peer) { return peer.isDone(); });
    }

    bool areDone() const {
        return admin_.isDone() && areAllDone(esmes_) && areAllDone(receivers_) &&
               areAllDone(webs_) && areAllDone(hooks_) && areAllDone(smscs_);
    }

    // All peers answer in time: there is no excuse but a fault.
    void checkSummary(const router::DrainSummary& summary) {
        const bool isAnswered =
            std::none_of(receivers_.begin(), receivers_.end(),
                         [](const ReceiverPeer& receiver) { return receiver.leftOneUnread(); });
        const bool isCalm = faults_.struck().empty() && scenario_.goesPerMille == 0 && isAnswered;
        if (isCalm && !summary.why.empty()) journal_.fail("the drain: " + summary.toString());
    }

    void checkMessages() {
        for (const auto& [name, message] : ledger_.messages) {
            const bool isExcused = ledger_.isExcused(message);
            if (message.answered > 1) journal_.fail(name + " was answered twice");
            for (const SentReceipt& receipt : message.receipts) {
                const bool mayBeTwice = receipt.late || ledger_.mayRepeat[message.esme];
                if (receipt.received > 1 && !mayBeTwice && !isExcused) {
                    journal_.fail(name + " has a receipt twice");
                }
            }
        }
        for (const auto& [number, receipts] : ledger_.early) {
            const std::size_t esme = receipts.front().esme;
            if (!ledger_.mayRepeat[esme])
                journal_.fail("a receipt of an unknown message: " + number);
        }
        for (const auto& [id, receipt] : ledger_.posted) {
            const auto isIts = [&](const auto& each) {
                const SentMessage& message = each.second;
                return message.number == receipt.to &&
                       (message.id == id || message.whole == id || message.unheard);
            };
            if (std::none_of(ledger_.messages.begin(), ledger_.messages.end(), isIts)) {
                journal_.fail("a webhook got a receipt of an unknown message: " + id);
            }
        }
        for (const auto& [text, message] : ledger_.originated) {
            const bool mayBeTwice = message.late || ledger_.mayRepeat[message.esme];
            if (message.delivered > 1 && !mayBeTwice && !scheduler_.clockHasJumped()) {
                journal_.fail(text + " was delivered twice");
            }
        }
    }

    const RouterScenario scenario_;
    Journal journal_;
    Faults faults_;
    Machine machine_;
    Scheduler scheduler_;
    Ledger ledger_;
    std::list<SmscPeer> smscs_;
    std::list<EsmePeer> esmes_;
    std::list<ReceiverPeer> receivers_;
    std::list<HttpPeer> webs_;
    std::list<HookPeer> hooks_;
    AdminPeer admin_;
};

}  // namespace

const char* const Simulation::subject =
    "sms-router without its main(), between ESMEs, HTTP clients, webhooks and SMSCs, on a "
    "simulated kernel";

Outcome Simulation::run(std::uint64_t seed, const std::optional<FaultSet>& only, bool prints) {
    nio::setLogger([prints](nio::LogLevel, std::string_view line) {
        if (prints) std::fprintf(stderr, "log: %.*s\n", static_cast<int>(line.size()), line.data());
    });
    return RouterRun(seed, only, prints).runToEnd();
}

}  // namespace simulation
