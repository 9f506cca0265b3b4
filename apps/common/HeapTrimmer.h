// Gives the heap's free memory back to the system after a peak of what connections hold in buffers.
// By itself a heap keeps whatever lies below something that is still in use: after a thousand peers
// that never read, all that they had cost.
//
// Thread: construction and destruction any; one of its own, which sleeps. `buffered` and `trim` run
// there.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>

namespace apps {

class HeapTrimmer {
  public:
    // A peak is so much more than what is buffered now, and at least twice that.
    static constexpr std::size_t leastPeak = std::size_t{32} * 1024 * 1024;

    struct Options {
        std::function<std::size_t()> buffered;  // bytes; may be asked at any time
        std::function<void()> trim = trimHeap;
        std::chrono::milliseconds every{2000};
    };
    // Without memory for a thread there is none, and the heap does as it likes.
    explicit HeapTrimmer(Options options);
    ~HeapTrimmer();

    static void trimHeap();

  private:
    void watch();
    void look();

    const Options options_;
    std::size_t peak_ = 0;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool ends_ = false;
    std::thread thread_;
};

// What the connections of a group hold now.
template <class Group>
std::size_t bufferedBytesOf(const Group& group) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < group.size(); ++i) sum += group[i].metrics().bufferedBytes;
    return sum;
}

}  // namespace apps
