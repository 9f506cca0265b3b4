// A dispatcher on io_uring whose ring takes nothing for a while: another thread makes its turns,
// and there is no descriptor for a ring of that thread's own.
#include <nio/selector/uring/UringSelector.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "support/Engines.h"
#include "support/NoDescriptorLeft.h"
#include "support/OtherHandler.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using support::Journal;
using support::Link;
using support::makeLink;
using support::OtherChannel;
using support::OtherHandler;
using support::RecordingHandler;
using support::TestDispatcher;
using support::with;

using Step = std::function<void()>;

class UringSelectorRefusalTest : public testing::Test {
  protected:
    void SetUp() override {
        const auto selector = Selector::open(with(SelectorKind::uring).selector);
        if (!selector) NIO_SKIP_OR_FAIL(selector.error().message());
        dispatcher_.emplace("test", with(SelectorKind::uring));
    }
    // Each in a turn of its own.
    void whileItsRingTakesNothing(const std::vector<Step>& steps) {
        std::thread([&] {
            const support::NoDescriptorLeft none;
            for (const Step& step : steps) dispatcher_->inTurn(step);
        }).join();
        EXPECT_EQ(dispatcher_->failures.size(), steps.size());
        dispatcher_->failures.clear();
    }
    template <class Handler>
    Step setInterest(Handler& handler, Interest interest) {
        return [this, &handler, interest] {
            (*dispatcher_)->setChannelInterestNow(handler.channel(), interest);
        };
    }
    Step write(RecordingHandler& handler, const std::string& text) {
        return
            [&handler, text] { EXPECT_FALSE(handler.channel().write(asBytes(text)).isFailed()); };
    }
    // Its number is that of another one's end at once.
    template <class Handler>
    Step closeAndReuse(Handler& handler, Link& next) {
        return [this, &handler, &next] {
            number_ = handler.channel().fd();
            handler.channel().close();
            EXPECT_EQ(::dup3(next.channel.fd(), number_, O_CLOEXEC), number_);
        };
    }
    // That ring takes something again, or there is one of the thread's own.
    void goOn(bool withTheNextRing) {
        const auto turns = [&] { dispatcher_->turns(4); };
        withTheNextRing ? std::thread(turns).join() : turns();
    }
    // Of what was left to the ring nothing reaches it, nor keeps it open.
    void expectUntouched(Link& next, std::size_t sent = 0) {
        next.channel.close();
        goOn(false);
        ::close(number_);
        EXPECT_EQ(next.peer.receiveAll().size(), sent);
        EXPECT_EQ(next.peer.last().status, IoStatus::closed);
    }

    Journal journal_;
    std::optional<TestDispatcher> dispatcher_;
    int number_ = -1;
};

TEST_F(UringSelectorRefusalTest, AClosedReceiveReachesNoReusedDescriptor) {
    Link link = makeLink();
    Link next = makeLink();
    RecordingHandler& handler = dispatcher_->add(link, "h", journal_, Interest::none);
    whileItsRingTakesNothing({setInterest(handler, Interest::read), closeAndReuse(handler, next)});
    expectUntouched(next);
}

TEST_F(UringSelectorRefusalTest, CloseDuringReceiveIsDeferred) {
    for (const bool withTheNextRing : {false, true}) {
        Link link = makeLink();
        Link next = makeLink();
        RecordingHandler& handler = dispatcher_->add(link, "h", journal_);
        whileItsRingTakesNothing({closeAndReuse(handler, next)});
        goOn(withTheNextRing);
        EXPECT_EQ(link.peer.receiveAll(), "");
        EXPECT_EQ(link.peer.last().status, IoStatus::closed);
        ::close(number_);
    }
}

TEST_F(UringSelectorRefusalTest, WhoPausesAndGoesOnMeanwhileIsReceivedFrom) {
    Link link = makeLink();
    RecordingHandler& handler = dispatcher_->add(link, "h", journal_);
    whileItsRingTakesNothing(
        {setInterest(handler, Interest::none), setInterest(handler, Interest::read)});
    link.peer.send("hello");
    EXPECT_TRUE(dispatcher_->turnUntil([&] { return handler.kept == "hello"; }));
}

TEST_F(UringSelectorRefusalTest, AClosedPollReachesNoReusedDescriptor) {
    for (const Interest interest : {Interest::read, Interest::write}) {
        Link link = makeLink();
        Link next = makeLink();
        std::size_t sent = 0;
        for (IoResult each; (each = kernel::send(next.channel.fd(), asBytes("full"))).isDone();) {
            sent += each.bytes;
        }
        OtherHandler& handler =
            dispatcher_->add(std::make_unique<OtherHandler>(
                                 OtherChannel(UniqueFd(::dup(link.channel.fd()))), "o", journal_),
                             Interest::none);
        whileItsRingTakesNothing({setInterest(handler, interest), closeAndReuse(handler, next)});
        expectUntouched(next, sent);
    }
}

TEST_F(UringSelectorRefusalTest, AClosedWriteReachesNoReusedDescriptor) {
    for (const bool twice : {false, true}) {
        Link link = makeLink();
        Link next = makeLink();
        RecordingHandler& handler = dispatcher_->add(link, "h", journal_);
        std::vector<Step> steps{write(handler, "one"), closeAndReuse(handler, next)};
        if (twice) steps.insert(steps.begin() + 1, write(handler, " two"));
        whileItsRingTakesNothing(steps);
        expectUntouched(next);
        EXPECT_EQ(link.peer.receiveAll(), "") << "nothing is sent behind a close";
    }
}

TEST_F(UringSelectorRefusalTest, OutputKeepsItsOrderOverAChangeOfRings) {
    for (const bool byTheNext : {false, true}) {
        for (const bool twice : {false, true}) {
            Link links[] = {makeLink(), makeLink()};
            RecordingHandler& handler = dispatcher_->add(links[0], "h", journal_);
            RecordingHandler& other = dispatcher_->add(links[1], "other", journal_);
            std::vector<Step> steps{write(handler, "one"), write(other, "beside")};
            if (twice) steps.insert(steps.begin() + 1, write(handler, " two"));
            whileItsRingTakesNothing(steps);
            goOn(byTheNext);
            EXPECT_EQ(links[0].peer.receiveWhatIsThere(), twice ? "one two" : "one");
            EXPECT_EQ(links[1].peer.receiveWhatIsThere(), "beside");
            EXPECT_EQ(handler.channel().pendingBytes(), 0U);
        }
    }
}

// A close calls the kernel, in vain here: what is sent before it has been submitted by then.
TEST_F(UringSelectorRefusalTest, WhatIsSentFromItsPlaceInTwoPartsIsSentWhole) {
    Link links[] = {makeLink(), makeLink(), makeLink()};
    RecordingHandler& handler = dispatcher_->add(links[0], "h", journal_);
    RecordingHandler& other = dispatcher_->add(links[1], "other", journal_);
    handler.onRead = [&] { handler.readOn(); };
    links[0].peer.send("hello");
    dispatcher_->turns(2);
    whileItsRingTakesNothing({[&] {
        const ByteView bytes = handler.channel().receive().bytes;
        ASSERT_EQ(asText(bytes), "hello");
        EXPECT_TRUE(handler.channel().write(bytes.first(2)).isDone());
        closeAndReuse(other, links[2])();
        EXPECT_TRUE(handler.channel().write(bytes.subspan(2)).isDone());
    }});
    goOn(false);
    EXPECT_EQ(links[0].peer.receiveWhatIsThere(), "hello");
    expectUntouched(links[2]);
}

}  // namespace
}  // namespace nio
