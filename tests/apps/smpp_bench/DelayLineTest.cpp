#include "smpp_bench/DelayLine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "support/TestDispatcher.h"

namespace smppbench {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class DelayLineTest : public ::testing::Test {
  protected:
    void expireDue() {
        while (nio::Deadline* due = queue_.takeDue(nio::Clock::now())) due->expire();
    }

    nio::DispatcherIdentity owner_{"owner"};
    nio::DispatcherIdentity::Turn turn_{owner_};
    nio::DeadlineQueue queue_{owner_};
    std::vector<int> out_;
    DelayLine<int> line_{queue_, [this](int thing) { out_.push_back(thing); }};
};

TEST_F(DelayLineTest, LetsOutAtOnceWithoutADelay) {
    line_.put(1, 0s);
    EXPECT_THAT(out_, ElementsAre(1));
    EXPECT_EQ(line_.size(), 0u);
}

TEST_F(DelayLineTest, WakesForTheShortestDelay) {
    line_.put(1, 20min);
    line_.put(2, 10min);
    ASSERT_TRUE(queue_.earliest());
    EXPECT_LT(*queue_.earliest(), nio::Clock::now() + 15min);
    line_.put(3, 30min);
    EXPECT_LT(*queue_.earliest(), nio::Clock::now() + 15min);
    EXPECT_EQ(line_.size(), 3u);
}

TEST_F(DelayLineTest, LetsOutWhatIsDueBeforeWhatCameEarlier) {
    line_.put(1, 1h);
    line_.put(2, 1ns);
    const nio::TimePoint put = nio::Clock::now();
    while (nio::Clock::now() <= put + 1ns) {
    }
    expireDue();
    EXPECT_THAT(out_, ElementsAre(2));
    EXPECT_EQ(line_.size(), 1u);
}

}  // namespace
}  // namespace smppbench
