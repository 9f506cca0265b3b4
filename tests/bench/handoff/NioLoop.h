// The library's own.
#pragma once

#include <thread>
#include <utility>

#include <nio/loop/SelectorThread.h>

namespace handoff {

class NioLoop {
  public:
    explicit NioLoop(std::chrono::nanoseconds spin = std::chrono::nanoseconds::zero())
        : dispatcher_(options(spin)) {}

    template <class F>
    void post(F&& task) {
        while (!dispatcher_.invokeLater(std::forward<F>(task))) std::this_thread::yield();
    }
    // The task's end is waited for.
    template <class F>
    void call(F&& task) {
        dispatcher_.invokeAndWait(std::forward<F>(task)).orThrow();
    }
    void run() { dispatcher_.run(); }
    void stop() { dispatcher_.requestClose(); }

  private:
    static nio::SelectorThreadOptions options(std::chrono::nanoseconds spin) {
        nio::SelectorThreadOptions options;
        options.spin = spin;
        return options;
    }

    nio::SelectorThread dispatcher_;
};

}  // namespace handoff
