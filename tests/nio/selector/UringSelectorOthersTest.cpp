// Channels on io_uring that are neither connections nor listeners: a pipe, say.
#include <nio/selector/uring/UringSelector.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>

#include "support/Engines.h"
#include "support/FullPipe.h"
#include "support/OtherHandler.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using support::FullPipe;
using support::Journal;
using support::Link;
using support::makeLink;
using support::OtherChannel;
using support::OtherHandler;
using support::TestDispatcher;
using support::with;
using testing::ElementsAre;
using testing::IsEmpty;

class UringSelectorOthersTest : public testing::Test {
  protected:
    void SetUp() override {
        const auto selector = Selector::open(with(SelectorKind::uring).selector);
        if (!selector) NIO_SKIP_OR_FAIL(selector.error().message());
        dispatcher_.emplace("test", with(SelectorKind::uring));
    }
    OtherHandler& add(int fd, Interest interest) {
        OtherChannel channel(UniqueFd(::dup(fd)));
        return dispatcher_->add(
            std::make_unique<OtherHandler>(std::move(channel), "other", journal_), interest);
    }
    bool turnUntilCalled() {
        return dispatcher_->turnUntil([&] { return !journal_.empty(); });
    }

    Journal journal_;
    std::optional<TestDispatcher> dispatcher_;
};

TEST_F(UringSelectorOthersTest, WhoWantsToWriteIsToldWhenThereIsRoom) {
    FullPipe pipe;
    add(pipe.fd(), Interest::write);
    dispatcher_->turns(2);
    EXPECT_THAT(journal_, IsEmpty());
    pipe.drain();
    ASSERT_TRUE(turnUntilCalled());
    EXPECT_THAT(journal_, ElementsAre("other write"));
}

// The interest goes in the same turn in which its event comes.
TEST_F(UringSelectorOthersTest, AnEventBehindItsInterestIsForgotten) {
    Link link = makeLink(SocketAddress::Family::ipv4);
    SelectableChannel& channel =
        dispatcher_->add(link, "urgent", journal_, Interest::exceptional).channel();
    const auto send = [&] { return ::send(link.peer.fd(), "!", 1, MSG_OOB); };
    dispatcher_->turn();
    dispatcher_->inTurn([&] {
        onDispatcher.assertCurrent();
        (*dispatcher_)->removeChannelInterestNow(channel, Interest::exceptional);
        ASSERT_EQ(send(), 1);
    });
    dispatcher_->turns(2);
    char byte = 0;
    ASSERT_EQ(::recv(channel.fd(), &byte, 1, MSG_OOB), 1);
    dispatcher_->inTurn([&] {
        onDispatcher.assertCurrent();
        (*dispatcher_)->addChannelInterestNow(channel, Interest::exceptional);
    });
    dispatcher_->turns(3);
    EXPECT_THAT(journal_, IsEmpty());
    ASSERT_EQ(send(), 1);
    ASSERT_TRUE(turnUntilCalled());
    EXPECT_THAT(journal_, ElementsAre("urgent exceptional"));
}

TEST_F(UringSelectorOthersTest, WhoWantsToReadAndToWriteIsToldOfBoth) {
    Link link = makeLink();
    add(link.channel.fd(), Interest::read | Interest::write);
    ASSERT_TRUE(turnUntilCalled());
    EXPECT_THAT(journal_, ElementsAre("other write"));
    journal_.clear();
    link.peer.send("x");
    ASSERT_TRUE(turnUntilCalled());
    EXPECT_THAT(journal_, ElementsAre("other read"));
}

TEST_F(UringSelectorOthersTest, WhatItNoLongerWantsItIsNotToldOf) {
    Link link = makeLink();
    OtherHandler& handler = add(link.channel.fd(), Interest::read);
    dispatcher_->turn();
    dispatcher_->inTurn(
        [&] { (*dispatcher_)->setChannelInterestNow(handler.channel(), Interest::none); });
    link.peer.send("x");
    dispatcher_->turns(3);
    EXPECT_THAT(journal_, IsEmpty());
}

}  // namespace
}  // namespace nio
