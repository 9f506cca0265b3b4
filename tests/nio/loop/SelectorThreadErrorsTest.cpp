// Exceptions from callbacks: they end one connection, are reported by name, and delay nobody.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "support/TestDispatcher.h"

namespace nio {
namespace {

using support::Journal;
using support::Link;
using support::makeLink;
using support::RecordingAcceptHandler;
using support::RecordingConnectHandler;
using support::RecordingHandler;
using support::TestDispatcher;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

class SelectorThreadErrorsTest : public testing::Test {
  protected:
    static void fail() { throw std::runtime_error("oh"); }

    // The other connection answers in this very turn.
    void expectOtherIsServed() {
        journal_.clear();
        other_.peer.send("x");
        ASSERT_TRUE(dispatcher_.turn());
        EXPECT_THAT(journal_, Contains("other read"));
    }
    void expectEnded(const char* report) {
        EXPECT_THAT(dispatcher_.failures, ElementsAre(report));
        EXPECT_THAT(journal_, Contains("bad destroyed"));
        EXPECT_EQ(bad_.peer.receiveAll(), "");
        EXPECT_EQ(dispatcher_->connectionCount(), 1u);
        expectOtherIsServed();
    }

    Journal journal_;
    Link bad_ = makeLink();
    Link other_ = makeLink();
    TestDispatcher dispatcher_;
    RecordingHandler& badHandler_ = dispatcher_.add(bad_, "bad", journal_);
    RecordingHandler& otherHandler_ = dispatcher_.add(other_, "other", journal_);
};

TEST_F(SelectorThreadErrorsTest, FromHandleReadEndThatConnectionAloneInTheSameTurn) {
    badHandler_.onRead = fail;
    bad_.peer.send("x");
    other_.peer.send("x");
    dispatcher_.turn();
    EXPECT_THAT(journal_, Contains("other read"));
    // What was unread is answered with a reset by a closed Unix-domain socket, too.
    EXPECT_THAT(dispatcher_.failures, ElementsAre("bad::handleRead: oh"));
    EXPECT_THAT(journal_, Contains("bad destroyed"));
    EXPECT_EQ(dispatcher_->connectionCount(), 1u);
    expectOtherIsServed();
}

TEST_F(SelectorThreadErrorsTest, FromHandleWrite) {
    badHandler_.onWrite = fail;
    dispatcher_.inTurn(
        [&] { dispatcher_->addChannelInterestNow(badHandler_.channel(), Interest::write); });
    expectEnded("bad::handleWrite: oh");
}

TEST_F(SelectorThreadErrorsTest, FromHandleFlush) {
    badHandler_.onFlush = fail;
    dispatcher_.inTurn([&] {
        dispatcher_->flushLater(badHandler_.channel());
        dispatcher_->flushLater(otherHandler_.channel());
    });
    EXPECT_THAT(journal_, Contains("other flush"));
    expectEnded("bad::handleFlush: oh");
}

TEST_F(SelectorThreadErrorsTest, FromHandleRevisit) {
    badHandler_.onRevisit = fail;
    dispatcher_.inTurn([&] {
        dispatcher_->revisitLater(badHandler_.channel());
        dispatcher_->revisitLater(otherHandler_.channel());
    });
    dispatcher_.turn();
    EXPECT_THAT(journal_, Contains("other revisit"));
    expectEnded("bad::handleRevisit: oh");
}

TEST_F(SelectorThreadErrorsTest, FromHandleRegistered) {
    Link link = makeLink();
    auto handler = std::make_unique<RecordingHandler>(std::move(link.channel), "new", journal_);
    handler->onRegistered = fail;
    dispatcher_.inTurn([&] {
        const auto registered = dispatcher_->registerChannelNow(std::move(handler), Interest::read);
        ASSERT_TRUE(registered) << "it was taken over, and has ended since";
        EXPECT_EQ(dispatcher_->findNow(registered.value()), nullptr);
    });
    EXPECT_THAT(dispatcher_.failures, ElementsAre("new::handleRegistered: oh"));
    EXPECT_THAT(journal_, ElementsAre("new destroyed"));
    expectOtherIsServed();
}

TEST_F(SelectorThreadErrorsTest, FromHandleAcceptLeaveTheListener) {
    auto acceptor = std::make_unique<RecordingAcceptHandler>(
        ServerSocketChannel::open(SocketAddress::loopback4(0)).orThrow(), "listener", journal_);
    RecordingAcceptHandler& listener = *acceptor;
    int calls = 0;
    listener.onAccept = [&] {
        (void)listener.channel().accept();
        if (++calls == 1) fail();
    };
    dispatcher_.add(std::move(acceptor), Interest::accept);
    const SocketAddress address = listener.channel().localAddress().orThrow();
    for (int i = 1; i <= 2; ++i) {
        const UniqueFd client = kernel::openStreamSocket(address.family()).orThrow();
        EXPECT_TRUE(kerneltest::connectTo(client.get(), address).isDone());
        EXPECT_TRUE(dispatcher_.turnUntil([&] { return calls == i; })) << i;
    }
    EXPECT_THAT(dispatcher_.failures, ElementsAre("listener::handleAccept: oh"));
    expectOtherIsServed();
}

TEST_F(SelectorThreadErrorsTest, FromHandleConnect) {
    auto connecting = std::make_unique<RecordingConnectHandler>(std::move(makeLink().channel),
                                                                "connecting", journal_);
    connecting->onConnect = fail;
    dispatcher_.add(std::move(connecting), Interest::connect);
    dispatcher_.turn();
    EXPECT_THAT(dispatcher_.failures, ElementsAre("connecting::handleConnect: oh"));
    EXPECT_THAT(journal_, Contains("connecting destroyed"));
    expectOtherIsServed();
}

TEST_F(SelectorThreadErrorsTest, FromATask) {
    ASSERT_TRUE(dispatcher_->invokeLater(fail));
    other_.peer.send("x");
    EXPECT_TRUE(dispatcher_.turn());
    EXPECT_THAT(journal_, Contains("other read"));
    EXPECT_THAT(dispatcher_.failures, ElementsAre("task::invokeLater: oh"));
    EXPECT_EQ(dispatcher_->connectionCount(), 2u);
}

TEST_F(SelectorThreadErrorsTest, ThatAreNoStandardExceptions) {
    badHandler_.onFlush = [] { throw 5; };
    dispatcher_.inTurn([&] { dispatcher_->flushLater(badHandler_.channel()); });
    expectEnded("bad::handleFlush: an exception not derived from std::exception");
}

TEST_F(SelectorThreadErrorsTest, FromSomebodyWhoHasClosedAlreadyAreOnlyReported) {
    badHandler_.onFlush = [&] {
        badHandler_.channel().close();
        fail();
    };
    dispatcher_.inTurn([&] { dispatcher_->flushLater(badHandler_.channel()); });
    expectEnded("bad::handleFlush: oh");
}

// A handler that fails in every way that it can.
class Hopeless final : public ReadWriteSelectorHandler {
  public:
    explicit Hopeless(SocketChannel channel) : channel_(std::move(channel)) {}
    SelectableChannel& channel() override { return channel_; }
    std::string name() const override { throw std::runtime_error("no name"); }
    void handleRead() override { throw std::runtime_error("no read"); }
    void handleWrite() override {}
    void handleRevisit() override { throw std::runtime_error("no revisit"); }
    void handleFlush() override { throw std::runtime_error("no flush"); }
    void handleFailure(std::exception_ptr) override { throw std::runtime_error("no failure"); }

