// A connection that goes on with another pipeline.
#include <nio/pipeline/Pipeline.h>

#include <algorithm>
#include <new>
#include <stdexcept>

#include <nio/codec/LengthFieldDecoder.h>
#include <nio/codec/RawDecoder.h>
#include <nio/pipeline/IdleStage.h>
#include <nio/pipeline/Observers.h>
#include <nio/pipeline/RateLimitStage.h>

#include "PipelineCase.h"
#include "ToyStage.h"
#include "support/FailingMemory.h"

namespace pipelinetest {
namespace {

using namespace std::string_literals;

class ReplaceTest : public PipelineCase {
  protected:
    template <class Peer>
    void expectTheNextReadsOneAndTwo(Peer& old) {
        Strings after;
        const auto next = nio::pipeline(nio::lines(), Recorder{&after});
        dispatcher.inTurn([&] { EXPECT_TRUE(old.replaceWith(next).ok()); });
        ASSERT_TRUE(dispatcher.turnUntil([&] { return after.size() == 3; }));
        EXPECT_EQ(after, (Strings{"opened", "one", "two"}));
        link.peer.close();
        EXPECT_TRUE(turnUntilEnded());
    }
};

// Answers "ready" to the first line, and goes on with packets behind a length.
struct Upgrades {
    Strings* seen;
    Strings* after;

    void read(auto& peer, std::string_view line) {
        nio::onDispatcher.assumeCurrent();
        seen->emplace_back(line);
        peer.send("ready");
        auto next = nio::pipeline(nio::lengthPrefixed(), Recorder{after});
        EXPECT_TRUE(peer.replaceWith(next).ok());
        peer.send("nobody");
        EXPECT_TRUE(peer.replaceWith(next).error().is(std::errc::not_connected));
    }
    void closed(auto&) { seen->push_back("closed"); }
};

TEST_F(ReplaceTest, WhatFollowsInTheSameReadIsTheOthers) {
    Strings after;
    add(nio::pipeline(nio::lines(), Upgrades{&seen, &after}));
    link.peer.send("upgrade\n\0\0\0\3one\0\0"s);
    ASSERT_TRUE(dispatcher.turnUntil([&] { return after.size() >= 2; }));
    link.peer.send("\0\3two"s);
    ASSERT_TRUE(dispatcher.turnUntil([&] { return after.size() == 3; }));
    EXPECT_EQ(link.peer.receive(6), "ready\n");
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, Strings{"upgrade"});
    std::erase(after, "flushed");
    EXPECT_EQ(after, (Strings{"opened", "one", "two", "peer finished", "closed"}));
}

TEST_F(ReplaceTest, WhatFollowsPassesTransparentStages) {
    Strings after;
    nio::Traffic traffic;
    const auto limit = nio::rateLimit(1'000'000);
    const auto idle = nio::idle(std::chrono::hours(1));
    const auto log = nio::log("x", nio::LogLevel::debug);
    add(nio::pipeline(nio::count(traffic), limit, idle, log, nio::lines(),
                      Upgrades{&seen, &after}));
    link.peer.send("upgrade\n\0\0\0\3one"s);
    ASSERT_TRUE(dispatcher.turnUntil([&] { return after.size() >= 2; }));
    EXPECT_EQ(after, (Strings{"opened", "one"}));
    EXPECT_EQ(traffic.read, 1u);
    link.peer.close();
    EXPECT_TRUE(turnUntilEnded());
}

TEST_F(ReplaceTest, WhatAPauseHasKeptIsTheOthersToo) {
    auto& old = add(nio::pipeline(nio::lines(), OneAtATime{{&seen}}));
    link.peer.send("pause\none\nt");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return seen.size() == 2; }));
    link.peer.send("wo\n");
    expectTheNextReadsOneAndTwo(old);
}

TEST_F(ReplaceTest, BytesThatARawPauseHasKeptAreTheOthers) {
    auto& old = add(nio::pipeline(OneAtATime{{&seen}}));
    link.peer.send("first");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return seen.size() == 2; }));
    link.peer.send("one\ntwo\n");
    expectTheNextReadsOneAndTwo(old);
}

TEST_F(ReplaceTest, AStageThatEncodesTheStreamCannotBe) {
    auto& old = add(nio::pipeline(support::ToyStage(), nio::lines(), Recorder{&seen}));
    dispatcher.turns(2);
    dispatcher.inTurn([&] {
        const auto next = nio::pipeline(nio::lines(), Recorder{&seen});
        EXPECT_TRUE(old.replaceWith(next).error().is(std::errc::operation_not_supported));
        old.abort();
    });
}

