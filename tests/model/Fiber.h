// A function with a stack of its own that can be left in the middle and gone on with.
//
// Thread: one.
#pragma once

#include <ucontext.h>

#include <functional>
#include <memory>
#include <vector>

namespace model {

class Fiber {
  public:
    Fiber(const char* name, std::function<void()> body);
    Fiber(const Fiber&) = delete;
    Fiber& operator=(const Fiber&) = delete;
    // One that is not at its end is dropped as it is: what lies on its stack is not destroyed.
    ~Fiber();

    const char* name() const { return name_; }
    bool isAtEnd() const { return atEnd_; }
    // Absent: it can go on.
    std::function<bool()> waitsFor;

    // From outside: runs it until it leaves.
    void goOn();
    // From within.
    void leave();

  private:
    static void enter(unsigned high, unsigned low);
    void run();

    const char* name_;
    std::function<void()> body_;
    std::unique_ptr<std::byte[]> stack_;
    ucontext_t inside_{};
    ucontext_t outside_{};
    bool atEnd_ = false;
};

}  // namespace model
