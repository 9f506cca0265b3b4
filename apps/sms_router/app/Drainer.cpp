#include "sms_router/app/Drainer.h"

#include <algorithm>

#include "common/Units.h"
#include "sms_router/app/AskDispatchers.h"
#include "sms_router/egress/SmscConnector.h"
#include "sms_router/ingress/EsmeLink.h"

namespace router {

using apps::counted;

namespace {

constexpr std::chrono::milliseconds lookEvery{20};
// A shard that is only busy answers, also at the deadline.
constexpr std::chrono::milliseconds leastPatience{200};

void forOwnConnectors(const Shard& shard, void (SmscConnector::*step)()) {
    for (Egress* egress : shard.topology().connectors) {
        if (egress->dispatcher().isCurrent()) (static_cast<SmscConnector&>(*egress).*step)();
    }
}

}  // namespace

std::string DrainSummary::toString() const {
    return counted(left.links + left.connectorsBound, "bind") + " left open, " +
           counted(left.unanswered, "request") + " unanswered, " +
           (left.unsafe == 1 ? "1 delivery" : std::to_string(left.unsafe) + " deliveries") +
           " unacknowledged" + (why.empty() ? "" : " (" + why + ")");
}

Drainer::Drainer(nio::SelectorThread& thread, const ShardSet& shards,
                 std::chrono::milliseconds timeout)
    : thread_(thread),
      shards_(shards),
      timeout_(timeout),
      next_(thread.deadlines(),
            [this] {
                nio::onDispatcher.assertCurrent();
                look();
            }),
      told_(shards.size()) {
    for (std::size_t i = 0; i < shards.size(); ++i) threads_.push_back(&shards[i].thread());
}

void Drainer::beginNow(Done done) {
    begun_ = true;
    done_ = std::move(done);
    end_ = nio::Clock::after(timeout_.load());
    for (std::size_t i = 0; i < shards_.size(); ++i) {
        (void)postLater(shards_[i].thread(), [&shard = shards_[i]] {
            nio::onDispatcher.assertCurrent();
            EsmeLink::drainNow(shard);
            forOwnConnectors(shard, &SmscConnector::drainNow);
        });
    }
    look();
}

void Drainer::look() {
    if (over_) return;
    const auto left = std::clamp<nio::Clock::duration>(end_ - nio::Clock::now(), leastPatience,
                                                       std::chrono::seconds(1));
    // First: whatever this look comes to, there is a next one.
    next_.wakeAfter(2 * left);
    const auto question = [&shards = shards_](std::size_t index) {
        nio::onDispatcher.assertCurrent();
        return stateOf(shards[index]);
    };
    auto done = [this](const std::vector<ShardState>& states, const Silent& silent) {
        nio::onDispatcher.assertCurrent();
        ShardState sum;
        for (std::size_t i = 0; i < states.size(); ++i) {
            const bool told = std::find(silent.begin(), silent.end(), i) == silent.end();
            if (told) told_[i] = states[i];
            sum += told_[i];
        }
        silent_ = silent.empty() ? "" : threads_[silent.front()]->name();
        seen(sum);
    };
    askDispatchers<ShardState>(threads_, thread_, left, question, std::move(done));
}

void Drainer::seen(const ShardState& state) {
    if (over_) return;
    last_ = state;
    const bool all = silent_.empty();
    const bool quiet = all && state.links == 0 && state.connectorsBusy == 0 && state.unsafe == 0;
    // Again and again: a reload that was under way may have brought more of them.
    if (quiet) unbindConnectors();
    if (all && state.links == 0 && state.connectorsBound == 0) return finish("");
    if (ending_) return finish("stopped by a second signal");
    if (nio::Clock::now() >= end_) return finish("drain timeout expired");
    next_.wakeAfter(lookEvery);
}

void Drainer::unbindConnectors() {
    for (std::size_t i = 0; i < shards_.size(); ++i) {
        (void)postLater(shards_[i].thread(), [&shard = shards_[i]] {
            nio::onDispatcher.assertCurrent();
            forOwnConnectors(shard, &SmscConnector::unbindNow);
        });
    }
}

void Drainer::endNow() {
    if (over_) return;
    if (std::exchange(ending_, true)) return finish("stopped by a second signal");
    look();
}

void Drainer::finish(const std::string& why) {
    over_ = true;
    next_.cancel();
    const std::string hangs = silent_.empty() ? "" : ", and " + silent_ + " does not answer";
    summary_ = {why + hangs, last_, !silent_.empty()};
    done_();
}

}  // namespace router
