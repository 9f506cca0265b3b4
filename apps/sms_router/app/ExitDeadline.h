// Ends the process if its shutdown hangs: in a callback that does not return, in a file or a disk
// that does not answer. As with kill -9, what is in the store stays; what waits for the disk is
// lost.
//
// Thread: that of construction and destruction; `tell` runs on one of its own.
// Errors: where there is no thread for it, the end is waited for without a limit.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace router {

class ExitDeadline {
  public:
    // After `patience`, unless it is destroyed before: runs `tell`, and ends the process with
    // `exitCode`. Zero: never.
    ExitDeadline(std::chrono::milliseconds patience, std::function<void()> tell, int exitCode);
    ExitDeadline(const ExitDeadline&) = delete;
    ExitDeadline& operator=(const ExitDeadline&) = delete;
    ~ExitDeadline();

  private:
    bool isOverWithin(std::chrono::milliseconds patience);

    std::mutex mutex_;
    std::condition_variable over_;
    bool isOver_ = false;
    std::thread thread_;
};

}  // namespace router
