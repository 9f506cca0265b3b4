// How many buffers the engine on io_uring receives into, and who gets them.
#include <gtest/gtest.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <list>
#include <optional>
#include <span>

#include <nio/selector/uring/UringSelector.h>

#include "support/Engines.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using support::Link;
using support::makeLink;
using support::RecordingHandler;
using support::TestDispatcher;

// Each of those that find none says so; the pool is doubled once.
TEST(UringSelectorBuffers, DoubleOnceWhenSeveralReceivesFindNone) {
    constexpr std::size_t atFirst = 16;
    UringIo* io = nullptr;
    SelectorThreadOptions options;
    options.openSelector = [&io]() -> Result<std::unique_ptr<Selector>> {
        Result<std::unique_ptr<Selector>> selector = UringSelector::open({});
        if (selector) io = dynamic_cast<UringIo*>(&selector.value()->io());
        return selector;
    };
    const auto selector = UringSelector::open({});
    if (!selector) NIO_SKIP_OR_FAIL(selector.error().message());
    support::Journal journal;
    TestDispatcher dispatcher("test", options);
    ASSERT_EQ(io->buffers().provided(), atFirst);
    std::list<Link> links;
    for (std::size_t i = 0; i < atFirst + 8; ++i) {
        Link& link = links.emplace_back(makeLink());
        link.peer.send("x");
        auto handler = std::make_unique<RecordingHandler>(std::move(link.channel), "h", journal);
        ASSERT_TRUE(dispatcher->registerChannelLater(std::move(handler), Interest::read));
    }
    const auto areAllRead = [&] {
        return static_cast<std::size_t>(std::count(journal.begin(), journal.end(), "h read")) >=
               links.size();
    };
    ASSERT_TRUE(dispatcher.turnUntil(areAllRead));
    EXPECT_EQ(io->buffers().provided(), 2 * atFirst);
}

class UringSelectorBuffersTest : public testing::Test {
  protected:
    void SetUp() override {
        const auto selector = UringSelector::open({});
        if (!selector) NIO_SKIP_OR_FAIL(selector.error().message());
    }
    void make(std::size_t buffers) {
        SelectorThreadOptions options;
        options.selector.kind = SelectorKind::uring;
        options.selector.maxReceiveBuffers = buffers;
        dispatcher_.emplace("test", options);
    }
    RecordingHandler& add(Link& link) { return dispatcher_->add(link, "h", journal_); }
    // What is received for it stays in its buffers.
    static void takeNothing(RecordingHandler& handler) {
        handler.onRead = [&handler] {
            onDispatcher.assertCurrent();
            handler.readOn();
        };
    }
    void sayHelloInTurn(std::span<Link> links) {
        for (Link& each : links) {
            each.peer.send("hello");
            dispatcher_->turns(2);
        }
    }
    static std::size_t unreadIn(RecordingHandler& handler) {
        int bytes = 0;
        EXPECT_EQ(::ioctl(handler.channel().fd(), FIONREAD, &bytes), 0);
        return static_cast<std::size_t>(bytes);
    }

    support::Journal journal_;
    std::optional<TestDispatcher> dispatcher_;
};

// Each piece is a buffer of its own.
TEST_F(UringSelectorBuffersTest, ManySmallUnreadPiecesPauseTheReceive) {
    make(1024);
    Link link = makeLink();
    RecordingHandler& handler = add(link);
    takeNothing(handler);
    std::string sent;
    for (char each = 'a'; each <= 'z'; ++each) {
        sent += each;
        link.peer.send({&each, 1});
        dispatcher_->turns(2);
    }
    EXPECT_GE(unreadIn(handler), 16u);
    handler.onRead = nullptr;
    EXPECT_TRUE(dispatcher_->turnUntil([&] { return handler.kept == sent; }));
}

TEST_F(UringSelectorBuffersTest, WhoIsClosedWhileItWaitsForABufferLeavesItToTheNext) {
    make(1);
    Link links[] = {makeLink(), makeLink(), makeLink()};
    RecordingHandler& holder = add(links[0]);
    RecordingHandler& closed = add(links[1]);
    RecordingHandler& next = add(links[2]);
    takeNothing(holder);
    sayHelloInTurn(links);
    dispatcher_->inTurn([&] {
        onDispatcher.assertCurrent();
        closed.channel().close();
        (*dispatcher_)->setChannelInterestNow(next.channel(), Interest::none);
    });
    dispatcher_->inTurn([&] {
        onDispatcher.assertCurrent();
        next.readOn();
    });
    EXPECT_EQ(next.kept, "") << "there is one buffer";
    holder.onRead = nullptr;
    EXPECT_TRUE(dispatcher_->turnUntil([&] { return next.kept == "hello"; }));
    EXPECT_EQ(holder.kept, "hello");
}

TEST_F(UringSelectorBuffersTest, APausedConnectionDoesNotWaitForABuffer) {
    make(1);
    Link links[] = {makeLink(), makeLink(), makeLink(), makeLink()};
    Link another = makeLink();
    RecordingHandler& pausing = add(another);
    RecordingHandler& holder = add(links[0]);
    RecordingHandler& closed = add(links[1]);
    RecordingHandler& next = add(links[2]);
    RecordingHandler& last = add(links[3]);
    takeNothing(holder);
    sayHelloInTurn(links);
    dispatcher_->inTurn([&] {
        onDispatcher.assertCurrent();
        EXPECT_EQ(asText(holder.channel().receive().bytes), "hello");
        closed.channel().close();
    });
    dispatcher_->inTurn([&] {
        onDispatcher.assertCurrent();
        (*dispatcher_)->setChannelInterestNow(pausing.channel(), Interest::none);
    });
    another.peer.send("later");
    EXPECT_TRUE(dispatcher_->turnUntil([&] { return next.kept + last.kept == "hellohello"; }));
    dispatcher_->turns(2);
    EXPECT_EQ(unreadIn(pausing), 5u);
    dispatcher_->inTurn([&] {
        onDispatcher.assertCurrent();
        pausing.readOn();
    });
    EXPECT_TRUE(dispatcher_->turnUntil([&] { return pausing.kept == "later"; }));
}

}  // namespace
}  // namespace nio
