#include "simulation/Memory.h"

#include <atomic>
#include <cstdlib>
#include <new>
#include <utility>

#ifdef __has_feature
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define NIO_KEEPS_NEW
#endif
#endif

namespace simulation {

namespace {

struct State {
    std::size_t nth = 0;
    std::size_t count = 0;
    std::atomic<std::size_t> blocks = 0;  // also of a thread that begins and ends at once
    bool scarce = false;
    bool failed = false;
};
State state;

#ifndef NIO_KEEPS_NEW

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
    if (state.scarce && ++state.count == state.nth) return state.failed = true, nullptr;
    const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void* memory = alignment <= alignof(std::max_align_t) ? std::malloc(bytes == 0 ? 1 : bytes)
                                                          : std::aligned_alloc(alignment, rounded);
    if (memory != nullptr) state.blocks.fetch_add(1, std::memory_order_relaxed);
    return memory;
}

void* allocateOrThrow(std::size_t bytes, std::size_t alignment) {
    void* memory = allocate(bytes, alignment);
    return memory != nullptr ? memory : throw std::bad_alloc();
}

void giveBack(void* memory) noexcept {
    if (memory != nullptr) state.blocks.fetch_sub(1, std::memory_order_relaxed);
    std::free(memory);
}

constexpr std::size_t usual = alignof(std::max_align_t);

#endif

}  // namespace

void Memory::failNth(std::size_t nth) {
    state.nth = nth;
    state.count = 0;
    state.failed = false;
}
bool Memory::hasFailed() {
    return state.failed;
}
std::size_t Memory::count() {
    return state.count;
}
std::size_t Memory::blocks() {
    return state.blocks;
}
bool Memory::canFail() {
#ifdef NIO_KEEPS_NEW
    return false;
#else
    return true;
#endif
}

Scarce::Scarce() : before_(std::exchange(state.scarce, true)) {}
Scarce::~Scarce() {
    state.scarce = before_;
}
Plentiful::Plentiful() : before_(std::exchange(state.scarce, false)) {}
Plentiful::~Plentiful() {
    state.scarce = before_;
}

}  // namespace simulation

#ifndef NIO_KEEPS_NEW

void* operator new(std::size_t bytes) {
    return simulation::allocateOrThrow(bytes, simulation::usual);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return simulation::allocateOrThrow(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return simulation::allocate(bytes, simulation::usual);
}
void operator delete(void* memory) noexcept {
    simulation::giveBack(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
    simulation::giveBack(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
    simulation::giveBack(memory);
}
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    simulation::giveBack(memory);
}
#endif
