// How connections and listeners end on io_uring: nothing is lost that looked as if it had left, and
// nothing stays open.
#include <gtest/gtest.h>
#include <poll.h>

#include <thread>

#include <nio/connection/StreamHandler.h>
#include <nio/selector/uring/UringSelector.h>

#include "support/Engines.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using support::Journal;
using support::Link;
using support::makeLink;
using support::RecordingAcceptHandler;
using support::RecordingHandler;
using support::TestDispatcher;
using Family = SocketAddress::Family;

struct End {
    int closed = 0;
    std::optional<Error> reason;
    std::size_t unsent = 0;
};

class Stream final : public StreamHandler {
  public:
    Stream(SocketChannel channel, End& end)
        : StreamHandler(std::move(channel), std::make_shared<StreamOptions>()), end_(end) {}
    using StreamHandler::sendThrough;

    std::function<void(ByteView)> onBytes;
    std::function<void()> onFinished;

  private:
    void bytesArrived(ByteView bytes) override {
        if (onBytes) onBytes(bytes);
    }
    void peerFinished() override { onFinished ? onFinished() : StreamHandler::peerFinished(); }
    void connectionClosed(const std::optional<Error>& reason) override {
        ++end_.closed;
        end_.reason = reason;
        end_.unsent = remains().unsentBytes;
    }

    End& end_;
};

bool isReadable(int fd) {
    pollfd one{fd, POLLIN, 0};
    return ::poll(&one, 1, 0) == 1;
}

class UringSelectorEndsTest : public testing::Test {
  protected:
    void SetUp() override {
        SelectorThreadOptions options;
        options.selector.kind = SelectorKind::uring;
        const auto selector = Selector::open(options.selector);
        if (!selector) NIO_SKIP_OR_FAIL(selector.error().message());
        dispatcher_.emplace("test", options);
    }
    Stream& addStream() {
        return dispatcher_->add(std::make_unique<Stream>(std::move(link_.channel), end_),
                                Interest::read);
    }
    // So many that one call to the kernel does not bring what all of them have received.
    void addBusyConnections() {
        for (int i = 0; i < 100; ++i) {
            busy_.push_back(makeLink());
            dispatcher_->add(busy_.back(), "busy", journal_);
        }
        dispatcher_->turns(2);
    }
    void makeThemBusy() {
        for (Link& link : busy_) link.peer.send("x");
    }
    RecordingAcceptHandler& addListener() {
        auto listening =
            ServerSocketChannel::open(SocketAddress::numeric("127.0.0.1", 0).orThrow()).orThrow();
        address_ = listening.localAddress().orThrow();
        return dispatcher_->add(
            std::make_unique<RecordingAcceptHandler>(std::move(listening), "l", journal_),
            Interest::accept);
    }

    Journal journal_;
    End end_;
    Link link_ = makeLink();
    std::vector<Link> busy_;
    std::optional<SocketAddress> address_;
    std::optional<TestDispatcher> dispatcher_;
};

TEST_F(UringSelectorEndsTest, AHalfClosedPeerWithAFullSocketGetsItAll) {
    kernel::setSendBufferBytes(link_.channel.fd(), 8 * 1024).orThrow();
    const std::string answer(UringIo::maximumHandedOver - 1, 'a');
    Stream& stream = addStream();
    stream.onFinished = [&] {
        onDispatcher.assertCurrent();
        stream.send(asBytes(answer));
        stream.closeAfterFlush();
    };
    link_.peer.finish();
    std::string got;
    EXPECT_TRUE(dispatcher_->turnUntil([&] {
        got += link_.peer.receiveWhatIsThere();
        return link_.peer.last().status == IoStatus::closed;
    }));
    EXPECT_EQ(got.size(), answer.size());
    EXPECT_EQ(end_.closed, 1);
    EXPECT_FALSE(end_.reason);
}

TEST_F(UringSelectorEndsTest, APausedHandlerHearsThatItsPeerIsGoneWhenItSends) {
    Stream& stream = addStream();
    dispatcher_->inTurn([&] {
        onDispatcher.assertCurrent();
        stream.pauseReading();
    });
    dispatcher_->turns(2);
    link_.peer.close();
    dispatcher_->inTurn([&] {
        onDispatcher.assertCurrent();
        stream.send(asBytes("answer"));
    });
    dispatcher_->turns(3);
    ASSERT_EQ(end_.closed, 1);
    ASSERT_TRUE(end_.reason);
    EXPECT_TRUE(end_.reason->is(std::errc::broken_pipe)) << end_.reason->message();
    EXPECT_EQ(end_.unsent, 6u) << "what did not leave is counted";
}

