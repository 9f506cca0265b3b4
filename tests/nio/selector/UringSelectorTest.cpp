// What only the engine on io_uring promises; the rest is in SelectorTest.
#include <nio/selector/uring/UringSelector.h>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <thread>

#include "support/Engines.h"
#include "support/NoDescriptorLeft.h"
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

SelectorThreadOptions onUring(std::size_t buffers = 1024, std::size_t bytes = 64 * 1024) {
    SelectorThreadOptions options;
    options.selector.kind = SelectorKind::uring;
    options.selector.maxReceiveBuffers = buffers;
    options.selector.receiveBufferBytes = bytes;
    return options;
}

class UringSelectorTest : public testing::Test {
  protected:
    void SetUp() override {
        const auto selector = Selector::open(onUring().selector);
        if (!selector) NIO_SKIP_OR_FAIL(selector.error().message());
        make(onUring());
    }
    void make(SelectorThreadOptions options) { dispatcher_.emplace("test", std::move(options)); }
    RecordingHandler& add(Link& link, Interest interest = Interest::read) {
        return dispatcher_->add(link, "h", journal_, interest);
    }
    static std::size_t unreadIn(int fd) {
        int bytes = 0;
        EXPECT_EQ(::ioctl(fd, FIONREAD, &bytes), 0);
        return static_cast<std::size_t>(bytes);
    }

    Journal journal_;
    std::optional<TestDispatcher> dispatcher_;
};

// A descriptor with the number that was just closed, with a test's end.
Link sameNumber(int number) {
    Link link = makeLink();
    if (link.channel.fd() == number) return link;
    const int peer = link.peer.fd() == number ? ::dup(link.peer.fd()) : -1;
    UniqueFd there(::dup(link.channel.fd()));
    EXPECT_EQ(::dup3(there.get(), number, O_CLOEXEC), number);
    link.channel.close();
    if (peer < 0) return {SocketChannel(UniqueFd(number)), std::move(link.peer)};
    return {SocketChannel(UniqueFd(number)), support::Peer(UniqueFd(peer))};
}

// Closes a channel in every state that its operations can be in, and has the number used again at
// once, before the dispatcher's next turn.
TEST_F(UringSelectorTest, AQueuedOperationNeverReachesAReusedDescriptor) {
    enum class State { standing, queued, written, lent, stalled, cancelled };
    for (const State state : {State::standing, State::queued, State::written, State::lent,
                              State::stalled, State::cancelled}) {
        Link link = makeLink();
        std::optional<Link> next;
        RecordingHandler& handler =
            add(link, state == State::queued ? Interest::none : Interest::read);
        const auto closeAndReuse = [&] {
            onDispatcher.assertCurrent();
            const int number = handler.channel().fd();
            handler.channel().close();
            EXPECT_EQ(::fcntl(number, F_GETFD), -1) << "the descriptor is closed at once";
            next.emplace(sameNumber(number));
            ASSERT_EQ(next->channel.fd(), number);
            next->peer.send("new input");
        };
        handler.onRead = [&] {
            onDispatcher.assertCurrent();
            const Received got = handler.channel().receive();
            if (state == State::lent) (void)handler.channel().write(got.bytes);
            closeAndReuse();
        };
        if (state == State::lent) {
            link.peer.send("old input");
            dispatcher_->turns(3);
        } else {
            dispatcher_->turn();
            dispatcher_->inTurn([&] {
                onDispatcher.assertCurrent();
                SocketChannel& channel = handler.channel();
                if (state == State::queued) handler.readOn();
                if (state == State::written) (void)channel.write(asBytes("old output"));
                if (state == State::cancelled) {
                    (*dispatcher_)->setChannelInterestNow(channel, Interest::none);
                }
                if (state != State::stalled) closeAndReuse();
            });
        }
        if (state == State::stalled) {
            dispatcher_->inTurn([&] {
                onDispatcher.assertCurrent();
                const std::string much(1024 * 1024, 'o');
                (void)handler.channel().write(asBytes(much));
            });
            dispatcher_->turns(3);
            dispatcher_->inTurn(closeAndReuse);
        }
        ASSERT_TRUE(next) << static_cast<int>(state);
        dispatcher_->turns(3);
        (void)kernel::send(link.peer.fd(), asBytes("late"));
        dispatcher_->turns(3);
        EXPECT_EQ(next->peer.receiveWhatIsThere(), "") << static_cast<int>(state);
        EXPECT_EQ(unreadIn(next->channel.fd()), 9u) << static_cast<int>(state);
        const std::string old = link.peer.receiveWhatIsThere();
        if (state == State::written) {
            EXPECT_EQ(old, "old output");
        }
        if (state == State::lent) {
            EXPECT_EQ(old, "old input");
        }
        next->channel.close();
    }
}

