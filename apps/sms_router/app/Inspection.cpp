#include "sms_router/app/Inspection.h"

#include "sms_router/egress/SmscConnector.h"
#include "sms_router/ingress/EsmeLink.h"

namespace router {

namespace {

// Those whose home this dispatcher is.
template <class F>
void forConnectors(const Shard& shard, F&& visit) {
    const auto& all = shard.topology().connectors;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool configured = !shard.config().connectors[i].name.empty();
        if (&all[i]->dispatcher() != &shard.thread()) continue;
        visit(static_cast<SmscConnector&>(*all[i]), configured);
    }
}

template <class F>
void forDesks(const Shard& shard, F&& visit) {
    for (const Account* account : shard.topology().accounts) {
        if (&account->desk().dispatcher() != &shard.thread()) continue;
        visit(*account, account->desk());
    }
}

}  // namespace

ShardState& ShardState::operator+=(const ShardState& other) {
    links += other.links;
    unanswered += other.unanswered;
    unsafe += other.unsafe;
    connectorsBound += other.connectorsBound;
    connectorsBusy += other.connectorsBusy;
    return *this;
}

ShardState stateOf(const Shard& shard) {
    ShardState state;
    state.links = shard.links().size();
    forConnectors(shard, [&](const SmscConnector& connector, bool) {
        nio::onDispatcher.assertCurrent();
        state.unanswered += connector.unansweredNow();
        if (!connector.isClosedNow()) ++state.connectorsBound;
        if (!connector.isQuietNow()) ++state.connectorsBusy;
    });
    forDesks(shard,
             [&](const Account&, const AccountDesk& desk) { state.unsafe += desk.unsafe(); });
    return state;
}

ShardReport reportOf(Shard& shard, bool all) {
    ShardReport report;
    report.topology = shard.sharedTopology();
    forConnectors(shard, [&](const SmscConnector& connector, bool configured) {
        nio::onDispatcher.assertCurrent();
        if (configured) report.connectors.push_back(connector.describeNow());
    });
    report.figures = shard.figures();
    if (!all) return report;
    for (const nio::ChannelHandle handle : shard.links()) {
        const EsmeLink* const link = EsmeLink::findNow(handle);
        if (link != nullptr) report.binds.emplace_back(link->accountName(), link->describeNow());
    }
    forDesks(shard, [&](const Account& account, const AccountDesk& desk) {
        nio::onDispatcher.assertCurrent();
        report.desks.push_back({account.systemId(), desk.figuresNow()});
    });
    return report;
}

}  // namespace router
