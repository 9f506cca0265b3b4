#include <nio/tasks/WaitGraph.h>

#include <gtest/gtest.h>

#include <optional>

namespace nio {
namespace {

class WaitGraphTest : public testing::Test {
  protected:
    DispatcherIdentity a_{"a"};
    DispatcherIdentity b_{"b"};
    DispatcherIdentity c_{"c"};
};

TEST_F(WaitGraphTest, TakesAWaitThatClosesNoCycle) {
    const WaitGraph::Edge first(&a_, b_);
    const WaitGraph::Edge second(&b_, c_);
    EXPECT_FALSE(first.refused());
    EXPECT_FALSE(second.refused());
}

TEST_F(WaitGraphTest, RefusesTwoThatWouldWaitForEachOther) {
    const WaitGraph::Edge first(&a_, b_);
    const WaitGraph::Edge back(&b_, a_);
    EXPECT_TRUE(back.refused());
}

TEST_F(WaitGraphTest, RefusesACycleOfThree) {
    const WaitGraph::Edge first(&a_, b_);
    const WaitGraph::Edge second(&b_, c_);
    const WaitGraph::Edge back(&c_, a_);
    EXPECT_TRUE(back.refused());
}

TEST_F(WaitGraphTest, RefusesAWaitForOneself) {
    const WaitGraph::Edge self(&a_, a_);
    EXPECT_TRUE(self.refused());
}

TEST_F(WaitGraphTest, ForgetsAWaitThatIsOver) {
    std::optional<WaitGraph::Edge> first;
    first.emplace(&a_, b_);
    first.reset();
    const WaitGraph::Edge back(&b_, a_);
    EXPECT_FALSE(back.refused());
}

TEST_F(WaitGraphTest, KeepsTheWaitsThatARefusedOneWouldHaveReplaced) {
    const WaitGraph::Edge first(&a_, b_);
    { const WaitGraph::Edge refused(&b_, a_); }
    const WaitGraph::Edge again(&b_, a_);
    EXPECT_TRUE(again.refused()) << "the first wait is still there";
}

TEST_F(WaitGraphTest, LetsAThreadThatIsNoDispatcherWaitForAnybody) {
    const WaitGraph::Edge outside(nullptr, a_);
    const WaitGraph::Edge first(&a_, b_);
    EXPECT_FALSE(outside.refused());
    EXPECT_FALSE(first.refused());
}

TEST_F(WaitGraphTest, LetsManyWaitForTheSame) {
    const WaitGraph::Edge first(&a_, c_);
    const WaitGraph::Edge second(&b_, c_);
    EXPECT_FALSE(first.refused());
    EXPECT_FALSE(second.refused());
}

}  // namespace
}  // namespace nio
