#include "support/FailingMemory.h"

#include <atomic>
#include <cstdlib>
#include <new>

#ifdef __has_feature
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define NIO_TESTS_KEEP_NEW
#endif
#endif

namespace support {

namespace {

struct Failing {
    std::size_t skipped = 0;
    std::size_t bytes = 0;
    std::size_t times = 0;
    bool failed = false;
};
thread_local Failing failing;

// Of all threads but one.
struct Elsewhere {
    std::atomic<bool> isOn{false};
    std::atomic<std::size_t> skipped{0};
    std::atomic<bool> failed{false};
};
Elsewhere elsewhere;
thread_local bool spared = false;

[[maybe_unused]] bool failsElsewhere() {
    if (!elsewhere.isOn.load(std::memory_order_relaxed) || spared) return false;
    if (elsewhere.skipped.fetch_sub(1) != 0) return false;
    elsewhere.isOn = false;
    return elsewhere.failed = true;
}

[[maybe_unused]] bool fails(std::size_t bytes) {
    if (failsElsewhere()) return true;
    if (failing.times == 0 || bytes < failing.bytes) return false;
    if (failing.skipped > 0) return --failing.skipped, false;
    --failing.times;
    return failing.failed = true;
}

}  // namespace

FailingMemory::FailingMemory(std::size_t skipped, std::size_t bytes, std::size_t times) {
    failing = {skipped, bytes, times};
}
FailingMemory FailingMemory::nthElsewhere(std::size_t n) {
    spared = true;
    elsewhere.failed = false;
    elsewhere.skipped = n;
    elsewhere.isOn = true;
    return {0, 0, 0};
}
FailingMemory::~FailingMemory() {
    failing = {};
    elsewhere.isOn = spared = false;
}
bool FailingMemory::hasFailed() const {
    return failing.failed || (spared && elsewhere.failed);
}

bool FailingMemory::isPossible() {
#ifdef NIO_TESTS_KEEP_NEW
    return false;
#else
    return true;
#endif
}

}  // namespace support

#ifndef NIO_TESTS_KEEP_NEW

void* operator new(std::size_t bytes) {
    void* memory = support::fails(bytes) ? nullptr : std::malloc(bytes);
    return memory != nullptr ? memory : throw std::bad_alloc();
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return support::fails(bytes) ? nullptr : std::malloc(bytes);
}
void operator delete(void* memory) noexcept {
    std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    std::free(memory);
}
#endif
