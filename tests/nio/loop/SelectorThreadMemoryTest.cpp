// A dispatcher in a program that is out of memory for a moment: what was asked of it happens all
// the same, or is refused and said to be so.
#include <gtest/gtest.h>

#include <memory>

#include <nio/group/SelectorThreadGroup.h>

#include "support/FailingMemory.h"
#include "support/PatientHandler.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using namespace std::chrono_literals;
using support::FailingMemory;
using support::Link;
using support::makeLink;
using support::PatientHandler;
using support::RecordingHandler;
using support::TestDispatcher;

class SelectorThreadMemoryTest : public testing::Test {
  protected:
    void SetUp() override {
        if (!FailingMemory::isPossible()) GTEST_SKIP() << "operator new cannot be replaced";
        journal_.reserve(100);
    }
    std::unique_ptr<RecordingHandler> make(Link& link) {
        return std::make_unique<RecordingHandler>(std::move(link.channel), "a", journal_);
    }
    static bool stops(SelectorThread& thread) {
        for (int i = 0; i < 8; ++i) (void)thread.turn(0ns);
        return thread.isStopped();
    }

    support::Journal journal_;
};

TEST_F(SelectorThreadMemoryTest, IsAskedToCloseAndDoesSo) {
    for (std::size_t n = 0; n < 4; ++n) {
        SelectorThread thread;
        {
            const FailingMemory noMemory = FailingMemory::nth(n);
            EXPECT_NO_THROW(thread.requestClose({.deadline = 1h}));
        }
        EXPECT_TRUE(stops(thread)) << n;
    }
}

TEST_F(SelectorThreadMemoryTest, OfTwoRequestsToCloseTheEarlierDeadlineCounts) {
    TestDispatcher dispatcher;
    Link link = makeLink();
    dispatcher.add(std::make_unique<PatientHandler>(link), Interest::none);
    {
        const FailingMemory noMemory = FailingMemory::from(0);
        dispatcher->requestClose({.deadline = 0ms});
        dispatcher->requestClose({.deadline = 1h});
    }
    EXPECT_TRUE(stops(*dispatcher));
    EXPECT_EQ(dispatcher->draining().report().aborted, 1u);
}

TEST_F(SelectorThreadMemoryTest, DrainsEveryConnectionWithoutAny) {
    TestDispatcher dispatcher;
    Link link = makeLink();
    dispatcher.add(make(link), Interest::none);
    dispatcher->requestClose({.deadline = 1h});
    {
        const FailingMemory noMemory = FailingMemory::from(0);
        dispatcher.turns(4);
    }
    EXPECT_TRUE(dispatcher->isStopped());
    EXPECT_EQ(dispatcher->draining().report().drained, 1u);
}

TEST_F(SelectorThreadMemoryTest, AGroupClosesWhicheverAllocationFails) {
    for (std::size_t n = 0; n < 12; ++n) {
        SelectorThreadGroupOptions options;
        options.threads = 2;
        SelectorThreadGroup group(std::move(options));
        {
            const FailingMemory noMemory = FailingMemory::nth(n);
            EXPECT_NO_THROW(group.requestClose({.deadline = 1h}));
            for (int i = 0; i < 4; ++i) {
                for (std::size_t each : {0u, 1u}) (void)group[each].turn(0ns);
            }
        }
        EXPECT_TRUE(stops(group[0]) && stops(group[1])) << n;
    }
}

TEST_F(SelectorThreadMemoryTest, ARegistrationThatCannotBeQueuedIsRefused) {
    TestDispatcher dispatcher;
    Link link = makeLink();
    auto handler = make(link);
    {
        const FailingMemory noMemory = FailingMemory::from(0);
        const auto posted = dispatcher->registerChannelLater(std::move(handler), Interest::read);
        EXPECT_TRUE(posted.error().is(std::errc::not_enough_memory));
    }
    EXPECT_NE(handler, nullptr);
    EXPECT_EQ(dispatcher->connectionCount(), 0u);
}

TEST_F(SelectorThreadMemoryTest, ARegistrationThatFailsIsToldToItsErrorHandler) {
    TestDispatcher dispatcher;
    dispatcher.turn();
    Link link = makeLink();
    std::optional<std::error_code> told;
    const auto onError = [&](const Error& error) { told = error.code(); };
    ASSERT_TRUE(dispatcher->registerChannelLater(make(link), Interest::read, onError));
    {
        const FailingMemory noMemory = FailingMemory::from(0);
        dispatcher.turn();
    }
    EXPECT_EQ(told, std::errc::not_enough_memory);
    EXPECT_EQ(dispatcher->connectionCount(), 0u);
}

}  // namespace
}  // namespace nio
