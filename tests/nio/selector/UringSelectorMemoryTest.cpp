// The engine on io_uring in a program that is out of memory for a moment, whichever moment that is:
// it costs one connection at most, and nobody waits for ever.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include <nio/selector/uring/UringSelector.h>

#include "support/Engines.h"
#include "support/FailingMemory.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using support::FailingMemory;
using support::Journal;
using support::Link;
using support::makeLink;
using support::RecordingHandler;
using support::TestDispatcher;

constexpr std::size_t bufferBytes = 64;

SelectorThreadOptions withSmallBuffers() {
    SelectorThreadOptions options;
    options.selector.kind = SelectorKind::uring;
    options.selector.maxReceiveBuffers = 64;
    options.selector.receiveBufferBytes = bufferBytes;
    return options;
}

class UringSelectorMemoryTest : public testing::Test {
  protected:
    void SetUp() override {
        if (!FailingMemory::isPossible()) GTEST_SKIP() << "operator new cannot be replaced";
        const auto selector = Selector::open(withSmallBuffers().selector);
        if (!selector) NIO_SKIP_OR_FAIL(selector.error().message());
        make();
    }
    void make() {
        dispatcher_.emplace("test", withSmallBuffers());
        journal_.clear();
        journal_.reserve(10'000);
    }
    RecordingHandler& add(Link& link) { return dispatcher_->add(link, "h", journal_); }
    // Turns without memory may end early, and say so.
    template <class Failing>
    void turnsWithout(Failing&& memory, int count) {
        const FailingMemory noMemory = memory();
        dispatcher_->turns(count);
    }

    Journal journal_;
    std::optional<TestDispatcher> dispatcher_;
};

// What was received for one that stops reading is moved from the shared buffers to its channel.
TEST_F(UringSelectorMemoryTest, WhoStopsReadingLosesNothing) {
    for (std::size_t n = 0; n < 6; ++n) {
        make();
        Link link = makeLink();
        RecordingHandler& handler = add(link);
        handler.kept.reserve(1000);
        handler.onRead = [&] {
            onDispatcher.assertCurrent();
            handler.kept.append(asText(handler.channel().receive().bytes));
            if (handler.kept.size() == 1) handler.readOn();
        };
        dispatcher_->turns(2);
        // Who sends little is received from until all is there.
        link.peer.send(".");
        dispatcher_->turns(2);
        std::string sent = ".";
        for (char c = 'a'; c <= 'd'; ++c) sent.append(bufferBytes, c);
        link.peer.send(sent.substr(1));
        turnsWithout([n] { return FailingMemory::nth(n); }, 4);
        for (int i = 0; i < 20 && handler.kept.size() < sent.size(); ++i) {
            dispatcher_->inTurn([&] {
                onDispatcher.assertCurrent();
                handler.readOn();
            });
            dispatcher_->turns(2);
        }
        EXPECT_EQ(handler.kept, sent) << n;
    }
}

// Without any memory for as long as they are ready, and with it again.
TEST_F(UringSelectorMemoryTest, ManyThatAreReadyAtOnceAreServedLater) {
    std::vector<Link> links;
    std::vector<RecordingHandler*> handlers;
    for (int i = 0; i < 40; ++i) {
        links.push_back(makeLink());
        handlers.push_back(&add(links.back()));
        handlers.back()->kept.reserve(100);
    }
    dispatcher_->turns(2);
    for (Link& link : links) link.peer.send("x");
    turnsWithout([] { return FailingMemory::from(0); }, 3);
    dispatcher_->turns(4);
    for (const RecordingHandler* handler : handlers) EXPECT_EQ(handler->kept, "x");
}

// A success is silent, so nothing would end a wait.
TEST_F(UringSelectorMemoryTest, APartialSendIsFollowedByTheRestAndItsFin) {
    for (const bool finishes : {false, true}) {
        make();
        Link links[] = {makeLink(), makeLink(), makeLink()};
        const std::string piece(ChunkPool::chunkBytes, 'm');
        std::vector<RecordingHandler*> handlers;
        for (Link& link : links) handlers.push_back(&add(link));
        dispatcher_->turns(2);
        dispatcher_->inTurn([&] {
            onDispatcher.assertCurrent();
            for (RecordingHandler* each : handlers) {
                for (int i = 0; i < 2; ++i) each->channel().append(asBytes(piece));
            }
        });
        ASSERT_TRUE((*dispatcher_)->invokeLater([&] {
            onDispatcher.assertCurrent();
            for (RecordingHandler* each : handlers) {
                EXPECT_TRUE(each->channel().flush().isDone());
                if (!finishes) continue;
                EXPECT_TRUE(each->channel().shutdownWrite().ok());
            }
        }));
        {
            const FailingMemory noMemory = FailingMemory::from(0);
            (*dispatcher_)->turn(std::nullopt);  // would never end otherwise
        }
        dispatcher_->turns(2);
        for (Link& link : links) {
            const std::string got =
                finishes ? link.peer.receiveAll() : link.peer.receive(2 * piece.size());
            EXPECT_EQ(got, piece + piece);
        }
    }
}

// What was received is sent from its buffer; what the socket does not take of it needs memory.
TEST_F(UringSelectorMemoryTest, AnEchoThatIsStuckEndsAlone) {
    Link stuck = makeLink();
    Link other = makeLink();
    ASSERT_TRUE(kernel::setSendBufferBytes(stuck.channel.fd(), 1));
    bool ended = false;
    RecordingHandler& echo = add(stuck);
    echo.onDestroyed = [&] { ended = true; };
    echo.onRead = [&] {
        onDispatcher.assertCurrent();
        const Received got = echo.channel().receive();
        const bool isGone = got.status == IoStatus::failed || got.status == IoStatus::closed;
        if (isGone || echo.channel().write(got.bytes).isFailed()) return echo.channel().close();
        echo.readOn();
    };
    RecordingHandler& quiet = add(other);
    quiet.kept.reserve(100);
    dispatcher_->turns(2);
    const std::string much(64 * bufferBytes, 'm');
    {
        const FailingMemory noMemory = FailingMemory::from(0);
        for (int i = 0; i < 2000 && !ended; ++i) {
            (void)kernel::send(stuck.peer.fd(), asBytes(much));
            dispatcher_->turns(1);
        }
    }
    EXPECT_TRUE(ended);
    other.peer.send("still here");
    dispatcher_->turns(3);
    EXPECT_EQ(quiet.kept, "still here");
}

// Each echoes, moves and ends; the dispatcher reports what went wrong, and goes on.
TEST_F(UringSelectorMemoryTest, WhicheverAllocationFailsTheOthersAreServed) {
    for (std::size_t n = 0; n < 40; ++n) {
        make();
        std::vector<Link> links;
        for (int i = 0; i < 3; ++i) {
            links.push_back(makeLink());
            RecordingHandler& handler = add(links.back());
            handler.onRead = [&handler] {
                onDispatcher.assertCurrent();
                const Received got = handler.channel().receive();
                if (got.status != IoStatus::done) return handler.channel().close();
                // Twice: of one buffer, and of the queue behind it.
                (void)handler.channel().write(got.bytes);
                handler.channel().append(asBytes("."));
                (void)handler.channel().flush();
                handler.readOn();
            };
        }
        const auto sendAll = [&] {
            for (Link& link : links) (void)kernel::send(link.peer.fd(), asBytes("hello"));
        };
        sendAll();
        turnsWithout([n] { return FailingMemory::nth(n); }, 4);
        sendAll();
        dispatcher_->turns(6);
        std::size_t unserved = 0;
        for (Link& link : links) {
            Byte answer[32];
            const IoResult got = kernel::receive(link.peer.fd(), answer);
            const std::string text(asText({answer, got.bytes}));
            unserved += text == "hello.hello." || text == "hellohello." ? 0 : 1;
        }
        EXPECT_LE(unserved, 1u) << n;
    }
}

}  // namespace
}  // namespace nio
