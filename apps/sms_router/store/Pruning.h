// Removes the old rows of one table, pruneRows in a turn of the store's dispatcher, among whatever
// else is changed there.
//
// Thread: any.
// Lifetime: it ends after the store's thread was closed; closing does not wait for the rest.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "sms_router/store/StoreThread.h"

namespace router {

class Pruning {
  public:
    using Table = OldRows& (*)(StoreTables&);
    static constexpr std::int64_t pruneRows = 1000;

    Pruning(StoreThread& store, Table table) : store_(store), table_(table) {}

    // Seconds since 1970. Nothing happens while an earlier call is still at it.
    void start(std::int64_t olderThan) {
        if (!busy_.exchange(true)) post(OldRows::start, olderThan, Busy(&busy_));
    }

  private:
    // Goes from change to change. It ends with the last one, also with one that was not tried
    // because its batch had failed.
    struct Free {
        void operator()(std::atomic<bool>* busy) const { *busy = false; }
    };
    using Busy = std::unique_ptr<std::atomic<bool>, Free>;

    void post(std::int64_t from, std::int64_t olderThan, Busy busy) {
        store_.change([this, from, olderThan, busy = std::move(busy)](StoreTables& tables) mutable {
            const auto next = table_(tables).prune(from, olderThan, pruneRows);
            if (next && !store_.isClosing()) post(*next, olderThan, std::move(busy));
        });
    }

    StoreThread& store_;
    const Table table_;
    std::atomic<bool> busy_{false};
};

}  // namespace router
