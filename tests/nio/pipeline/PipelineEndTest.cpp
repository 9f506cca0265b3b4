#include <nio/pipeline/Pipeline.h>

#include <stdexcept>

#include "PipelineCase.h"

namespace pipelinetest {
namespace {

class PipelineEndTest : public PipelineCase {};

// Gives all that it has at the end of the stream.
struct Hoard {
    nio::Bytes all;
    void read(auto&, nio::ByteView bytes) { all.insert(all.end(), bytes.begin(), bytes.end()); }
    void peerFinished(auto& context) { context.read(all); }
};

TEST_F(PipelineEndTest, TheEndWaitsForMorePacketsThanATurnTakes) {
    add(nio::pipeline(Hoard(), nio::lines(), Recorder{&seen}).with({.maxPacketsPerTurn = 2}));
    link.peer.send("1\n2\n3\n4\n5\n");
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, (Strings{"opened", "1", "2", "3", "4", "5", "peer finished", "closed"}));
}

TEST_F(PipelineEndTest, TheEndWaitsForBytesKeptByAPause) {
    auto& peer = add(nio::pipeline(Hoard(), nio::lines(), OneAtATime{{&seen}}));
    link.peer.send("1\n2\nincomplete");
    link.peer.finish();
    ASSERT_TRUE(dispatcher.turnUntil([&] { return seen.size() == 2; }));
    dispatcher.turns(2);
    ASSERT_EQ(seen, (Strings{"opened", "1"}));
    resume(dispatcher, peer);
    EXPECT_EQ(seen, (Strings{"opened", "1", "2"}));
    resume(dispatcher, peer);
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, (Strings{"opened", "1", "2", "peer finished", "closed"}));
}

TEST_F(PipelineEndTest, ShutdownReadDropsWhatAPauseKeeps) {
    auto& peer = add(nio::pipeline(nio::lines(), OneAtATime{{&seen}}));
    link.peer.send("1\n2\n3\n");
    link.peer.finish();
    ASSERT_TRUE(dispatcher.turnUntil([&] { return seen.size() == 2; }));
    dispatcher.turns(2);
    dispatcher.inTurn([&] {
        peer.shutdownRead();
        peer.resumeReading();
    });
    dispatcher.turns(3);
    EXPECT_EQ(seen, (Strings{"opened", "1"}));
    EXPECT_EQ(peer.remains().unreadBytes, 0U);
    dispatcher.inTurn([&] { peer.send("answer"); });
    dispatcher.inTurn([&] { peer.closeAfterFlush(); });
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, (Strings{"opened", "1", "flushed", "closed"}));
    EXPECT_EQ(link.peer.receiveAll(), "answer\n");
}

// Of a dispatcher that counts what its connections keep.
class PipelineShutTest : public PipelineCase {
  protected:
    static nio::SelectorThreadOptions counting() {
        nio::SelectorThreadOptions options;
        options.memoryBudget = std::make_shared<nio::MemoryBudget>(nio::MemoryBudgetOptions());
        return options;
    }
    // Until the connection keeps what has come, and then shuts its input.
    template <class Factory>
    void keepAndShut(const Factory& factory, const std::string& text) {
        auto& peer = counted.add(factory(std::move(link.channel)), nio::Interest::read);
        link.peer.send(text);
        ASSERT_TRUE(counted.turnUntil([&] { return counted->metrics().bufferedBytes > 4000; }));
        counted.inTurn([&] { peer.shutdownRead(); });
        EXPECT_EQ(counted->metrics().bufferedBytes, 0U);
    }

    const std::string line = std::string(4000, 'x') + "\n";
    support::TestDispatcher counted{"counting", counting()};
};

TEST_F(PipelineShutTest, FreesTheBytesThatAPauseKeeps) {
    keepAndShut(nio::pipeline(nio::lines(), OneAtATime{{&seen}}), "first\n" + line);
}

TEST_F(PipelineShutTest, FreesTheItemsThatAPauseKeeps) {
    keepAndShut(nio::pipeline(nio::lines(), Twice(), OneAtATime{{&seen}}), line);
}

