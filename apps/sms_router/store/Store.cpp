#include "sms_router/store/Store.h"

#include "sms_router/store/Numbers.h"
#include "sms_router/store/Pruning.h"
#include "sms_router/store/StoreThread.h"

namespace router {

namespace {

constexpr std::int64_t pruneEvery = 3600;  // s

struct Disk {
    Disk(const StoreConfig& config, Store::GivingUp onGivingUp)
        : thread(config.path, std::move(onGivingUp)), sentFor(config.idsFor.count()) {}

    // What was sent by HTTP, as long as there is more of it.
    void pruneNowAndThen(std::int64_t now) {
        std::int64_t due = nextPrune.load(std::memory_order_relaxed);
        if (now < due || !nextPrune.compare_exchange_strong(due, now + pruneEvery)) return;
        oldSent.start(now - sentFor);
        oldAnswers.start(now - Store::answersFor);
    }

    StoreThread thread;
    Pruning oldIds{thread, [](StoreTables& tables) -> OldRows& { return tables.ids.oldRows(); }};
    Pruning oldKept{thread, [](StoreTables& tables) -> OldRows& { return tables.kept.oldRows(); }};
    Pruning oldSent{thread, [](StoreTables& tables) -> OldRows& { return tables.sent.oldRows(); }};
    Pruning oldAnswers{thread,
                       [](StoreTables& tables) -> OldRows& { return tables.answers.oldRows(); }};
    const std::int64_t sentFor;  // s
    std::atomic<std::int64_t> nextPrune{0};
};

}  // namespace

class Store::Impl {
  public:
    Impl(const StoreConfig& config, GivingUp onGivingUp) {
        if (config.durability != Durability::commit) return;
        disk = std::make_unique<Disk>(config, std::move(onGivingUp));
    }

    template <class Apply>
    void change(Apply apply, nio::SelectorThread& thread, Done done) {
        if (disk) return disk->thread.change(std::move(apply), thread, std::move(done));
        CommitBatch::answerOne(thread, std::move(done), !closed.load(std::memory_order_relaxed));
    }

    // What `look` finds in the tables.
    template <class Record, class Look>
    void find(Look look, nio::SelectorThread& thread,
              nio::UniqueFunction<void(bool isRead, std::optional<Record>)> found) {
        auto record = std::make_shared<std::optional<Record>>();
        auto into = [record, look = std::move(look)](StoreTables& tables) {
            *record = look(tables);
        };
        change(std::move(into), thread, [record, found = std::move(found)](bool committed) mutable {
            found(committed, std::move(*record));
        });
    }

    void remove(Removals removals) {
        if (disk) disk->thread.remove(std::move(removals));
    }

