#include "sms_router/app/Directory.h"

#include <functional>
#include <stdexcept>

#include "sms_router/app/ConnectorNews.h"
#include "sms_router/egress/Accepted.h"
#include "sms_router/ingress/EsmeLink.h"
#include "sms_router/model/Post.h"
#include "sms_router/store/Store.h"

namespace router {

namespace {

std::shared_ptr<const smpp::SessionOptions> esmeSession(const RouterConfig& config) {
    auto options = std::make_shared<smpp::SessionOptions>();
    options->side = smpp::Side::smsc;
    // Accounts have windows of their own, which their desks keep.
    options->window = 100'000;
    options->systemId = config.router.systemId;
    options->reading = smpp::Reading::tolerant;
    const TimerConfig& timers = config.timers;
    options->timers = {timers.sessionInit, timers.enquireLink, timers.inactivity, timers.response,
                       timers.pduRead};
    return options;
}

std::int64_t longestKept(const RouterConfig& config) {
    std::int64_t longest = AccountConfig().keep.time.count();
    for (const AccountConfig& account : config.accounts) {
        longest = std::max<std::int64_t>(longest, account.keep.time.count());
    }
    return longest;
}

IdEntry entryOf(IdRecord& record, Account& account) {
    IdEntry entry;
    entry.id = record.id;
    entry.shown = record.shown != 0 ? record.shown : record.id;
    entry.account = &account;
    entry.smscId = std::move(record.smscId);
    entry.source = sourceFrom(record.source);
    entry.own = ownFrom(record.own);
    entry.severalDestinations = (record.flags & severalDestinationsFlag) != 0;
    entry.destination = AddressMark::fromStore(record.destination);
    if (!entry.destination.isKnown()) {
        const std::uint32_t tail = record.flags >> destinationTailShift;
        entry.destination = AddressMark::ofTail(static_cast<std::uint16_t>(tail));
    }
    entry.sender = AddressMark::fromStore(record.sender);
    entry.wantsReceipt = (record.flags & wantsReceiptFlag) != 0;
    entry.otherDestination = (record.flags & otherDestinationFlag) != 0;
    entry.isPart = (record.flags & partFlag) != 0;
    const auto parts = static_cast<std::uint8_t>(record.flags >> partsShift);
    entry.whole = {parts > 1 ? record.message : entry.shown, parts};
    return entry;
}

template <class F>
void tell(nio::SelectorThread& thread, F&& what) {
    // One that has stopped needs no news.
    (void)postLater(thread, std::forward<F>(what));
}

}  // namespace

Directory::Directory(const ShardSet& shards, Store& store, ConnectorBoard& board)
    : shards_(shards), store_(store), board_(board) {}

Directory::KnownAccount& Directory::accountOf(const std::string& systemId) {
    KnownAccount& known = accounts_[systemId];
    if (known.account != nullptr) return known;
    newAccounts_.insert(systemId);
    Shard& home = shards_[std::hash<std::string>()(systemId) % shards_.size()];
    known.account = std::make_unique<Account>(systemId);
    known.desk = std::make_unique<AccountDesk>(*known.account, home);
    known.account->setDesk(*known.desk);
    return known;
}

SmscConnector& Directory::connectorOf(std::size_t index, const RouterConfig& config) {
    if (index < connectors_.size()) return *connectors_[index];
    if (index >= board_.size()) throw std::length_error("too many connectors");
    const SmscConnector::Identity identity{index,
                                           store_.connectorNumber(config.connectors[index].name)};
    if (identity.number > maxNumber) throw std::length_error("too many connectors for one store");
    Shard& home = shards_[index % shards_.size()];
    connectors_.push_back(std::make_unique<SmscConnector>(identity, home, board_[index],
                                                          IdMap::limitsOf(config.store)));
    newConnectors_.insert(identity.number);
    return *connectors_[index];
}

SharedTopology Directory::topologyOf(SharedConfig config) {
    auto topology = std::make_shared<Topology>();
    for (const AccountConfig& account : config->accounts) {
        topology->accounts.push_back(accountOf(account.systemId).account.get());
    }
    for (std::size_t i = 0; i < config->connectors.size(); ++i) {
        SmscConnector& known = connectorOf(i, *config);
        topology->connectors.push_back(&known);
        topology->receiptDesks.push_back(&known.receipts());
        topology->connectorByNumber[known.identity().number] = &known;
    }
    topology->esmeSession = esmeSession(*config);
    topology->config = std::move(config);
    return topology;
}

void Directory::publish(const SharedTopology& topology,
                        const std::vector<std::shared_ptr<const SmscDialing>>& dialings) {
    restoreNewcomers(*topology->config);
    for (std::size_t i = 0; i < topology->accounts.size(); ++i) {
        topology->accounts[i]->rate().setRate(topology->config->accounts[i].messagesPerSecond,
                                              nio::Clock::now());
    }
    for (std::size_t i = 0; i < topology->accounts.size(); ++i) {
        AccountDesk& desk = *accounts_[topology->accounts[i]->systemId()].desk;
        tell(desk.dispatcher(), [&desk, topology, i] {
            nio::onDispatcher.assertCurrent();
            desk.useLimitsNow(topology->config->accounts[i]);
        });
    }
    tellShards(topology, dialings);
}

void Directory::tellShards(const SharedTopology& topology,
                           const std::vector<std::shared_ptr<const SmscDialing>>& dialings) {
    std::vector<ConnectorNews::Entry> entries;
    for (std::size_t i = 0; i < dialings.size(); ++i) {
        entries.push_back({connectors_[i].get(), dialings[i]});
    }
    const auto news = std::make_shared<ConnectorNews>(shards_.size(), std::move(entries));
    for (std::size_t i = 0; i < shards_.size(); ++i) {
        auto use = [&shard = shards_[i], topology, news] {
            nio::onDispatcher.assertCurrent();
            const ConnectorNews::Hearing hearing(*news);
            EsmeLink::useNow(shard, topology);
        };
        if (!postLater(shards_[i].thread(), std::move(use))) news->heard();
    }
}

void Directory::restoreNewcomers(const RouterConfig& config) {
    if (newAccounts_.empty() && newConnectors_.empty()) return;
    std::vector<IdRecord> ids = loadIds();
    store_.pruneIds(wallSeconds() - config.store.idsFor.count());
    store_.pruneKept(wallSeconds() - longestKept(config));
    std::vector<KeptRecord> kept = restored_ ? store_.loadKeptOf(newAccounts_) : store_.loadKept();
    restored_ = true;
    restoreIds(std::move(ids));
    restoreKept(std::move(kept));
    newAccounts_.clear();
    newConnectors_.clear();
}

// At first everybody is new.
std::vector<IdRecord> Directory::loadIds() {
    if (!restored_) return store_.loadIds();
    Store::IdRanges ranges;
    for (const std::uint32_t number : newConnectors_) {
        const MessageId first = static_cast<MessageId>(number) << sequenceBits;
        ranges.emplace_back(first, first | ((MessageId{1} << sequenceBits) - 1));
    }
    return store_.loadIdsOf(newAccounts_, ranges);
}

void Directory::restoreIds(std::vector<IdRecord> records) {
    std::map<std::uint32_t, std::vector<std::pair<IdEntry, std::int64_t>>> found;
    for (IdRecord& record : records) {
        const auto known = accounts_.find(record.account);
        if (known == accounts_.end()) continue;
        found[record.connector].emplace_back(entryOf(record, *known->second.account), record.time);
    }
    for (const auto& connector : connectors_) {
        const auto its = found.find(connector->identity().number);
        if (its == found.end()) continue;
        auto restore = [&connector = *connector, ids = std::move(its->second)]() mutable {
            for (auto& [entry, time] : ids) connector.restore(std::move(entry), time);
        };
        tell(connector->dispatcher(), std::move(restore));
    }
}

void Directory::restoreKept(std::vector<KeptRecord> records) {
    std::map<std::string, std::vector<KeptRecord>> found;
    for (KeptRecord& record : records) {
        if (newAccounts_.contains(record.account)) {
            found[record.account].push_back(std::move(record));
        }
    }
    for (auto& [account, its] : found) {
        AccountDesk& desk = *accounts_[account].desk;
        tell(desk.dispatcher(), [&desk, kept = std::move(its)]() mutable {
            nio::onDispatcher.assertCurrent();
            for (KeptRecord& record : kept) desk.restore(std::move(record));
        });
    }
}

bool Directory::isSettled(std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) {
        if (!board_[i].settled.load(std::memory_order_relaxed)) return false;
    }
    return true;
}

}  // namespace router
