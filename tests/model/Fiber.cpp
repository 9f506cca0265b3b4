#include "model/Fiber.h"

#include <cstdint>

namespace model {

namespace {

constexpr std::size_t stackBytes = 128 * 1024;

// A run takes microseconds, a fresh stack more than that.
std::vector<std::unique_ptr<std::byte[]>>& freeStacks() {
    static std::vector<std::unique_ptr<std::byte[]>> stacks;
    return stacks;
}

std::unique_ptr<std::byte[]> takeStack() {
    auto& stacks = freeStacks();
    if (stacks.empty()) return std::unique_ptr<std::byte[]>(new std::byte[stackBytes]);
    auto stack = std::move(stacks.back());
    stacks.pop_back();
    return stack;
}

}  // namespace

Fiber::Fiber(const char* name, std::function<void()> body)
    : name_(name), body_(std::move(body)), stack_(takeStack()) {
    ::getcontext(&inside_);
    inside_.uc_stack.ss_sp = stack_.get();
    inside_.uc_stack.ss_size = stackBytes;
    inside_.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    ::makecontext(&inside_, reinterpret_cast<void (*)()>(&Fiber::enter), 2,
                  static_cast<unsigned>(self >> 32), static_cast<unsigned>(self & 0xFFFFFFFFU));
}

Fiber::~Fiber() {
    freeStacks().push_back(std::move(stack_));
}

// makecontext passes ints.
void Fiber::enter(unsigned high, unsigned low) {
    const auto self = static_cast<std::uintptr_t>(high) << 32 | low;
    reinterpret_cast<Fiber*>(self)->run();
}

void Fiber::run() {
    body_();
    atEnd_ = true;
    leave();
}

void Fiber::goOn() {
    ::swapcontext(&outside_, &inside_);
}

void Fiber::leave() {
    ::swapcontext(&inside_, &outside_);
}

}  // namespace model
