// A coroutine that goes to another dispatcher and comes back.
#include <pthread.h>

#include <future>
#include <stdexcept>
#include <system_error>

#include "../pipeline/PipelineCase.h"

#include <nio/coroutine/CoroutineApplication.h>

namespace coroutinetest {
namespace {

using nio::Coroutine;
using pipelinetest::Strings;

// Both dispatchers are driven by the test, in turn.
class CoroutineCrossingTest : public pipelinetest::PipelineCase {
  protected:
    template <class Function>
    auto& run(Function function) {
        return add(nio::pipeline(nio::lines(), nio::coroutine(function)));
    }
    // A coroutine that reads, works there with each line, and answers.
    void runWorker() {
        run([this](auto& peer) -> Coroutine<> {
            const struct Farewell {
                Strings& seen;
                ~Farewell() { seen.push_back("destroyed"); }
            } farewell{seen};
            while (const auto line = co_await peer.read()) {
                co_await peer.on(*there);
                seen.push_back((*there).isCurrent() ? *line : "elsewhere");
                co_await peer.home();
                co_await peer.write(*line);
            }
        });
    }
    void turnBoth(int count) {
        for (int i = 0; i < count; ++i) dispatcher.turn(), there.turn();
    }

    support::TestDispatcher there{"there"};
};

TEST_F(CoroutineCrossingTest, WorksThereAndAnswersAtHome) {
    runWorker();
    link.peer.send("one\ntwo\n");
    turnBoth(8);
    EXPECT_EQ(link.peer.receive(8), "one\ntwo\n");
    EXPECT_EQ(seen, (Strings{"one", "two"}));
}

TEST_F(CoroutineCrossingTest, ReadsNothingWhileItIsAway) {
    auto& connection = run([this](auto& peer) -> Coroutine<> {
        while (const auto line = co_await peer.read()) {
            seen.push_back(*line);
            co_await peer.on(*there);
            co_await peer.home();
        }
    });
    link.peer.send("one\n");
    dispatcher.turns(2);
    EXPECT_TRUE(connection.isReadingPaused());
    link.peer.send("two\n");
    dispatcher.turns(3);
    EXPECT_EQ(seen, Strings{"one"});
    turnBoth(6);
    EXPECT_EQ(seen, (Strings{"one", "two"}));
    EXPECT_FALSE(connection.isReadingPaused());
}

TEST_F(CoroutineCrossingTest, EndsWhenItComesHomeToAClosedConnection) {
    auto shared = std::make_shared<int>(7);
    std::weak_ptr<int> watch = shared;
    auto& connection = run([this, kept = std::move(shared)](auto& peer) -> Coroutine<> {
        co_await peer.read();
        co_await peer.on(*there);
        seen.push_back(std::to_string(*kept));  // the captures are there
        co_await peer.home();
        seen.emplace_back("not reached");
    });
    link.peer.send("one\n");
    dispatcher.turns(2);
    dispatcher.inTurn([&] { connection.abort(); });
    dispatcher.turns(3);
    EXPECT_EQ(dispatcher->connectionCount(), 0u);
    EXPECT_FALSE(watch.expired());
    turnBoth(3);
    EXPECT_EQ(seen, Strings{"7"});
    EXPECT_TRUE(watch.expired());
}

TEST_F(CoroutineCrossingTest, EndsWhenItComesHomeToAReplacedPipeline) {
    auto& connection = run([this](auto& peer) -> Coroutine<> {
        co_await peer.on(*there);
        seen.emplace_back("there");
        co_await peer.home();
        seen.emplace_back("not reached");
    });
    dispatcher.turn();
    dispatcher.inTurn([&] {
        const auto next = nio::pipeline(nio::lines(), pipelinetest::Recorder{&seen});
        EXPECT_TRUE(connection.replaceWith(next).ok());
    });
    dispatcher.turns(2);
    turnBoth(3);
    EXPECT_EQ(seen, (Strings{"opened", "there"}));
    link.peer.finish();
    EXPECT_TRUE(turnUntilEnded());
}

TEST_F(CoroutineCrossingTest, MayEndThere) {
    run([this](auto& peer) -> Coroutine<> { co_await peer.on(*there); });
    turnBoth(3);
    link.peer.finish();
    EXPECT_TRUE(turnUntilEnded());
    EXPECT_EQ(dispatcher.failures, Strings());
}

TEST_F(CoroutineCrossingTest, ItsExceptionThereEndsTheConnection) {
    run([this](auto& peer) -> Coroutine<> {
        co_await peer.on(*there);
        throw std::runtime_error("no database");
    });
    turnBoth(3);
    EXPECT_TRUE(turnUntilEnded());
    ASSERT_EQ(dispatcher.failures.size(), 1u);
    EXPECT_NE(dispatcher.failures[0].find("no database"), std::string::npos);
    EXPECT_EQ(there.failures, Strings());
}

TEST_F(CoroutineCrossingTest, StaysWhereTheOtherHasStopped) {
    (*there).requestClose();
    while (there.turn()) {
    }
    run([this](auto& peer) -> Coroutine<> {
        try {
            co_await peer.on(*there);
        } catch (const std::system_error& error) {
            seen.push_back(error.code() == nio::Errc::stopped ? "stopped" : error.what());
        }
        co_await peer.write("still here");
        co_await peer.read();
    });
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(11), "still here\n");
    EXPECT_EQ(seen, Strings{"stopped"});
}

TEST_F(CoroutineCrossingTest, ComesHomeFromOneThatEndsItsThread) {
    nio::SelectorThread ends;
    std::promise<void> crossed;
    ASSERT_TRUE(ends.invokeLater([waits = crossed.get_future()] {
        waits.wait();
        ::pthread_exit(nullptr);
    }));
    ends.start();
    run([this, &ends](auto& peer) -> Coroutine<> {
        co_await peer.on(ends);
        co_await peer.home();
        seen.emplace_back("home");
    });
    dispatcher.turns(2);
    crossed.set_value();
    link.peer.finish();
    EXPECT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, Strings{"home"});
    ends.requestClose();
    ends.join();
}

TEST_F(CoroutineCrossingTest, WhatIsForHomeThrowsElsewhere) {
    run([this](auto& peer) -> Coroutine<> {
        co_await peer.on(*there);
        try {
            co_await peer.write("no");
        } catch (const nio::WrongThreadError&) {
            seen.emplace_back("wrong thread");
        }
        co_await peer.home();
        co_await peer.read();
    });
    turnBoth(3);
    EXPECT_EQ(seen, Strings{"wrong thread"});
    EXPECT_EQ(dispatcher->connectionCount(), 1u);
}

// For ThreadSanitizer: real threads, and connections that end meanwhile.
TEST(CoroutineThreads, GoToAndFroWhileConnectionsEnd) {
    nio::SelectorThread home;
    nio::SelectorThread there;
    home.start();
    there.start();
    const auto factory = nio::pipeline(nio::lines(), nio::coroutine([&](auto& peer) -> Coroutine<> {
                                           while (const auto line = co_await peer.read()) {
                                               co_await peer.on(there);
                                               co_await peer.home();
                                               co_await peer.write(*line);
                                           }
                                       }));
    for (int round = 0; round < 50; ++round) {
        support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
        ASSERT_TRUE(
            home.registerChannelLater(factory(std::move(link.channel)), nio::Interest::read, {}));
        link.peer.send("one\n");
        if (round % 2 == 0) {
            EXPECT_EQ(link.peer.receive(4), "one\n");
        }
        link.peer.close();
    }
    home.requestClose();
    home.join();
    there.requestClose();
    there.join();
}

}  // namespace
}  // namespace coroutinetest