  private:
    SocketChannel channel_;
};

TEST_F(SelectorThreadErrorsTest, FromHandleFailureAndNameToo) {
    Link link = makeLink();
    dispatcher_.add(std::make_unique<Hopeless>(std::move(link.channel)), Interest::read);
    link.peer.send("x");
    other_.peer.send("x");
    dispatcher_.turn();
    EXPECT_THAT(dispatcher_.failures, ElementsAre("(nameless)::handleRead: no read",
                                                  "(nameless)::handleFailure: no failure"));
    EXPECT_THAT(journal_, Contains("other read"));
    EXPECT_EQ(dispatcher_->connectionCount(), 2u);
}

TEST_F(SelectorThreadErrorsTest, LeaveNothingOfTheListsOfATurnBehind) {
    Link link = makeLink();
    Hopeless& hopeless =
        dispatcher_.add(std::make_unique<Hopeless>(std::move(link.channel)), Interest::none);
    dispatcher_.inTurn([&] {
        dispatcher_->revisitLater(hopeless.channel());
        dispatcher_->revisitLater(otherHandler_.channel());
        dispatcher_->flushLater(otherHandler_.channel());
    });
    dispatcher_.turns(3);
    EXPECT_THAT(journal_, ElementsAre("other revisit", "other flush"));
    dispatcher_.inTurn([&] { dispatcher_->revisitLater(otherHandler_.channel()); });
    dispatcher_.turns(2);
    EXPECT_EQ(journal_.size(), 3u);
}

// Closed behind our back: epoll cannot be told of an interest any more.
TEST_F(SelectorThreadErrorsTest, OfTheKernelEndAListenerThatCannotBeWatched) {
    SelectorThreadOptions options;
    options.selector.kind = SelectorKind::epoll;
    TestDispatcher dispatcher("epoll", options);
    auto acceptor = std::make_unique<RecordingAcceptHandler>(
        ServerSocketChannel::open(SocketAddress::loopback4(0)).orThrow(), "listener", journal_);
    RecordingAcceptHandler& listener = dispatcher.add(std::move(acceptor), Interest::none);
    dispatcher.turn();
    const int number = listener.channel().fd();
    ASSERT_EQ(::close(number), 0);
    dispatcher.inTurn(
        [&] { dispatcher->addChannelInterestNow(listener.channel(), Interest::accept); });
    // Its close() must close a descriptor of its own.
    ASSERT_EQ(dispatcher.failures.size(), 1u);
    EXPECT_THAT(journal_, ElementsAre("listener destroyed"));
    dispatcher.turns(3);
    EXPECT_EQ(dispatcher.failures.size(), 1u) << "once, not in every turn";
}

TEST_F(SelectorThreadErrorsTest, SayTheTypeOfAHandlerWithoutAName) {
    struct Plain final : ReadWriteSelectorHandler {
        explicit Plain(SocketChannel c) : own(std::move(c)) {}
        SelectableChannel& channel() override { return own; }
        void handleRead() override { fail(); }
        void handleWrite() override {}
        SocketChannel own;
    };
    Link link = makeLink();
    dispatcher_.add(std::make_unique<Plain>(std::move(link.channel)), Interest::read);
    link.peer.send("x");
    dispatcher_.turn();
    ASSERT_EQ(dispatcher_.failures.size(), 1u);
    EXPECT_THAT(dispatcher_.failures[0], testing::HasSubstr("Plain::handleRead: oh"));
}

TEST_F(SelectorThreadErrorsTest, FromTheReportItselfHarmNobody) {
    SelectorThreadOptions options;
    options.onFailure = [](const Failure&) { fail(); };
    SelectorThread dispatcher(options);
    bool ran = false;
    ASSERT_TRUE(dispatcher.invokeLater(fail));
    ASSERT_TRUE(dispatcher.invokeLater([&] { ran = true; }));
    EXPECT_TRUE(dispatcher.turn(std::chrono::nanoseconds::zero()));
    EXPECT_TRUE(ran);
}

TEST_F(SelectorThreadErrorsTest, AreNoneWithoutACause) {
    dispatcher_.turns(3);
    EXPECT_THAT(dispatcher_.failures, IsEmpty());
    EXPECT_THAT(dispatcher_.misuses, IsEmpty());
}

}  // namespace
}  // namespace nio
