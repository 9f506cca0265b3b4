#include "support/FailingMemory.h"

#include <cstdlib>
#include <new>

namespace support {

namespace {

struct Failing {
    std::size_t skipped = 0;
    std::size_t bytes = 0;
    std::size_t times = 0;
    bool failed = false;
};
thread_local Failing failing;

bool fails(std::size_t bytes) {
    if (failing.times == 0 || bytes < failing.bytes) return false;
    if (failing.skipped > 0) return --failing.skipped, false;
    --failing.times;
    return failing.failed = true;
}

}  // namespace

FailingMemory::FailingMemory(std::size_t skipped, std::size_t bytes, std::size_t times) {
    failing = {skipped, bytes, times};
}
FailingMemory::~FailingMemory() {
    failing = {};
}
bool FailingMemory::hasFailed() const {
    return failing.failed;
}

}  // namespace support

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
