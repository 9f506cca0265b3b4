#include "sms_router/store/Pruning.h"

namespace router {

void Pruning::start(std::int64_t olderThan) {
    if (!busy_.exchange(true)) post(OldRows::start, olderThan, Busy(&busy_));
}

void Pruning::post(std::int64_t from, std::int64_t olderThan, Busy busy) {
    store_.change([this, from, olderThan, busy = std::move(busy)](StoreTables& tables) mutable {
        const auto next = table_(tables).prune(from, olderThan, pruneRows);
        if (next && !store_.isClosing()) post(*next, olderThan, std::move(busy));
    });
}

}  // namespace router
