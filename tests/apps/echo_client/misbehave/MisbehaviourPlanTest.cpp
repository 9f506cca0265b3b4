#include "echo_client/misbehave/MisbehaviourPlan.h"

#include <gtest/gtest.h>

#include "apps/echo_client/misbehave/MisbehaviourRun.h"

namespace {

using namespace std::chrono_literals;

TEST(MisbehaviourPlan, LetsTheBytesOfSlowlorisComeEvenlyNotAllAtOnce) {
    load::LoadOptions options = support::misbehaving(load::Misbehaviour::slowloris, 4);
    options.every = 8s;
    const load::MisbehaviourPlan plan(options, nio::SocketAddress());
    EXPECT_EQ(plan.firstPauseOf(0), 2s);
    EXPECT_EQ(plan.firstPauseOf(1), 4s);
    EXPECT_EQ(plan.firstPauseOf(2), 6s);
    EXPECT_EQ(plan.firstPauseOf(3), 8s);
}

}  // namespace
