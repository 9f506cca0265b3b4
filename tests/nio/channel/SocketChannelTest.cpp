#include <nio/channel/SocketChannel.h>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <memory>

#include "support/TestDispatcher.h"

namespace nio {
namespace {

using support::Journal;
using support::Link;
using support::makeLink;
using support::RecordingConnectHandler;
using support::RecordingHandler;
using support::TestDispatcher;
using Family = SocketAddress::Family;

// One registered connection of each family; `channel_` may only be used inside a turn.
class SocketChannelTest : public kerneltest::EachFamily {
  protected:
    void SetUp() override {
        EachFamily::SetUp();
        if (IsSkipped()) return;
        link_.emplace(makeLink(GetParam()));
        handler_ = &dispatcher_.add(*link_, "a", journal_, Interest::none);
    }
    SocketChannel& channel() { return handler_->channel(); }
    support::Peer& peer() { return link_->peer; }
    template <class F>
    void inTurn(F&& f) {
        dispatcher_.inTurn(std::forward<F>(f));
    }
    // Receives once the kernel has something.
    Received receive() {
        EXPECT_TRUE(kerneltest::waitFor(channel().fd(), POLLIN));
        return channel().receive();
    }
    static std::string numbered(std::size_t bytes) {
        std::string text(bytes, ' ');
        for (std::size_t i = 0; i < bytes; ++i) text[i] = static_cast<char>(i % 251);
        return text;
    }
    void expectStream(const std::string& expected) {
        std::string got;
        while (got.size() < expected.size()) {
            inTurn([&] { EXPECT_FALSE(channel().flush().isFailed()); });
            const std::string more = peer().receiveWhatIsThere();
            got += more;
            ASSERT_TRUE(!more.empty() || kerneltest::waitFor(peer().fd(), POLLIN));
        }
        EXPECT_TRUE(got == expected);
    }