    std::unique_ptr<Disk> disk;  // null: in memory
    MemoryNumbers numbers;
    Figures none;
    std::atomic<bool> closed{false};
};

Store::Store(const StoreConfig& config, GivingUp onGivingUp)
    : impl_(std::make_unique<Impl>(config, std::move(onGivingUp))) {}

Store::~Store() {
    close();
}

// --- what waits for the answer --------------------------------------------------------------

std::vector<IdRecord> Store::loadIds() {
    if (!impl_->disk) return {};
    return impl_->disk->thread.changeAndWait([](StoreTables& tables) { return tables.ids.load(); });
}

std::vector<KeptRecord> Store::loadKept() {
    if (!impl_->disk) return {};
    return impl_->disk->thread.changeAndWait(
        [](StoreTables& tables) { return tables.kept.load(); });
}

std::vector<IdRecord> Store::loadIdsOf(const std::set<std::string>& accounts,
                                       const IdRanges& ranges) {
    if (!impl_->disk) return {};
    return impl_->disk->thread.changeAndWait([&](StoreTables& tables) {
        std::vector<IdRecord> records;
        for (const std::string& account : accounts) tables.ids.loadAccount(account, records);
        for (const auto& [first, last] : ranges) tables.ids.loadRange(first, last, records);
        return records;
    });
}

std::vector<KeptRecord> Store::loadKeptOf(const std::set<std::string>& accounts) {
    if (!impl_->disk) return {};
    return impl_->disk->thread.changeAndWait([&](StoreTables& tables) {
        std::vector<KeptRecord> records;
        for (const std::string& account : accounts) tables.kept.loadAccount(account, records);
        return records;
    });
}

std::uint32_t Store::connectorNumber(const std::string& name) {
    if (!impl_->disk) return impl_->numbers.connectorNumber(name);
    return impl_->disk->thread.changeAndWait([&](StoreTables& tables) {
        return static_cast<std::uint32_t>(tables.connectors.numberOf(name));
    });
}

std::uint64_t Store::reserveNumbers(const std::string& kind, std::uint64_t count) {
    if (!impl_->disk) return impl_->numbers.reserve(kind, count);
    return impl_->disk->thread.changeAndWait(
        [&](StoreTables& tables) { return tables.numbers.reserve(kind, count); });
}

// --- changes --------------------------------------------------------------------------------

void Store::reserveNumbers(const std::string& kind, std::uint64_t count,
                           nio::SelectorThread& thread, Reserved done) {
    auto first = std::make_shared<std::uint64_t>(0);
    auto reserve = [first, kind, count](StoreTables& tables) {
        *first = tables.numbers.reserve(kind, count);
    };
    if (!impl_->disk) *first = impl_->numbers.reserve(kind, count);
    impl_->change(std::move(reserve), thread,
                  [first, done = std::move(done)](bool committed) mutable {
                      done(committed ? std::optional(*first) : std::nullopt);
                  });
}

void Store::addId(IdRecord record, nio::SelectorThread& thread, Done done) {
    impl_->change([record = std::move(record)](StoreTables& tables) { tables.ids.add(record); },
                  thread, std::move(done));
}

void Store::removeIds(std::vector<std::uint64_t> ids) {
    impl_->remove({.ids = std::move(ids)});
}

void Store::keep(KeptRecord record, nio::SelectorThread& thread, Done done) {
    impl_->change([record = std::move(record)](StoreTables& tables) { tables.kept.add(record); },
                  thread, std::move(done));
}

void Store::removeKept(std::vector<std::uint64_t> numbers) {
    impl_->remove({.kept = std::move(numbers)});
}

void Store::addSent(std::vector<SentRecord> sent, std::optional<AnswerRecord> answer,
                    nio::SelectorThread& thread, Done done) {
    auto add = [sent = std::move(sent), answer = std::move(answer)](StoreTables& tables) {
        for (const SentRecord& record : sent) tables.sent.add(record);
        if (answer) tables.answers.add(*answer);
    };
    impl_->change(std::move(add), thread, std::move(done));
    if (impl_->disk) impl_->disk->pruneNowAndThen(wallSeconds());
}

void Store::addEvent(std::uint64_t id, std::string line, nio::SelectorThread& thread) {
    auto add = [id, line = std::move(line) + "\n", now = wallSeconds()](StoreTables& tables) {
        tables.sent.addEvent(id, line, now);
    };
    impl_->change(std::move(add), thread, {});
}

void Store::findSent(std::uint64_t id, nio::SelectorThread& thread, SentFound found) {
    impl_->find<SentRecord>([id](StoreTables& tables) { return tables.sent.find(id); }, thread,
                            std::move(found));
}

void Store::findAnswer(std::string account, std::string key, nio::SelectorThread& thread,
                       AnswerFound found) {
    auto look = [account = std::move(account), key = std::move(key),
                 since = wallSeconds() - answersFor](StoreTables& tables) {
        return tables.answers.find(account, key, since);
    };
    impl_->find<AnswerRecord>(std::move(look), thread, std::move(found));
}

void Store::pruneIds(std::int64_t olderThan) {
    if (impl_->disk) impl_->disk->oldIds.start(olderThan);
}

void Store::pruneKept(std::int64_t olderThan) {
    if (impl_->disk) impl_->disk->oldKept.start(olderThan);
}

// --- the rest -------------------------------------------------------------------------------

void Store::close() {
    impl_->closed = true;
    if (impl_->disk) impl_->disk->thread.close();
}

bool Store::isDurable() const {
    return impl_->disk != nullptr;
}

const Store::Figures& Store::figures() const {
    return impl_->disk ? impl_->disk->thread.figures() : impl_->none;
}

}  // namespace router
