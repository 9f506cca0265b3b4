// When a host that did not answer is tried again.
#include "sms_router/http/FailingHosts.h"

#include <gtest/gtest.h>

namespace router {
namespace {

using namespace std::chrono_literals;

class FailingHostsTest : public testing::Test {
  protected:
    bool allows(const std::string& host = "a:80") { return hosts_.allows(host, now_); }
    void fails(const std::string& host = "a:80") { hosts_.ended(host, false, now_); }
    void answers(const std::string& host = "a:80") { hosts_.ended(host, true, now_); }

    FailingHosts hosts_;
    nio::TimePoint now_{1h};
};

TEST_F(FailingHostsTest, AreLeftAloneForPausesThatDouble) {
    EXPECT_TRUE(allows());
    fails();
    for (const auto pause : {500ms, 1000ms, 2000ms, 4000ms, 8000ms, 16'000ms, 30'000ms, 30'000ms}) {
        now_ += pause - 1ms;
        EXPECT_FALSE(allows()) << pause.count();
        now_ += 1ms;
        EXPECT_TRUE(allows()) << pause.count();
        fails();
    }
}

TEST_F(FailingHostsTest, AreTriedWithOneRequestAtATime) {
    fails();
    now_ += 1s;
    EXPECT_TRUE(allows());
    now_ += FailingHosts::longestPause - 1ms;
    EXPECT_FALSE(allows());
    now_ += 1ms;
    EXPECT_TRUE(allows()) << "nothing was heard of the first";
    answers();
    EXPECT_TRUE(allows());
    EXPECT_TRUE(allows());
}

TEST_F(FailingHostsTest, FailOnceForWhatWasOnItsWayTogether) {
    for (int request = 0; request < 10; ++request) fails();
    now_ += FailingHosts::firstPause;
    EXPECT_TRUE(allows());
}

TEST_F(FailingHostsTest, AreNoReasonToLeaveOthersAlone) {
    fails();
    EXPECT_TRUE(allows("a:81"));
    EXPECT_TRUE(allows("b:80"));
}

TEST_F(FailingHostsTest, AreAThousandAtMost) {
    for (std::size_t host = 0; host < FailingHosts::most; ++host) fails(std::to_string(host));
    fails("more");
    EXPECT_TRUE(allows("more"));
    EXPECT_FALSE(allows("0"));
    now_ += FailingHosts::firstPause;
    fails("more");
    EXPECT_FALSE(allows("more"));
    EXPECT_TRUE(allows("0"));
}

}  // namespace
}  // namespace router
