// The memory budget, and an end, when there is no memory at all any more.
#include <nio/connection/StreamHandler.h>

#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "nio/connection/MemoryTesting.h"
#include "support/FailingMemory.h"

#include <nio/connection/StreamEncoding.h>

namespace {

using support::FailingMemory;
using support::Link;
using support::makeLink;
using support::MiB;
using support::TestDispatcher;
using Connection = support::SilentConnection;

class StreamHandlerShortageTest : public support::MemoryTesting {
  protected:
    void SetUp() override {
        if (!FailingMemory::isPossible()) GTEST_SKIP() << "no allocation can be made to fail here";
        begin();
    }
    void hold(TestDispatcher& dispatcher, Connection& connection, std::size_t percent) {
        dispatcher.inTurn([&] {
            dispatcher->countBuffered(connection.stream->channel(), percent * 10 * MiB / 100);
        });
    }
    static bool refuses(TestDispatcher& dispatcher) {
        bool refuses = false;
        dispatcher.inTurn([&] { refuses = dispatcher->memory().refusesConnections(); });
        return refuses;
    }
};

TEST_F(StreamHandlerShortageTest, WhoHoldsTheMostIsDroppedAllTheSame) {
    Connection large = connect(a());
    Connection innocent = connect(a());
    hold(a(), large, 90);
    a().turns(2);
    ASSERT_TRUE(a()->invokeLater([&] {
        nio::onDispatcher.assertCurrent();
        a()->countBuffered(large.stream->channel(), 20 * MiB);
    }));
    {
        const FailingMemory none = FailingMemory::from(0);
        for (int i = 0; i < 40 && !a()->isStopped(); ++i) a().turn();
    }
    EXPECT_FALSE(a()->isStopped());
    EXPECT_TRUE(large.seen->ended);
    EXPECT_FALSE(innocent.seen->ended);
}

// Closes itself in its handleFlush, behind which the budget's actions follow.
class ClosesInItsFlush final : public nio::ReadWriteSelectorHandler {
  public:
    ClosesInItsFlush(nio::SocketChannel channel, std::function<void()> before)
        : channel_(std::move(channel)), before_(std::move(before)) {}
    nio::SocketChannel& channel() override { return channel_; }
    void handleRead() override {}
    void handleWrite() override {}
    void handleFlush() override NIO_REQUIRES(nio::onDispatcher) {
        before_();
        channel_.close();
    }

  private:
    nio::SocketChannel channel_;
    std::function<void()> before_;
};

TEST_F(StreamHandlerShortageTest, TheActionsBehindAFlushHarmNobody) {
    struct Shortage {
        FailingMemory memory = FailingMemory::from(0);
    };
    Connection large = connect(a());
    hold(a(), large, 70);
    a().turns(2);
    Link link = makeLink();
    std::optional<Shortage> shortage;
    auto closer = std::make_unique<ClosesInItsFlush>(std::move(link.channel), [&] {
        nio::onDispatcher.assertCurrent();
        a()->countBuffered(large.stream->channel(), 81 * 10 * MiB / 100);
        shortage.emplace();
    });
    ClosesInItsFlush& handler = a().add(std::move(closer), nio::Interest::read);
    a().inTurn([&] { a()->flushLater(handler.channel()); });
    a().turn();
    shortage.reset();
    a().turns(5);
    EXPECT_TRUE(a().failures.empty());
    EXPECT_FALSE(a()->isStopped());
}

TEST_F(StreamHandlerShortageTest, WhatBeginsIsSaidToTheOthersAndEnds) {
    Connection large = connect(a());
    Connection other = connect(b());
    b().turns(2);
    hold(a(), large, 10);
    a().inTurn([&] {
        const FailingMemory none = FailingMemory::from(0);
        a()->countBuffered(large.stream->channel(), 92 * 10 * MiB / 100);
    });
    EXPECT_TRUE(refuses(a()));
    hold(a(), large, 0);
    EXPECT_TRUE(turnBothUntil([&] { return !refuses(a()); }));
}

// Whichever allocation fails: for a line of the log, for the look after it, for the others.
TEST_F(StreamHandlerShortageTest, WhatCouldNotBeSaidToTheOthersIsSaidByALaterLook) {
    for (std::size_t n = 0; n < 16; ++n) {
        dispatchers.clear();
        begin();
        Connection large = connect(a());
        hold(a(), large, 10);
        a().inTurn([&] {
            const FailingMemory none = FailingMemory::nth(n);
            a()->countBuffered(large.stream->channel(), 92 * 10 * MiB / 100);
        });
        ASSERT_TRUE(turnBothUntil([&] { return budget->figures().overload.refuses; }));
        EXPECT_TRUE(turnBothUntil([&] { return refuses(b()); })) << n;
    }
}

TEST_F(StreamHandlerShortageTest, WithoutMemoryForARetryTheNextBytesReportIt) {
    Connection large = connect(a());
    hold(a(), large, 10);
    a().inTurn([&] {
        const FailingMemory none = FailingMemory::from(0);
        a()->countBuffered(large.stream->channel(), 92 * 10 * MiB / 100);
    });
    turnBoth(2);
    EXPECT_FALSE(refuses(b()));
    hold(a(), large, 93);
    turnBoth(2);
    EXPECT_TRUE(refuses(b()));
}

// Has kept something, whatever it is given.
class KeepsInput final : public nio::StreamHandler {
  public:
    explicit KeepsInput(nio::SocketChannel channel)
        : StreamHandler(std::move(channel), std::make_shared<nio::StreamOptions>()) {}
    std::string arrived;
    int revisited = 0;

