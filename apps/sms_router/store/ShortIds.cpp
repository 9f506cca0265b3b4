#include "sms_router/store/ShortIds.h"

#include <utility>

namespace router {

namespace {

constexpr const char* shortIdNumbers = "short id";

}  // namespace

// In memory nothing is reserved before it is needed: what a short run takes from the clock the next
// one may begin with.
ShortIds::ShortIds(Store& store, nio::SelectorThread& thread) : store_(store), thread_(thread) {
    if (!store.isDurable()) return;
    block_ = {store.reserveNumbers(shortIdNumbers, reservedAtOnce), reservedAtOnce};
}

MessageId ShortIds::make() {
    if (block_.left <= reservedAtOnce / 2 && behind_.left == 0 && !reserves_) reserveNext();
    if (block_.left == 0) block_ = std::exchange(behind_, {});
    if (block_.left == 0) return 0;
    --block_.left;
    return 1 + block_.next++ % (shortIds - 1);
}

// Not while the store fails: it tries by itself.
void ShortIds::reserveNext() {
    if (store_.figures().lastFailed.load(std::memory_order_relaxed)) return;
    reserves_ = true;
    auto done = [this](std::optional<std::uint64_t> first) {
        reserves_ = false;
        if (first) behind_ = {*first, reservedAtOnce};
    };
    try {
        store_.reserveNumbers(shortIdNumbers, reservedAtOnce, thread_, done);
    } catch (...) {
        reserves_ = false;
        throw;
    }
}

}  // namespace router