struct ShutsAtOnce : Recorder {
    void read(auto& peer, std::string_view packet) {
        seen->emplace_back(packet);
        peer.shutdownRead();
    }
};

TEST_F(PipelineShutTest, FreesTheRestOfTheReadThatShutsIt) {
    const auto make = nio::pipeline(nio::lines(), ShutsAtOnce{{&seen}});
    counted.add(make(std::move(link.channel)), nio::Interest::read);
    link.peer.send("first\n" + line);
    ASSERT_TRUE(counted.turnUntil([&] { return seen.size() == 2; }));
    EXPECT_EQ(counted->metrics().bufferedBytes, 0U);
    counted.turns(2);
    EXPECT_EQ(seen, (Strings{"opened", "first"}));
}

struct LastLine {
    void peerFinished(auto& context) { context.read(nio::asBytes("last\n")); }
};

TEST_F(PipelineEndTest, TheEndWaitsThoughTheLimitWasJustUsedUp) {
    add(nio::pipeline(LastLine(), nio::lines(), Recorder{&seen}).with({.maxPacketsPerTurn = 2}));
    link.peer.send("1\n2\n");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return seen.size() == 3; }));
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, (Strings{"opened", "1", "2", "last", "peer finished", "closed"}));
}

struct TwoLastWords {
    void peerFinished(auto& context) {
        context.read(nio::asBytes("last"));
        context.read(nio::asBytes("words"));
    }
};

TEST_F(PipelineEndTest, OurOwnHalfCloseLosesNoKeptItem) {
    auto& peer = add(nio::pipeline(nio::lines(), TwoLastWords(), OneAtATime{{&seen}}));
    dispatcher.inTurn([&] { peer.shutdownWrite(); });
    link.peer.finish();
    ASSERT_TRUE(dispatcher.turnUntil([&] { return seen.size() == 2; }));
    dispatcher.turns(3);
    ASSERT_EQ(dispatcher->connectionCount(), 1U);
    resume(dispatcher, peer);
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, (Strings{"opened", "last", "words", "peer finished", "closed"}));
}

struct Refuses {
    void opened(auto& context) { context.connection().abort(); }
};

TEST_F(PipelineEndTest, AStepBehindAnAbortInOpenedIsNotOpened) {
    add(nio::pipeline(nio::lines(), Refuses(), Recorder{&seen}));
    EXPECT_EQ(dispatcher->connectionCount(), 0U);
    EXPECT_EQ(seen, Strings());
}

struct AbortsWhenFlushed {
    void flushed(auto& context) { context.connection().abort(); }
};

TEST_F(PipelineEndTest, NothingIsToldAfterClosed) {
    auto& peer = add(nio::pipeline(nio::lines(), AbortsWhenFlushed(), Recorder{&seen}));
    dispatcher.inTurn([&] { peer.send("x"); });
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, (Strings{"opened", "cancelled", "closed"}));
}

struct ThrowsInOpened {
    Strings* seen;
    void opened(auto&) { throw std::runtime_error("opened"); }
    void closed(auto&) { seen->push_back("stage closed"); }
};

TEST_F(PipelineEndTest, OnlyWhatWasOpenedIsClosed) {
    add(nio::pipeline(ThrowsInOpened{&seen}, nio::lines(), Recorder{&seen}));
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, Strings{"stage closed"});
}

struct ThrowsAtTheEnd {
    void failed(auto&, const nio::Error&) { throw std::runtime_error("first"); }
    void closed(auto&) { throw std::runtime_error("second"); }
};

TEST_F(PipelineEndTest, AStepThatThrowsHidesNoEnd) {
    auto& peer = add(nio::pipeline(nio::lines(), ThrowsAtTheEnd(), Recorder{&seen}));
    std::string thrown;
    dispatcher.inTurn([&] {
        try {
            peer.abort();
        } catch (const std::runtime_error& error) {
            thrown = error.what();
        }
    });
    EXPECT_EQ(thrown, "first");
    EXPECT_EQ(seen, (Strings{"opened", "cancelled", "closed"}));
}

}  // namespace
}  // namespace pipelinetest
