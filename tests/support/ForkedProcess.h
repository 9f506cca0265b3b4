// A copy of this process that runs a function and ends with what that returns. A failure of
// GoogleTest in there is not seen: return what went wrong.
//
// Thread: one at a time.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <utility>

namespace support {

class ForkedProcess {
  public:
    template <class F>
    explicit ForkedProcess(F&& run) : id_(::fork()) {
        if (id_ == 0) ::_exit(std::forward<F>(run)());
    }
    ForkedProcess(const ForkedProcess&) = delete;
    ForkedProcess& operator=(const ForkedProcess&) = delete;
    ~ForkedProcess() {
        if (id_ <= 0) return;
        ::kill(id_, SIGKILL);
        (void)wait();
    }

    void signal(int number) const { ::kill(id_, number); }
    // Its exit code, or minus the signal that has ended it.
    int wait() {
        int status = 0;
        const pid_t waited = ::waitpid(std::exchange(id_, -1), &status, 0);
        if (waited < 0) return -1000;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

  private:
    pid_t id_;
};

}  // namespace support
