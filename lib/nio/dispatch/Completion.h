// What invokeAndWait waits on: done once, waited for once. A seam: a simulation links a stand-in
// whose wait makes the turns of the other dispatchers.
//
// Thread: finish() any, once; wait() the waiting one.
#pragma once

#include <condition_variable>
#include <mutex>

namespace nio {

class Completion {
  public:
    void finish();
    void wait();

  private:
    std::mutex mutex_;
    std::condition_variable finished_;
    bool done_ = false;
};

}  // namespace nio