    Journal journal_;
    std::optional<Link> link_;
    TestDispatcher dispatcher_;
    RecordingHandler* handler_ = nullptr;
};

TEST_P(SocketChannelTest, ReceivesWhatThePeerHasSent) {
    peer().send("hello");
    inTurn([&] {
        const Received got = receive();
        EXPECT_EQ(got.status, IoStatus::done);
        EXPECT_EQ(asText(got.bytes), "hello");
        EXPECT_EQ(channel().receive().status, IoStatus::wouldBlock);
    });
}

TEST_P(SocketChannelTest, SendsAtOnceWhatTheKernelTakes) {
    inTurn([&] {
        const IoResult sent = channel().write(asBytes("hello"));
        EXPECT_TRUE(sent.isDone());
        EXPECT_EQ(sent.bytes, 5u);
        EXPECT_EQ(channel().pendingBytes(), 0u);
    });
    EXPECT_EQ(peer().receive(5), "hello");
}

TEST_P(SocketChannelTest, QueuesWhatTheKernelDoesNotTakeAndKeepsTheOrder) {
    const std::string first = numbered(8 * 1024 * 1024);
    inTurn([&] {
        EXPECT_FALSE(channel().write(asBytes(first)).isFailed());
        EXPECT_GT(channel().pendingBytes(), 0u) << "more than any kernel takes";
        EXPECT_FALSE(channel().write(asBytes("second")).isFailed());
        channel().append(asBytes("third"));
    });
    expectStream(first + "secondthird");
    EXPECT_EQ(channel().pendingBytes(), 0u);
}

TEST_P(SocketChannelTest, SendsAllThatWasAppendedInOneCall) {
    std::string expected;
    inTurn([&] {
        for (int i = 0; i < 10; ++i) {
            const std::string piece = numbered(9000 + static_cast<std::size_t>(i));
            channel().append(asBytes(piece));
            expected += piece;
        }
        EXPECT_EQ(channel().pendingBytes(), expected.size());
        EXPECT_EQ(peer().receiveWhatIsThere(), "") << "append only queues";
        const IoResult sent = channel().flush();
        ASSERT_TRUE(sent.isDone());
        EXPECT_GT(sent.bytes, ChunkPool::chunkBytes) << "more than one piece in a call";
    });
    expectStream(expected);
}

TEST_P(SocketChannelTest, FlushesNothingWhenThereIsNothing) {
    inTurn([&] {
        const IoResult sent = channel().flush();
        EXPECT_TRUE(sent.isDone());
        EXPECT_EQ(sent.bytes, 0u);
    });
}

TEST_P(SocketChannelTest, SeesTheEndOfThePeersStreamAndCanStillAnswer) {
    peer().send("last");
    peer().finish();
    inTurn([&] {
        EXPECT_EQ(asText(receive().bytes), "last");
        EXPECT_EQ(receive().status, IoStatus::closed);
        EXPECT_TRUE(channel().write(asBytes("answer")).isDone());
    });
    EXPECT_EQ(peer().receive(6), "answer");
}

TEST_P(SocketChannelTest, HalfClosesAndCanStillReceive) {
    inTurn([&] {
        EXPECT_TRUE(channel().write(asBytes("bye")).isDone());
        EXPECT_TRUE(channel().shutdownWrite());
    });
    EXPECT_EQ(peer().receiveAll(), "bye");
    EXPECT_EQ(peer().last().status, IoStatus::closed) << "a FIN, no RST";
    peer().send("still there");
    inTurn([&] { EXPECT_EQ(asText(receive().bytes), "still there"); });
}

TEST_P(SocketChannelTest, FailsToSendToAPeerThatIsGoneWithoutASignal) {
    peer().close();
    IoResult sent = IoResult::done(0);
    // TCP learns of it by the answer to the first bytes; an engine that sends later, a turn later.
    for (int i = 0; i < 1000 && !sent.isFailed(); ++i) {
        inTurn([&] { sent = channel().write(asBytes("x")); });
    }
    ASSERT_TRUE(sent.isFailed());
    EXPECT_TRUE(sent.code == std::errc::broken_pipe || sent.code == std::errc::connection_reset);
    // An engine that sends later gives back the byte that it could not send.
    EXPECT_LE(channel().pendingBytes(), 1u) << "what fails is not queued";
}

// An operation of the engine that it came from took the error out of the socket.
TEST_P(SocketChannelTest, AFailureThatItBroughtAlongIsToldToTheFirstWrite) {
    Link moved = makeLink(GetParam());
    moved.channel.setFailure(std::errc::connection_reset);
    SocketChannel& channel = dispatcher_.add(moved, "b", journal_, Interest::none).channel();
    inTurn([&] {
        const IoResult sent = channel.write(asBytes("x"));
        EXPECT_TRUE(sent.isFailed());
        EXPECT_EQ(sent.code, std::errc::connection_reset);
        EXPECT_EQ(channel.pendingBytes(), 0u);
    });
}

TEST_P(SocketChannelTest, AnAbortOfOneThatIsClosedOrNotRegisteredIsNone) {
    inTurn([&] {
        channel().close();
        channel().abort();
        EXPECT_FALSE(channel().isOpen());
    });
    SocketChannel alone = SocketChannel::open(SocketAddress::Family::ipv4).orThrow();
    alone.abort();
    EXPECT_FALSE(alone.isOpen());
}

TEST_P(SocketChannelTest, EndsAtThePeerWhenItIsClosed) {
    inTurn([&] {
        EXPECT_TRUE(channel().write(asBytes("x")).isDone());
        channel().close();
        channel().close();
        EXPECT_FALSE(channel().isOpen());
        EXPECT_FALSE(channel().isRegistered());
        EXPECT_THROW((void)channel().receive(), WrongThreadError) << "registered nowhere";
    });
    EXPECT_EQ(peer().receiveAll(), "x");
    EXPECT_EQ(peer().last().status, IoStatus::closed);
}

TEST_P(SocketChannelTest, AbortsWithAReset) {
    inTurn([&] { channel().abort(); });
    EXPECT_EQ(peer().receiveAll(), "");
    if (GetParam() != Family::unix_) {
        EXPECT_TRUE(peer().last().isFailed());
        EXPECT_EQ(peer().last().code, std::errc::connection_reset);
    }
}

TEST_P(SocketChannelTest, KnowsItsAddresses) {
    if (GetParam() == Family::unix_) return;
    const SocketAddress peers = kernel::localAddress(peer().fd()).orThrow();
    EXPECT_EQ(channel().peerAddress().orThrow(), peers);
    EXPECT_EQ(channel().localAddress().orThrow(), kernel::peerAddress(peer().fd()).orThrow());
}

TEST_P(SocketChannelTest, RefusesEverythingWhenItIsNotRegistered) {
    Link link = makeLink(GetParam());
    SocketChannel& loose = link.channel;
    inTurn([&] {
        EXPECT_THROW((void)loose.receive(), WrongThreadError);
        EXPECT_THROW((void)loose.write(asBytes("x")), WrongThreadError);
        EXPECT_THROW(loose.append(asBytes("x")), WrongThreadError);
        EXPECT_THROW((void)loose.flush(), WrongThreadError);
        EXPECT_THROW((void)loose.connectOutcome(), WrongThreadError);
        EXPECT_THROW((void)loose.shutdownWrite(), WrongThreadError);
    });
    EXPECT_EQ(loose.pendingBytes(), 0u);
    loose.close();
    EXPECT_EQ(link.peer.receiveAll(), "") << "nothing was sent";
}

TEST_P(SocketChannelTest, MovesWithWhatItHasQueued) {
    std::unique_ptr<SocketChannel> moved;
    inTurn([&] {
        channel().append(asBytes("queued"));
        moved = std::make_unique<SocketChannel>(std::move(channel()));
        EXPECT_FALSE(channel().isOpen());
        EXPECT_FALSE(channel().isRegistered());
        EXPECT_EQ(channel().pendingBytes(), 0u);
        EXPECT_TRUE(moved->isRegistered());
        EXPECT_EQ(moved->pendingBytes(), 6u);
        EXPECT_TRUE(moved->flush().isDone());
        moved->close();
    });
    EXPECT_EQ(peer().receiveAll(), "queued");
}

TEST_P(SocketChannelTest, ConnectsToAListener) {
    const kerneltest::TemporaryFolder folder;
    const kerneltest::Listener listener(GetParam(), folder);
    auto handler = std::make_unique<RecordingConnectHandler>(
        SocketChannel::open(GetParam()).orThrow(), "connecting", journal_);
    RecordingConnectHandler& connecting = *handler;
    handler->onRegistered = [&] {
        EXPECT_FALSE(connecting.channel().connect(listener.address()).isFailed());
    };
    handler->onConnect = [&] { EXPECT_TRUE(connecting.channel().connectOutcome().isDone()); };
    dispatcher_.add(std::move(handler), Interest::connect);
    EXPECT_TRUE(dispatcher_.turnUntil([&] { return !journal_.empty(); }));
    EXPECT_TRUE(listener.acceptOne());
}

TEST_P(SocketChannelTest, LearnsThatNobodyListens) {
    const kerneltest::TemporaryFolder folder;
    kerneltest::Listener listener(GetParam(), folder);
    const SocketAddress address = listener.address();
    listener.close();
    auto handler = std::make_unique<RecordingConnectHandler>(
        SocketChannel::open(GetParam()).orThrow(), "connecting", journal_);
    RecordingConnectHandler& connecting = *handler;
    IoResult outcome;
    handler->onRegistered = [&] { outcome = connecting.channel().connect(address); };
    // A Unix-domain socket knows at once.
    handler->onConnect = [&] {
        if (!outcome.isFailed()) outcome = connecting.channel().connectOutcome();
    };
    dispatcher_.add(std::move(handler), Interest::connect);
    EXPECT_TRUE(dispatcher_.turnUntil([&] { return outcome.isFailed(); }));
    EXPECT_EQ(outcome.code, std::errc::connection_refused);
}

INSTANTIATE_TEST_SUITE_P(Families, SocketChannelTest,
                         testing::Values(Family::ipv4, Family::ipv6, Family::unix_),
                         kerneltest::familyName);

TEST(SocketChannel, SendsSmallSegmentsWithoutDelay) {
    const SocketChannel channel = SocketChannel::open(Family::ipv4).orThrow();
    int noDelay = 0;
    socklen_t length = sizeof noDelay;
    ASSERT_EQ(::getsockopt(channel.fd(), IPPROTO_TCP, TCP_NODELAY, &noDelay, &length), 0);
    EXPECT_NE(noDelay, 0);
}

TEST(SocketChannel, ReceivesAtMostTheBufferAtOnceAndTheRestLater) {
    SelectorThreadOptions options;
    options.selector.receiveBufferBytes = 4;
    Journal journal;
    TestDispatcher dispatcher("small", options);
    Link link = makeLink();
    RecordingHandler& handler = dispatcher.add(link, "a", journal);
    link.peer.send("0123456789");
    dispatcher.turn();
    EXPECT_EQ(handler.kept, "0123");
    dispatcher.turns(2);
    EXPECT_EQ(handler.kept, "0123456789");
}

TEST_P(SocketChannelTest, HandsOutWhatWasUnreadFirstInPiecesIfNeedBe) {
    SelectorThreadOptions options;
    options.selector.receiveBufferBytes = 4;
    TestDispatcher small("small", options);
    Link link = makeLink(GetParam());
    RecordingHandler& handler = small.add(link, "b", journal_, Interest::none);
    link.peer.send("wxyz");
    small.inTurn([&] {
        handler.channel().unread(asBytes("abc"));
        handler.channel().unread(asBytes("def"));
        handler.channel().unread({});
        EXPECT_EQ(handler.channel().unreadBytes(), 6u);
        EXPECT_EQ(asText(handler.channel().receive().bytes), "abcd");
        EXPECT_EQ(asText(handler.channel().receive().bytes), "ef");
        EXPECT_FALSE(handler.channel().hasUnread());
        EXPECT_TRUE(kerneltest::waitFor(handler.channel().fd(), POLLIN));
        EXPECT_EQ(asText(handler.channel().receive().bytes), "wxyz");
    });
}

TEST(AdoptedConnection, IsServedLikeAnAcceptedOne) {
    kerneltest::ConnectedPair pair(Family::ipv4);
    Journal journal;
    TestDispatcher dispatcher;
    auto channel = SocketChannel::adopt(std::move(pair.server)).orThrow();
    EXPECT_FALSE(channel.isOutgoing());
    auto owned = std::make_unique<RecordingHandler>(std::move(channel), "a", journal);
    RecordingHandler& handler = dispatcher.add(std::move(owned), Interest::none);
    dispatcher.inTurn([&] { EXPECT_TRUE(handler.channel().write(asBytes("hello")).isDone()); });
    EXPECT_EQ(support::Peer(std::move(pair.client)).receive(5), "hello");
}

TEST(AdoptedConnection, IsRefusedIfItIsNotConnected) {
    auto refused = SocketChannel::adopt(kernel::openStreamSocket(Family::ipv4).orThrow());
    ASSERT_FALSE(refused);
    EXPECT_TRUE(refused.error().is(std::errc::not_connected));
}

}  // namespace
}  // namespace nio