TEST_F(UringSelectorEndsTest, AFailedConnectionWakesItsWaitingWriter) {
    kernel::setSendBufferBytes(link_.channel.fd(), 4096).orThrow();
    RecordingHandler& handler = dispatcher_->add(link_, "h", journal_);
    SocketChannel& channel = handler.channel();
    dispatcher_->inTurn([&] {
        onDispatcher.assertCurrent();
        (void)channel.write(asBytes(std::string(UringIo::maximumHandedOver, 'm')));
    });
    dispatcher_->turns(2);
    dispatcher_->inTurn([&] {
        onDispatcher.assertCurrent();
        ASSERT_FALSE(channel.flush().isFailed());
    });
    ASSERT_GT(channel.pendingBytes(), 0U);
    bool hasFailed = false;
    handler.onRead = [&] {
        onDispatcher.assertCurrent();
        (*dispatcher_)->addChannelInterestNow(channel, Interest::write);
        handler.onWrite = [&] { hasFailed = channel.flush().isFailed(); };
    };
    link_.peer.close();
    EXPECT_TRUE(dispatcher_->turnUntil([&] { return hasFailed; }));
}

TEST_F(UringSelectorEndsTest, WhatWasLentAndQueuedForAPeerThatIsGoneIsCounted) {
    Stream& stream = addStream();
    stream.onBytes = [&](ByteView bytes) {
        onDispatcher.assertCurrent();
        stream.pauseReading();
        stream.sendThrough(bytes);
        stream.send(asBytes(" and more"));
    };
    link_.peer.send("hello");
    link_.peer.close();
    dispatcher_->turns(4);
    ASSERT_EQ(end_.closed, 1);
    EXPECT_TRUE(end_.reason);
    EXPECT_EQ(end_.unsent, 14u);
}

TEST_F(UringSelectorEndsTest, AConnectionIsClosedWhenCloseReturns) {
    addBusyConnections();
    RecordingHandler& handler = dispatcher_->add(link_, "h", journal_);
    dispatcher_->turns(2);
    dispatcher_->inTurn([&] {
        onDispatcher.assertCurrent();
        makeThemBusy();
        handler.channel().close();
        (void)link_.peer.receiveWhatIsThere();
        EXPECT_EQ(link_.peer.last().status, IoStatus::closed);
    });
}

TEST_F(UringSelectorEndsTest, AListenersPortIsFreeWhenCloseReturns) {
    addBusyConnections();
    RecordingAcceptHandler& listener = addListener();
    dispatcher_->turns(2);
    dispatcher_->inTurn([&] {
        onDispatcher.assertCurrent();
        makeThemBusy();
        listener.channel().close();
        const auto again = ServerSocketChannel::open(*address_);
        EXPECT_TRUE(again) << again.error().message();
    });
}

TEST_F(UringSelectorEndsTest, AListenerTakesNoMoreThanItsHandlerAsksFor) {
    RecordingAcceptHandler& listener = addListener();
    std::size_t accepted = 0;
    listener.onAccept = [&] {
        onDispatcher.assertCurrent();
        if (listener.channel().accept().result.isDone()) ++accepted;
    };
    std::vector<UniqueFd> clients;
    for (int i = 0; i < 2; ++i) {
        clients.push_back(kernel::openStreamSocket(Family::ipv4).orThrow());
        (void)kernel::connect(clients.back().get(), *address_);
        ASSERT_TRUE(kerneltest::waitFor(clients.back().get(), POLLOUT));
    }
    EXPECT_TRUE(dispatcher_->turnUntil([&] { return accepted == 1; }));
    dispatcher_->turns(3);
    EXPECT_EQ(accepted, 1u);
    EXPECT_TRUE(isReadable(listener.channel().fd())) << "the other still waits in the kernel";
    dispatcher_->inTurn([&] {
        onDispatcher.assertCurrent();
        (*dispatcher_)->addChannelInterestNow(listener.channel(), Interest::accept);
    });
    EXPECT_TRUE(dispatcher_->turnUntil([&] { return accepted == 2; }));
}

TEST_F(UringSelectorEndsTest, ADestroyedChannelSendsItsPendingOutput) {
    RecordingHandler& handler = dispatcher_->add(link_, "h", journal_);
    dispatcher_->turns(2);
    dispatcher_->inTurn([&] {
        onDispatcher.assertCurrent();
        SocketChannel mine(std::move(handler.channel()));
        (void)mine.write(asBytes("last words"));
    });
    EXPECT_EQ(link_.peer.receiveAll(), "last words");
}

// A send that succeeds does not end the wait, and nothing else happens.
TEST_F(UringSelectorEndsTest, AFinDoesNotWaitForTheNextEvent) {
    Link link = makeLink(Family::ipv4);
    Journal journal;
    RecordingHandler& handler = dispatcher_->add(link, "h", journal, Interest::read);
    ChannelHandle handle;
    dispatcher_->inTurn([&] {
        onDispatcher.assertCurrent();
        handle = (*dispatcher_)->handleOf(handler.channel());
    });
    std::thread running([&] { (*dispatcher_)->run(); });
    EXPECT_TRUE((*dispatcher_)->invokeLater(handle, [](SelectorHandler& found) {
        onDispatcher.assertCurrent();
        auto& channel = static_cast<RecordingHandler&>(found).channel();
        (void)channel.write(asBytes("the last words"));
        (void)channel.shutdownWrite().ok();
    }));
    EXPECT_EQ(link.peer.receiveAll(), "the last words");
    EXPECT_EQ(link.peer.last().status, IoStatus::closed);
    (*dispatcher_)->requestClose({.deadline = std::chrono::milliseconds(1)});
    running.join();
}

}  // namespace
}  // namespace nio