TEST_F(ReplaceTest, AResultThatThrowsDoesNotPreventIt) {
    auto& old = add(nio::pipeline(nio::lines(), Recorder{&seen}));
    dispatcher.turns(2);
    Strings after;
    dispatcher.inTurn([&] {
        old.send("first", [](const auto&) { throw std::runtime_error("oh"); });
        const auto next = nio::pipeline(nio::lines(), Recorder{&after});
        EXPECT_THROW((void)old.replaceWith(next), std::runtime_error);
    });
    link.peer.send("one\n");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return after.size() >= 2 && after.back() == "one"; }));
    EXPECT_EQ(link.peer.receive(6), "first\n");
    EXPECT_EQ(seen, Strings{"opened"});
    link.peer.close();
    EXPECT_TRUE(turnUntilEnded());
}

TEST_F(ReplaceTest, AResultMayCloseInsteadOfIt) {
    auto& old = add(nio::pipeline(nio::lines(), Recorder{&seen}));
    dispatcher.turns(2);
    Strings after;
    dispatcher.inTurn([&] {
        old.send("first", [&](const auto& error) {
            EXPECT_TRUE(error && error->is(nio::Errc::notRegistered));
            old.abort();
        });
        const auto next = nio::pipeline(nio::lines(), Recorder{&after});
        EXPECT_TRUE(old.replaceWith(next).error().is(std::errc::not_connected));
    });
    EXPECT_TRUE(turnUntilEnded());
    EXPECT_EQ(after, Strings{});
    EXPECT_EQ(seen.back(), "closed");
}

// The channel is gone: what waited in it cannot have been sent.
TEST_F(ReplaceTest, AFactoryThatThrowsLosesTheConnection) {
    nio::StreamOptions roomy;
    roomy.outputHighMark = roomy.outputLimit = 64 * 1024 * 1024;
    auto& old = add(nio::pipeline(nio::raw(), Recorder{&seen}).with(roomy));
    std::vector<std::error_code> told;
    dispatcher.inTurn([&] {
        const auto tell = [&](const auto& e) { told.push_back(e ? e->code() : std::error_code()); };
        EXPECT_TRUE(old.handle().send(std::string(32 * 1024 * 1024, 'x'), *dispatcher, tell).ok());
    });
    dispatcher.turns(2);
    ASSERT_GT(old.pendingBytes(), 0u);
    dispatcher.inTurn([&] {
        const auto throws = [](nio::SocketChannel) -> std::unique_ptr<nio::Peer> {
            throw std::runtime_error("no");
        };
        EXPECT_THROW((void)old.replaceWith(throws), std::runtime_error);
    });
    ASSERT_TRUE(turnUntilEnded());
    dispatcher.turns(2);
    EXPECT_EQ(told, std::vector<std::error_code>{make_error_code(nio::Errc::notRegistered)});
    EXPECT_EQ(seen, (Strings{"opened", "closed"}));
}

// The old pipeline or the next one.
TEST_F(ReplaceTest, OneIsToldTheEndWhicheverAllocationFails) {
    if (!support::FailingMemory::isPossible()) GTEST_SKIP() << "operator new cannot be replaced";
    bool failed = true;
    for (std::size_t n = 0; failed; ++n) {
        support::Link each = support::makeLink(nio::SocketAddress::Family::ipv4);
        seen.clear();
        const auto next = nio::pipeline(nio::lines(), Recorder{&seen});
        auto& old = dispatcher.add(
            nio::pipeline(nio::lines(), OneAtATime{{&seen}})(std::move(each.channel)),
            nio::Interest::read);
        each.peer.send("one\ntwo\n");
        ASSERT_TRUE(dispatcher.turnUntil([&] { return seen.size() == 2; }));
        bool replaced = false;
        dispatcher.inTurn([&] {
            const support::FailingMemory noMemory = support::FailingMemory::nth(n);
            try {
                replaced = old.replaceWith(next).ok();
            } catch (const std::bad_alloc&) {
            }
            failed = noMemory.hasFailed();
            if (!replaced) old.abort();
        });
        each.peer.close();
        ASSERT_TRUE(turnUntilEnded()) << n;
        EXPECT_EQ(std::count(seen.begin(), seen.end(), "closed"), 1) << n;
        EXPECT_TRUE(replaced || failed) << n;
    }
}

// Twice has given two of each packet already: they are no bytes of the stream any more.
TEST_F(ReplaceTest, WhatAStageHasMadeCannotBePassedOn) {
    auto& old = add(nio::pipeline(nio::lines(), Twice(), OneAtATime{{&seen}}));
    link.peer.send("packet\n");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return seen.size() == 2; }));
    dispatcher.inTurn([&] {
        const auto refused = old.replaceWith(nio::pipeline(nio::lines(), Recorder{&seen}));
        EXPECT_TRUE(refused.error().is(std::errc::operation_not_supported));
    });
    resume(dispatcher, old);
    EXPECT_EQ(seen, (Strings{"opened", "packet", "packet"}));
}

}  // namespace
}  // namespace pipelinetest
