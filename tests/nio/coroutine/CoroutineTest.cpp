// What a connection's coroutine may rely on, on one dispatcher. The same across dispatchers:
// CoroutineCrossingTest.
#include <nio/coroutine/CoroutineApplication.h>

#include <stdexcept>

#include "../pipeline/PipelineCase.h"
#include "support/FailingMemory.h"

#include <nio/codec/RawDecoder.h>

namespace coroutinetest {
namespace {

using nio::Coroutine;
using nio::CoroutinePeer;
using pipelinetest::Strings;

// Writes down that a coroutine's variable is destroyed.
struct Farewell {
    Strings* seen;
    ~Farewell() { seen->push_back("destroyed"); }
};

class CoroutineTest : public pipelinetest::PipelineCase {
  protected:
    template <class Function, class... Stages>
    auto& run(Function function, Stages... stages) {
        return add(nio::pipeline(stages..., nio::coroutine(function)));
    }
    template <class Function>
    auto& run(const nio::StreamOptions& options, Function function) {
        return add(nio::pipeline(nio::lines(), nio::coroutine(function)).with(options));
    }
};

Coroutine<> echo(CoroutinePeer<>& peer) {
    while (auto line = co_await peer.read()) co_await peer.write(*line);
}

TEST_F(CoroutineTest, EchoesLines) {
    run(echo, nio::lines());
    link.peer.send("one\ntwo\n");
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(8), "one\ntwo\n");
}

TEST_F(CoroutineTest, EchoesTheStreamWithoutStages) {
    run(echo);
    link.peer.send("any");
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(3), "any");
}

TEST_F(CoroutineTest, MaySpeakFirst) {
    run([](auto& peer) -> Coroutine<> { co_await peer.write("hello"); }, nio::lines());
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(6), "hello\n");
}

TEST_F(CoroutineTest, ClosesTheConnectionWhenItEnds) {
    run(
        [](auto& peer) -> Coroutine<> {
            const auto line = co_await peer.read();
            co_await peer.write("you said " + *line);
        },
        nio::lines());
    link.peer.send("one\ntwo\n");
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(13), "you said one\n");
    link.peer.finish();
    EXPECT_TRUE(turnUntilEnded());
}

TEST_F(CoroutineTest, ReadsNothingOnceThePeerHasFinished) {
    run(
        [this](auto& peer) -> Coroutine<> {
            while (const auto line = co_await peer.read()) seen.push_back(*line);
            seen.emplace_back("finished");
            co_await peer.write("bye");
        },
        nio::lines());
    link.peer.send("one\ntwo\n");
    link.peer.finish();
    EXPECT_TRUE(turnUntilEnded());
    EXPECT_EQ(link.peer.receive(4), "bye\n");
    EXPECT_EQ(seen, (Strings{"one", "two", "finished"}));
}

TEST_F(CoroutineTest, ItsExceptionEndsThisConnectionOnly) {
    run(
        [](auto& peer) -> Coroutine<> {
            co_await peer.read();
            throw std::runtime_error("no");
        },
        nio::lines());
    support::Link other = support::makeLink(nio::SocketAddress::Family::ipv4);
    dispatcher.add(nio::pipeline(nio::lines(), nio::coroutine(echo))(std::move(other.channel)),
                   nio::Interest::read);
    link.peer.send("one\n");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return dispatcher->connectionCount() == 1; }));
    ASSERT_EQ(dispatcher.failures.size(), 1u);
    EXPECT_NE(dispatcher.failures[0].find("no"), std::string::npos);
    other.peer.send("two\n");
    dispatcher.turns(2);
    EXPECT_EQ(other.peer.receive(4), "two\n");
}

TEST_F(CoroutineTest, IsDestroyedWhereItWaitsWhenTheConnectionEnds) {
    auto& connection = run(
        [this](auto& peer) -> Coroutine<> {
            const Farewell farewell{&seen};
            while (true) co_await peer.sleep(std::chrono::hours(1));
        },
        nio::lines());
    dispatcher.turns(2);
    EXPECT_EQ(seen, Strings());
    dispatcher.inTurn([&] { connection.abort(); });
    EXPECT_EQ(seen, Strings{"destroyed"});
}

