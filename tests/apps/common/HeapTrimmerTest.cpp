#include "common/HeapTrimmer.h"

#include <gtest/gtest.h>

#include <atomic>

namespace apps {
namespace {

constexpr std::size_t MiB = 1024 * 1024;

// A trimmer that looks as often as it can at bytes that the test sets.
class HeapTrimmerTest : public testing::Test {
  protected:
    void set(std::size_t bytes) {
        bytes_ = bytes;
        // The look under way may have been at those before.
        for (const std::size_t seen = looks_; looks_ < seen + 3;) std::this_thread::yield();
    }
    std::size_t trims() const { return trims_; }

  private:
    std::atomic<std::size_t> bytes_ = 0;
    std::atomic<std::size_t> looks_ = 0;
    std::atomic<std::size_t> trims_ = 0;
    HeapTrimmer trimmer_{{[this] { return ++looks_, bytes_.load(); }, [this] { ++trims_; },
                          std::chrono::milliseconds(0)}};
};

TEST_F(HeapTrimmerTest, GivesMemoryBackOnceAfterEachPeak) {
    set(100 * MiB);
    EXPECT_EQ(trims(), 0u) << "it is in use";
    set(0);
    set(0);
    EXPECT_EQ(trims(), 1u);
    set(40 * MiB);
    set(1 * MiB);
    EXPECT_EQ(trims(), 2u);
}

TEST_F(HeapTrimmerTest, TrimsNothingWhileMostIsBufferedOrLittleEverWas) {
    set(100 * MiB);
    set(60 * MiB);
    EXPECT_EQ(trims(), 0u);
    set(0);
    EXPECT_EQ(trims(), 1u);
    set(HeapTrimmer::leastPeak - 1);
    set(0);
    EXPECT_EQ(trims(), 1u);
}

}  // namespace
}  // namespace apps
