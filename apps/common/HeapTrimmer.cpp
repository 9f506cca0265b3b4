#include "common/HeapTrimmer.h"

#include <malloc.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace apps {

HeapTrimmer::HeapTrimmer(Options options) : options_(std::move(options)) {
    try {
        thread_ = std::thread([this] { watch(); });
    } catch (const std::system_error&) {
    }
}

HeapTrimmer::~HeapTrimmer() {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    ended_.notify_one();
    if (thread_.joinable()) thread_.join();
}

void HeapTrimmer::watch() {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, options_.every, [this] { return ends_; })) look();
}

void HeapTrimmer::look() {
    const std::size_t now = options_.buffered();
    peak_ = std::max(peak_, now);
    if (peak_ - now < leastPeak || now > peak_ / 2) return;
    options_.trim();
    peak_ = now;
}

void HeapTrimmer::trimHeap() {
#ifdef __GLIBC__
    (void)::malloc_trim(0);
#endif
}

}  // namespace apps