TEST_F(CoroutineTest, IsDestroyedWithTheCoroutineThatAwaitsIt) {
    const auto inner = [this](auto& peer) -> Coroutine<std::string> {
        const Farewell farewell{&seen};
        const auto line = co_await peer.read();
        co_return *line;
    };
    auto& connection = run(
        [this, inner](auto& peer) -> Coroutine<> {
            const Farewell farewell{&seen};
            seen.push_back(co_await inner(peer));
            co_await inner(peer);
        },
        nio::lines());
    link.peer.send("one\n");
    dispatcher.turns(2);
    EXPECT_EQ(seen, (Strings{"destroyed", "one"}));
    dispatcher.inTurn([&] { connection.abort(); });
    EXPECT_EQ(seen, (Strings{"destroyed", "one", "destroyed", "destroyed"}));
}

TEST_F(CoroutineTest, AnExceptionComesOutOfTheAwaitedOne) {
    const auto fails = [](auto& peer) -> Coroutine<int> {
        co_await peer.read();
        throw std::runtime_error("no number");
    };
    run(
        [this, fails](auto& peer) -> Coroutine<> {
            try {
                co_await fails(peer);
            } catch (const std::runtime_error& error) {
                seen.emplace_back(error.what());
            }
            co_await peer.read();
        },
        nio::lines());
    link.peer.send("one\n");
    dispatcher.turns(2);
    EXPECT_EQ(seen, Strings{"no number"});
    EXPECT_EQ(dispatcher->connectionCount(), 1u);
}

TEST_F(CoroutineTest, AwaitsManyThatNeverWaitWithoutDeepStack) {
    const auto three = []() -> Coroutine<int> { co_return 3; };
    run(
        [this, three](auto& peer) -> Coroutine<> {
            long sum = 0;
            for (int i = 0; i < 300'000; ++i) sum += co_await three();
            seen.push_back(std::to_string(sum));
            co_await peer.read();
        },
        nio::lines());
    dispatcher.turn();
    EXPECT_EQ(seen, Strings{"900000"});
}

TEST_F(CoroutineTest, WhileItSleepsItemsWaitInOrder) {
    run(
        [this](auto& peer) -> Coroutine<> {
            while (const auto line = co_await peer.read()) {
                co_await peer.sleep(std::chrono::milliseconds(1));
                seen.push_back(*line);
            }
        },
        nio::lines());
    link.peer.send("one\ntwo\nthree\nfour\n");
    link.peer.finish();
    EXPECT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, (Strings{"one", "two", "three", "four"}));
}

TEST_F(CoroutineTest, AWriteWaitsWhileTooMuchIsPending) {
    nio::kernel::setSendBufferBytes(link.channel.fd(), 4096).orThrow();
    const std::string much(50'000, 'x');
    nio::StreamOptions options;
    options.outputHighMark = much.size();
    std::size_t written = 0;
    run(options, [&](auto& peer) -> Coroutine<> {
        for (; written < 200; ++written) co_await peer.write(much);
        co_await peer.read();
    });
    dispatcher.turns(3);
    EXPECT_LT(written, 200u);
    std::size_t received = 0;
    EXPECT_TRUE(dispatcher.turnUntil([&] {
        received += link.peer.receiveWhatIsThere().size();
        return received == 200 * (much.size() + 1);
    }));
    EXPECT_EQ(written, 200u);
}

TEST_F(CoroutineTest, AWriteWaitsForTheEndOfOneThatIsClosing) {
    run(
        [this](auto& peer) -> Coroutine<> {
            const Farewell farewell{&seen};
            peer.connection()->closeAfterFlush();
            while (true) co_await peer.write("nobody hears");
        },
        nio::lines());
    link.peer.finish();
    EXPECT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, Strings{"destroyed"});
}

TEST_F(CoroutineTest, MayAbortItsConnection) {
    run(
        [this](auto& peer) -> Coroutine<> {
            const Farewell farewell{&seen};
            co_await peer.read();
            peer.connection()->abort();
            EXPECT_EQ(peer.connection(), nullptr);
            co_await peer.write("nobody hears");
            co_await peer.read();
            seen.emplace_back("not reached");
        },
        nio::lines());
    link.peer.send("one\n");
    EXPECT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, Strings{"destroyed"});
}

TEST_F(CoroutineTest, ItsExceptionIsReportedAfterAnAbort) {
    run(
        [](auto& peer) -> Coroutine<> {
            co_await peer.read();
            peer.connection()->abort();
            throw std::runtime_error("late");
        },
        nio::lines());
    link.peer.send("one\n");
    EXPECT_TRUE(turnUntilEnded());
    ASSERT_EQ(dispatcher.failures.size(), 1u);
    EXPECT_NE(dispatcher.failures[0].find("late"), std::string::npos);
}

