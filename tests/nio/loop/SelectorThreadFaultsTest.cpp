// A dispatcher whose selector misbehaves: a wait that fails, readiness that is not there, a channel
// that the kernel does not watch any more.
#include <nio/loop/SelectorThread.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nio/connection/StreamHandler.h>

#include "support/FaultySelector.h"
#include "support/LogCapture.h"
#include "support/PatientHandler.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using support::FaultySelector;
using support::Journal;
using support::Link;
using support::LogCapture;
using support::makeLink;
using support::PatientHandler;
using support::RecordingHandler;
using support::TestDispatcher;
using testing::ElementsAre;
using testing::IsEmpty;

struct SelectorThreadFaultsTest : testing::Test {
    SelectorThreadOptions options() {
        SelectorThreadOptions options = FaultySelector::options(faults);
        options.maxLoopFailures = 3;
        return options;
    }

    Journal journal;
    FaultySelector::Faults faults;
    Link link = makeLink();
    TestDispatcher dispatcher{"test", options()};
};

TEST_F(SelectorThreadFaultsTest, RepeatedFailuresStopTheLoopAndItsConnections) {
    const LogCapture log;
    dispatcher.add(link, "c", journal);
    faults.wait = true;
    EXPECT_TRUE(dispatcher.turn());
    EXPECT_TRUE(dispatcher.turn());
    EXPECT_EQ(log.count("stops"), 0U);
    EXPECT_FALSE(dispatcher.turn());
    EXPECT_TRUE(dispatcher->isStopped());
    EXPECT_EQ(dispatcher.failures.size(), 3U);
    EXPECT_EQ(log.count("a dispatcher stops: its event loop failed repeatedly"), 1U);
    EXPECT_THAT(journal, ElementsAre("c destroyed"));
    EXPECT_EQ(dispatcher->draining().report().aborted, 1U);
    EXPECT_FALSE(dispatcher->invokeLater([] {}));
    EXPECT_EQ(link.peer.receiveAll(), "");
}

TEST(SelectorThreadFaults, WhoGivesUpSaysWhyOnceAndBeforeItsConnectionsEnd) {
    Journal journal;
    FaultySelector::Faults faults{.wait = true};
    SelectorThreadOptions options = FaultySelector::options(faults);
    options.maxLoopFailures = 2;
    options.onGivingUp = [&](const Error& why) { journal.push_back(why.message()); };
    TestDispatcher dispatcher("doomed", std::move(options));
    Link link = makeLink();
    dispatcher.add(link, "c", journal);
    while (dispatcher.turn()) {
    }
    EXPECT_THAT(journal,
                ElementsAre("dispatcher doomed: its event loop failed repeatedly", "c destroyed"));
}

TEST(SelectorThreadFaults, AThrowingFailureCallbackIsReported) {
    Journal journal;
    FaultySelector::Faults faults{.wait = true};
    SelectorThreadOptions options = FaultySelector::options(faults);
    options.maxLoopFailures = 1;
    options.onGivingUp = [](const Error&) { throw std::runtime_error("not allowed"); };
    TestDispatcher dispatcher("doomed", std::move(options));
    EXPECT_FALSE(dispatcher.turn());
    EXPECT_TRUE(dispatcher->isStopped());
    EXPECT_EQ(dispatcher.failures.back(), "loop::onGivingUp: not allowed");
}

TEST_F(SelectorThreadFaultsTest, ADrainThatItCannotFinishSaysWhatWasLostByThat) {
    Link other = makeLink();
    dispatcher.add(link, "c", journal);
    dispatcher.add(std::make_unique<PatientHandler>(other, Remains{7, 0}), Interest::read);
    dispatcher->requestClose({.deadline = std::chrono::hours(1)});
    EXPECT_TRUE(dispatcher.turn());
    faults.wait = true;
    while (dispatcher.turn()) {
    }
    EXPECT_EQ(dispatcher->draining().report().toString(),
              "1 connections drained, 1 aborted, 7 bytes lost");
}

TEST_F(SelectorThreadFaultsTest, AWaitThatFailedHasEndedAndIsNotCountedOn) {
    faults.wait = true;
    EXPECT_TRUE(dispatcher.turn());
    const auto waited = dispatcher->metrics().selectTime;
    const TimePoint later = Clock::after(std::chrono::milliseconds(1));
    while (Clock::now() < later) std::this_thread::yield();
    EXPECT_EQ(dispatcher->metrics().selectTime, waited);
}

TEST_F(SelectorThreadFaultsTest, ATurnThatGoesWellBetweenFailuresBeginsTheCountAnew) {
    for (int i = 0; i < 4; ++i) {
        faults.wait = true;
        dispatcher.turns(2);
        faults.wait = false;
        EXPECT_TRUE(dispatcher.turn());
    }
    EXPECT_EQ(dispatcher.failures.size(), 8U);
}

class Stream final : public StreamHandler {
  public:
    Stream(SocketChannel channel, Journal& journal)
        : StreamHandler(std::move(channel), std::make_shared<StreamOptions>()), journal_(journal) {}

  private:
    void bytesArrived(ByteView bytes) override { journal_.emplace_back(asText(bytes)); }
    void connectionClosed(const std::optional<Error>& reason) override {
        journal_.push_back(reason ? reason->message() : "closed");
    }

    Journal& journal_;
};

TEST_F(SelectorThreadFaultsTest, InputThatIsNotThereDoesAStreamNoHarm) {
    faults.spurious = Interest::read | Interest::write;
    dispatcher.add(std::make_unique<Stream>(std::move(link.channel), journal), Interest::read);
    dispatcher.turns(3);
    EXPECT_THAT(journal, IsEmpty());
    link.peer.send("x");
    dispatcher.turns(3);
    EXPECT_THAT(journal, ElementsAre("x"));
    link.peer.close();
    dispatcher.turns(3);
    EXPECT_THAT(journal, ElementsAre("x", "closed"));
}

TEST_F(SelectorThreadFaultsTest, AChannelThatIsNotWatchedAnyMoreEndsAlone) {
    Link other = makeLink();
    RecordingHandler& broken = dispatcher.add(link, "broken", journal, Interest::none);
    dispatcher.add(other, "other", journal);
    dispatcher.inTurn([&] {
        dispatcher->addChannelInterestNow(broken.channel(), Interest::read);
        faults.rearm = true;
    });
    faults.rearm = false;
    other.peer.send("x");
    dispatcher.turns(2);
    EXPECT_EQ(std::count(journal.begin(), journal.end(), "broken destroyed"), 1);
    EXPECT_EQ(journal.back(), "other read");
    ASSERT_EQ(dispatcher.failures.size(), 1U);
    EXPECT_EQ(link.peer.receiveAll(), "");
}

TEST_F(SelectorThreadFaultsTest, NothingHappensToTheInterestOfAChannelThatIsClosed) {
    RecordingHandler& handler = dispatcher.add(link, "c", journal);
    dispatcher.inTurn([&] {
        handler.channel().close();
        dispatcher->addChannelInterestNow(handler.channel(), Interest::write);
        dispatcher->removeChannelInterestNow(handler.channel(), Interest::read);
        dispatcher->setChannelInterestNow(handler.channel(), Interest::read);
    });
    dispatcher.turn();
    EXPECT_THAT(journal, ElementsAre("c destroyed"));
    EXPECT_THAT(dispatcher.failures, IsEmpty());
    EXPECT_THAT(dispatcher.misuses, IsEmpty());
}

}  // namespace
}  // namespace nio