  protected:
    void bytesArrived(nio::ByteView bytes) override { arrived += nio::asText(bytes); }
    void inputRevisited() override { ++revisited; }
    std::size_t keptInputBytes() const override { return 1; }
};

bool resumesWithoutTheNthAllocation(KeepsInput& stream, std::size_t n) {
    const FailingMemory noMemory = FailingMemory::nth(n);
    try {
        stream.resumeReading();
    } catch (const std::bad_alloc&) {
    }
    return !noMemory.hasFailed();
}

TEST_F(StreamHandlerShortageTest, AFailedResumeStaysPausedAndCanBeRetried) {
    std::size_t n = 0;
    for (bool resumed = false; !resumed; ++n) {
        Link link = makeLink();
        TestDispatcher dispatcher;
        auto made = std::make_unique<KeepsInput>(std::move(link.channel));
        made->pauseReading();
        KeepsInput& stream = dispatcher.add(std::move(made), nio::Interest::read);
        link.peer.send("x");
        dispatcher.inTurn([&] { resumed = resumesWithoutTheNthAllocation(stream, n); });
        EXPECT_EQ(stream.isReadingPaused(), !resumed) << n;
        dispatcher.inTurn([&] { stream.resumeReading(); });
        dispatcher.turns(3);
        EXPECT_EQ(stream.revisited, 1) << n;
        EXPECT_EQ(stream.arrived, "x") << n;
    }
    EXPECT_EQ(n, 3U) << "one for the flush, one for the revisit";
}

class EncodedStream final : public nio::StreamHandler {
  public:
    EncodedStream(nio::SocketChannel channel, int& ends)
        : StreamHandler(std::move(channel), std::make_shared<nio::StreamOptions>()), ends_(ends) {}
    void sendEncoded(std::string_view bytes) NIO_REQUIRES(nio::onDispatcher) {
        nio::StreamEncoding(*this).start();
        pending_ = bytes;
    }

  protected:
    void bytesArrived(nio::ByteView) override {}
    bool encodeOutput(bool ends) override NIO_REQUIRES(nio::onDispatcher) {
        nio::StreamEncoding(*this).send(nio::asBytes(pending_));
        return ends;
    }
    void connectionClosed(const std::optional<nio::Error>&) override { ++ends_; }

  private:
    int& ends_;
    std::string_view pending_;
};

TEST_F(StreamHandlerShortageTest, AnEndThatCannotEncodeItsLastOutputIsAnEnd) {
    Link link = makeLink();
    int ends = 0;
    EncodedStream& stream = a().add(std::make_unique<EncodedStream>(std::move(link.channel), ends),
                                    nio::Interest::read);
    a().turns(2);
    a().inTurn([&] {
        nio::onDispatcher.assertCurrent();
        stream.sendEncoded("hello");
        const FailingMemory noChunk = FailingMemory::from(4096);
        stream.handleIdle();
    });
    EXPECT_EQ(ends, 1);
    a().turns(2);
    EXPECT_TRUE(a().failures.empty());
}

}  // namespace