TEST_F(CoroutineTest, IsNotAwaitedTwice) {
    run(
        [this](auto& peer) -> Coroutine<> {
            auto once = [](auto& from) -> Coroutine<std::string> {
                co_return *co_await from.read();
            }(peer);
            seen.push_back(co_await once);
            try {
                co_await once;
            } catch (const std::logic_error& error) {
                seen.emplace_back(error.what());
            }
            co_await peer.read();
        },
        nio::lines());
    link.peer.send("one\n");
    dispatcher.turns(2);
    EXPECT_EQ(seen, (Strings{"one", "nio::Coroutine: awaited twice"}));
}

TEST_F(CoroutineTest, AFunctionThatIsNoCoroutineEndsTheConnection) {
    run([](auto&) { return Coroutine<>(); }, nio::lines());
    EXPECT_TRUE(turnUntilEnded());
    ASSERT_EQ(dispatcher.failures.size(), 1u);
    EXPECT_NE(dispatcher.failures[0].find("is no coroutine"), std::string::npos);
}

// Gives before the application is told that the connection is open.
struct Welcome {
    void opened(auto& context) { context.read("welcome"); }
};

TEST_F(CoroutineTest, ReadsWhatAStageGaveBeforeItBegan) {
    run(echo, nio::lines(), Welcome());
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(8), "welcome\n");
}

TEST_F(CoroutineTest, RefusesAMovableConnection) {
    nio::StreamOptions options;
    options.movable = true;
    run(options, echo);
    EXPECT_TRUE(turnUntilEnded());
    ASSERT_EQ(dispatcher.failures.size(), 1u);
    EXPECT_NE(dispatcher.failures[0].find("movable must be off"), std::string::npos);
}

// Each of its own type; answers before it passes on.
struct Number {
    using In = nio::Packet;
    using Out = int;

    void read(auto& context, nio::ByteView packet) {
        context.read(std::stoi(std::string(nio::asText(packet))));
    }
    void write(auto& context, int number) {
        context.write(std::to_string(number));
        if (number == 0) context.read(-1);
    }
};

TEST_F(CoroutineTest, ReadsAndWritesWhatTheLastStageGives) {
    run(
        [](CoroutinePeer<int, int>& peer) -> Coroutine<> {
            while (const auto number = co_await peer.read()) co_await peer.write(*number + 1);
        },
        nio::lines(), Number());
    link.peer.send("41\n");
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(3), "42\n");
}

TEST_F(CoroutineTest, ReadsWhatAStageGivesInsideAWrite) {
    run(
        [](CoroutinePeer<int, int>& peer) -> Coroutine<> {
            co_await peer.write(0);
            while (const auto number = co_await peer.read()) co_await peer.write(*number * 2);
        },
        nio::lines(), Number());
    link.peer.send("4\n");
    dispatcher.turns(3);
    EXPECT_EQ(link.peer.receive(7), "0\n-2\n8\n");
}

TEST_F(CoroutineTest, AFailedAllocationLeavesNothingBehind) {
    using support::FailingMemory;
    if (!FailingMemory::isPossible()) GTEST_SKIP() << "no allocation can be made to fail here";
    bool failed = true;
    for (std::size_t n = 0; failed; ++n) {
        support::Link mine = support::makeLink(nio::SocketAddress::Family::ipv4);
        support::TestDispatcher own;
        own.add(nio::pipeline(nio::lines(), nio::coroutine([](auto& peer) -> Coroutine<> {
                                  const auto line = co_await peer.read();
                                  co_await peer.sleep(std::chrono::milliseconds(1));
                                  co_await peer.write(*line + *line);
                              }))(std::move(mine.channel)),
                nio::Interest::read);
        mine.peer.send(std::string(100, 'x') + "\n");
        mine.peer.finish();
        const auto ended = [&] { return own->connectionCount() == 0; };
        {
            const auto failing = FailingMemory::nth(n);
            own.turnUntil([&] { return failing.hasFailed() || ended(); });
            failed = failing.hasFailed();
        }
        ASSERT_TRUE(own.turnUntil(ended)) << "allocation " << n;
    }
}

}  // namespace
}  // namespace coroutinetest