TEST_F(UringSelectorTest, SendsBackWhereItIsWhatItHasJustReceived) {
    Link link = makeLink();
    RecordingHandler& handler = add(link);
    handler.onRead = [&] {
        onDispatcher.assertCurrent();
        const ByteView bytes = handler.channel().receive().bytes;
        const std::size_t half = bytes.size() / 2;
        (void)handler.channel().write(bytes.first(half));
        (void)handler.channel().write(bytes.subspan(half));
        (void)handler.channel().write(asBytes("!"));
        (void)handler.channel().write(bytes.first(1));
        EXPECT_EQ(handler.channel().pendingBytes(), 0u) << "all is handed over";
        handler.readOn();
    };
    for (const char* text : {"hello", "again", "and again"}) {
        link.peer.send(text);
        dispatcher_->turns(2);
        EXPECT_EQ(link.peer.receiveWhatIsThere(), std::string(text) + "!" + text[0]);
    }
}

TEST_F(UringSelectorTest, CountsUnsentOutputAsPendingAndReportsRoom) {
    Link link = makeLink(Family::ipv4);
    kernel::setSendBufferBytes(link.channel.fd(), 16 * 1024).orThrow();
    RecordingHandler& handler = add(link);
    std::string sent;
    dispatcher_->inTurn([&] {
        onDispatcher.assertCurrent();
        while (handler.channel().pendingBytes() == 0) {
            const std::string more(10'000, static_cast<char>('a' + sent.size() % 26));
            EXPECT_FALSE(handler.channel().write(asBytes(more)).isFailed());
            sent += more;
        }
        EXPECT_GE(sent.size(), UringIo::maximumHandedOver) << "so much is handed over on trust";
    });
    handler.onWrite = [&] {
        onDispatcher.assertCurrent();
        EXPECT_FALSE(handler.channel().flush().isFailed());
        if (handler.channel().pendingBytes() > 0) {
            (*dispatcher_)->addChannelInterestNow(handler.channel(), Interest::write);
        }
    };
    std::string got;
    EXPECT_TRUE(dispatcher_->turnUntil([&] {
        got += link.peer.receiveWhatIsThere();
        return got.size() == sent.size();
    }));
    EXPECT_EQ(got, sent);
    EXPECT_EQ(handler.channel().pendingBytes(), 0u);
}

TEST_F(UringSelectorTest, APausedReaderHoardsNoBufferAndItsPeerIsHeldUp) {
    make(onUring(4, 4096));
    std::vector<Link> paused;
    std::vector<RecordingHandler*> handlers;
    for (int i = 0; i < 8; ++i) {
        paused.push_back(makeLink(Family::ipv4));
        handlers.push_back(&add(paused.back()));
    }
    dispatcher_->turn();
    dispatcher_->inTurn([&] {
        onDispatcher.assertCurrent();
        for (RecordingHandler* handler : handlers) {
            (*dispatcher_)->setChannelInterestNow(handler->channel(), Interest::none);
        }
    });
    std::vector<std::size_t> sent(paused.size());
    for (std::size_t all = 0, before = 1; all != before;) {
        before = all;
        for (std::size_t i = 0; i < paused.size(); ++i) {
            const std::size_t taken = paused[i].peer.sendUntilFull();
            sent[i] += taken;
            all += taken;
        }
        dispatcher_->turns(2);
        ASSERT_LT(all, std::size_t{1} << 30) << "its peer feels it";
    }
    for (RecordingHandler* handler : handlers) {
        EXPECT_EQ(handler->channel().unreadBytes(), 0u) << "all stays in the kernel";
    }
    Link lively = makeLink();
    RecordingHandler& served = add(lively);
    lively.peer.send("served");
    EXPECT_TRUE(dispatcher_->turnUntil([&] { return served.kept == "served"; }));
    for (RecordingHandler* handler : handlers) {
        dispatcher_->inTurn([&] {
            onDispatcher.assertCurrent();
            handler->readOn();
        });
    }
    for (std::size_t i = 0; i < paused.size(); ++i) {
        EXPECT_TRUE(dispatcher_->turnUntil([&] { return handlers[i]->kept.size() == sent[i]; }));
        EXPECT_EQ(handlers[i]->kept, std::string(sent[i], 'x'));
    }
}

TEST_F(UringSelectorTest, AFloodIsReceivedOneBufferPerTurn) {
    constexpr std::size_t bytes = 4096;
    make(onUring(1024, bytes));
    for (const Family family : {Family::ipv4, Family::unix_}) {
        Link link = family == Family::unix_ ? makeLink() : makeLink(family);
        RecordingHandler& handler = add(link);
        std::size_t sent = link.peer.sendUntilFull();
        ASSERT_GT(sent, 20 * bytes);
        for (std::size_t turns = 1; turns <= 10; ++turns) {
            dispatcher_->turn();
            sent += link.peer.sendUntilFull();
            EXPECT_LE(handler.kept.size(), turns * bytes);
        }
        dispatcher_->inTurn([&] {
            onDispatcher.assertCurrent();
            (*dispatcher_)->setChannelInterestNow(handler.channel(), Interest::none);
        });
        dispatcher_->turns(3);
        EXPECT_LE(handler.channel().unreadBytes(), bytes) << "what was received when it paused";
        dispatcher_->inTurn([&] {
            onDispatcher.assertCurrent();
            handler.readOn();
        });
        EXPECT_TRUE(dispatcher_->turnUntil([&] { return handler.kept.size() == sent; }));
    }
}

// It is noticed only after what the kernel has taken in one go, 32 buffers at most where it limits
// that at all.
TEST_F(UringSelectorTest, WhoBeginsToFloodIsReceivedFromAllAtOnceOnlyOnce) {
    constexpr std::size_t bytes = 4096;
    make(onUring(1024, bytes));
    Link link = makeLink(Family::ipv4);
    RecordingHandler& handler = add(link);
    link.peer.send("calm");
    EXPECT_TRUE(dispatcher_->turnUntil([&] { return handler.kept == "calm"; }));
    dispatcher_->turn();
    std::size_t sent = 4;
    const auto floodAndCountWhatIsTaken = [&](int turns) {
        for (int i = 0; i < turns; ++i) {
            sent += link.peer.sendUntilFull();
            dispatcher_->turn();
        }
        int underWay = 0;
        EXPECT_EQ(::ioctl(link.peer.fd(), TIOCOUTQ, &underWay), 0);
        return sent - static_cast<std::size_t>(underWay) - unreadIn(handler.channel().fd());
    };
    const std::size_t atFirst = floodAndCountWhatIsTaken(2);
    EXPECT_LE(floodAndCountWhatIsTaken(10), std::max(atFirst, 13 * bytes));
    EXPECT_TRUE(dispatcher_->turnUntil([&] { return handler.kept.size() == sent; }));
}

TEST_F(UringSelectorTest, ServesManyConnectionsWithFewBuffers) {
    for (const std::size_t buffers : {1u, 2u, 16u}) {
        make(onUring(buffers, 64));
        std::vector<Link> links;
        std::vector<RecordingHandler*> handlers;
        for (int i = 0; i < 50; ++i) {
            links.push_back(makeLink());
            RecordingHandler& handler = add(links.back());
            handler.onRead = [&handler] {
                onDispatcher.assertCurrent();
                const Received got = handler.channel().receive();
                (void)handler.channel().write(got.bytes);
                handler.kept += asText(got.bytes);
                handler.readOn();
            };
            handlers.push_back(&handler);
        }
        std::string text;
        for (int i = 0; i < 1000; ++i) text += static_cast<char>('a' + i % 26);
        for (Link& link : links) link.peer.send(text);
        for (std::size_t i = 0; i < links.size(); ++i) {
            EXPECT_TRUE(dispatcher_->turnUntil([&] { return handlers[i]->kept == text; }));
            EXPECT_EQ(links[i].peer.receive(text.size()), text);
        }
        dispatcher_.reset();
    }
}

TEST_F(UringSelectorTest, GoesOnWhenAnotherThreadMakesTheTurns) {
    Link link = makeLink();
    RecordingHandler& handler = add(link);
    std::string expected;
    const auto exchange = [&](const std::string& text) {
        link.peer.send(text);
        expected += text;
        EXPECT_TRUE(dispatcher_->turnUntil([&] { return handler.kept == expected; }));
        dispatcher_->inTurn([&] {
            onDispatcher.assertCurrent();
            (void)handler.channel().write(asBytes("answer to " + text));
        });
        EXPECT_EQ(link.peer.receive(10 + text.size()), "answer to " + text);
    };
    exchange("here");
    link.peer.send("in between ");
    expected += "in between ";
    std::thread([&] {
        exchange("there");
        (*dispatcher_)->queue()->hasWork();
    }).join();
    exchange("and back");
    std::thread([&] { dispatcher_.reset(); }).join();
    EXPECT_EQ(link.peer.receiveAll(), "");
    EXPECT_EQ(link.peer.last().status, IoStatus::closed);
}

TEST_F(UringSelectorTest, AFailedChangeOfThreadsLeavesTheRingWorking) {
    Link link = makeLink();
    RecordingHandler& handler = add(link);
    dispatcher_->turns(2);
    std::thread([&] {
        const support::NoDescriptorLeft none;
        dispatcher_->turns(2);
    }).join();
    EXPECT_THAT(dispatcher_->failures, testing::ElementsAre(testing::HasSubstr("io_uring_setup"),
                                                            testing::HasSubstr("io_uring_setup")));
    link.peer.send("here");
    EXPECT_TRUE(dispatcher_->turnUntil([&] { return handler.kept == "here"; }));
    std::thread([&] {
        link.peer.send(" and there");
        EXPECT_TRUE(dispatcher_->turnUntil([&] { return handler.kept == "here and there"; }));
    }).join();
}

// Descriptors are the program's to give away.
TEST_F(UringSelectorTest, AcceptsLaterWhatItsListenerDidNotWant) {
    const kerneltest::TemporaryFolder folder;
    ListenOptions options;
    auto listening =
        ServerSocketChannel::open(SocketAddress::numeric("127.0.0.1", 0).orThrow(), options)
            .orThrow();
    const SocketAddress address = listening.localAddress().orThrow();
    auto made = std::make_unique<RecordingAcceptHandler>(std::move(listening), "l", journal_);
    RecordingAcceptHandler& handler = dispatcher_->add(std::move(made), Interest::accept);
    dispatcher_->turn();
    dispatcher_->inTurn([&] {
        onDispatcher.assertCurrent();
        (*dispatcher_)->setChannelInterestNow(handler.channel(), Interest::none);
    });
    std::vector<UniqueFd> clients;
    const auto connect = [&] {
        clients.push_back(kernel::openStreamSocket(Family::ipv4).orThrow());
        EXPECT_FALSE(kernel::connect(clients.back().get(), address).isFailed());
        ASSERT_TRUE(kerneltest::waitFor(clients.back().get(), POLLOUT));
        dispatcher_->turns(2);
    };
    for (int i = 0; i < 3; ++i) connect();
    std::size_t accepted = 0;
    handler.onAccept = [&] {
        onDispatcher.assertCurrent();
        while (handler.channel().accept().result.isDone()) ++accepted;
        (*dispatcher_)->addChannelInterestNow(handler.channel(), Interest::accept);
    };
    dispatcher_->inTurn([&] {
        onDispatcher.assertCurrent();
        (*dispatcher_)->setChannelInterestNow(handler.channel(), Interest::accept);
    });
    EXPECT_TRUE(dispatcher_->turnUntil([&] { return accepted == 3; }));
    connect();
    EXPECT_TRUE(dispatcher_->turnUntil([&] { return accepted == 4; }));
}

TEST_F(UringSelectorTest, IsRefusedAsAKindWithTheReason) {
    SelectorThreadOptions options = onUring();
    EXPECT_EQ(SelectorThread(options).registry().selectorName(), "uring");
}

}  // namespace
}  // namespace nio
