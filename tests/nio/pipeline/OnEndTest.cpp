// How a connection with nio::on ends, on either side, and what its halves are told.
#include <algorithm>
#include <stdexcept>

#include "nio/pipeline/OnCase.h"
#include "support/FailingMemory.h"

namespace pipelinetest {
namespace {

class OnEndTest : public OnCase {
  protected:
    template <class Application>
    auto& connect(Application application, const nio::StreamOptions& options = {}) {
        return add(nio::pipeline(nio::lines(), EndRecorder{&seen}, nio::on(*other),
                                 Confined(*other, alive), std::move(application))
                       .with(options));
    }
    void send(std::string_view text) {
        turns();
        link.peer.send(text);
    }

    int alive = 0;
};

TEST_F(OnEndTest, ACloseComesAfterWhatWasSent) {
    connect([](auto& peer, std::string_view) {
        for (int i = 0; i < 1000; ++i) peer.send("answer");
        peer.closeAfterFlush();
    });
    send("x\n");
    EXPECT_EQ(receiveAll().size(), 7000u);
    link.peer.close();
    EXPECT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, (Strings{"front closed"}));
    turns();
    EXPECT_EQ(alive, 0);
}

TEST_F(OnEndTest, AHalfCloseGoesOnReading) {
    connect([this](auto& peer, std::string_view line) {
        seen.emplace_back(line);
        peer.send("last");
        peer.shutdownWrite();
    });
    send("x\n");
    EXPECT_EQ(receiveAll(), "last\n");
    link.peer.send("more\n");
    EXPECT_TRUE(turnUntil([&] { return seen.size() == 2; }));
    EXPECT_EQ(seen, (Strings{"x", "more"}));
    link.peer.close();
    EXPECT_TRUE(turnUntilEnded());
}

TEST_F(OnEndTest, ShutdownReadGoesOnSending) {
    connect([this](auto& peer, std::string_view line) {
        seen.emplace_back(line);
        peer.shutdownRead();
        peer.send("one");
        (void)peer.handle().send("two");
    });
    send("x\ny\n");
    for (int i = 0; i < 100; ++i) send("more\n");
    link.peer.finish();
    EXPECT_EQ(receive(8), "one\ntwo\n");
    turns();
    EXPECT_EQ(seen, (Strings{"x"}));
    dispatcher->requestClose();
    other->requestClose();
    EXPECT_TRUE(turnUntilEnded());
}

struct Failing : Recorder {
    void read(auto& peer, std::string_view packet) {
        seen->emplace_back(packet);
        peer.send("sorry");
        peer.failAfterFlush(nio::Error(nio::Errc::encodingFailed, "x"));
    }
};

TEST_F(OnEndTest, AnErrorOfTheApplicationReachesTheFront) {
    connect(Failing{{&seen}});
    send("x\n");
    EXPECT_EQ(receiveAll(), "sorry\n");
    link.peer.close();
    EXPECT_TRUE(turnUntilEnded());
    const std::string error = nio::Error(nio::Errc::encodingFailed, "x").message();
    EXPECT_EQ(seen, (Strings{"opened", "x", "flushed", "front: " + error, "front closed", error,
                             "closed"}));
}

TEST_F(OnEndTest, AnAbortResetsThePeer) {
    connect([](auto& peer, std::string_view) { peer.abort(); });
    send("x\n");
    EXPECT_TRUE(turnUntilEnded());
    (void)link.peer.receive(1);
    EXPECT_TRUE(link.peer.last().isFailed());
    EXPECT_EQ(seen.size(), 2u);
    turns();
    EXPECT_EQ(alive, 0);
}

TEST_F(OnEndTest, AnExceptionEndsThatConnectionOnly) {
    connect([](auto&, std::string_view) { throw std::runtime_error("no database"); });
    support::Link second = support::makeLink(nio::SocketAddress::Family::ipv4);
    dispatcher.add(nio::pipeline(nio::lines(), nio::on(*other),
                                 [](auto& peer, std::string_view line) { peer.send(line); })(
                       std::move(second.channel)),
                   nio::Interest::read);
    send("x\n");
    EXPECT_TRUE(turnUntil([&] { return dispatcher->connectionCount() == 1; }));
    ASSERT_EQ(other.failures.size(), 1u);
    EXPECT_NE(other.failures[0].find("no database"), std::string::npos);
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_NE(seen[0].find("no database"), std::string::npos) << seen[0];
    second.peer.send("y\n");
    std::string got;
    EXPECT_TRUE(turnUntil([&] { return !(got += second.peer.receiveWhatIsThere()).empty(); }));
    EXPECT_EQ(got, "y\n");
    EXPECT_EQ(alive, 0);
}

struct Unopened : Recorder {
    void opened(auto&) { throw std::runtime_error("no"); }
};

TEST_F(OnEndTest, AnExceptionInOpenedEndsTheConnection) {
    connect(Unopened{{&seen}});
    EXPECT_TRUE(turnUntilEnded());
    EXPECT_EQ(other.failures.size(), 1u);
    turns();
    EXPECT_EQ(alive, 0);
}

// Fails in the front, for what the back has sent.
struct Choosy {
    void write(auto& context, nio::ByteView packet) {
        if (nio::asText(packet) == "bad") throw std::runtime_error("bad");
        context.write(packet);
    }
};

TEST_F(OnEndTest, AnExceptionBeforeItEndsBothHalves) {
    add(nio::pipeline(nio::lines(), Choosy(), nio::on(*other),
                      [](auto& peer, std::string_view line) { peer.send(line); }));
    send("bad\n");
    EXPECT_TRUE(turnUntilEnded());
    EXPECT_EQ(dispatcher.failures.size(), 1u);
    EXPECT_TRUE(other.failures.empty());
}

TEST_F(OnEndTest, ItemsComeBeforeAReset) {
    connect(Recorder{&seen});
    send("one\ntwo\n");
    EXPECT_TRUE(dispatcher.turnUntil([&] { return other->queue()->size() > 0; }));
    nio::kernel::setResetOnClose(link.peer.fd()).orThrow();
    link.peer.close();
    EXPECT_TRUE(dispatcher.turnUntil([&] { return dispatcher->connectionCount() == 0; }));
    EXPECT_TRUE(turnUntilEnded());
    ASSERT_EQ(seen.size(), 7u);
    EXPECT_EQ(seen[3], "one");
    EXPECT_EQ(seen[4], "two");
    EXPECT_EQ("front: " + seen[5], seen[1]);
    EXPECT_EQ(seen[6], "closed");
    turns();
    EXPECT_EQ(alive, 0);
}

TEST_F(OnEndTest, ManyItemsComeBeforeAReset) {
    connect(Recorder{&seen});
    constexpr std::size_t count = 1000;
    std::string lines;
    for (std::size_t i = 0; i < count; ++i) lines += "x\n";
    send(lines);
    EXPECT_TRUE(dispatcher.turnUntil([&] { return other->queue()->size() > 0; }));
    dispatcher.turns(10);
    nio::kernel::setResetOnClose(link.peer.fd()).orThrow();
    link.peer.close();
    EXPECT_TRUE(dispatcher.turnUntil([&] { return dispatcher->connectionCount() == 0; }));
    EXPECT_TRUE(turnUntilEnded());
    EXPECT_EQ(std::count(seen.begin(), seen.end(), "x"), std::ptrdiff_t{count});
    EXPECT_EQ(seen.back(), "closed");
}

TEST_F(OnEndTest, OverTheOutputLimitBothHalvesEnd) {
    nio::StreamOptions options;
    options.outputLimit = 64 * 1024;
    connect(
        [](auto& peer, std::string_view) {
            const std::string much(1024, 'x');
            while (peer.maySend()) peer.send(much);
        },
        options);
    send("x\n");
    EXPECT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen,
              (Strings{"front: " + nio::Error(nio::Errc::outputLimit).message(), "front closed"}));
}

// --- out of memory --------------------------------------------------------------------------

// Nothing is made for the end that was not there before.
class OnEndMemoryTest : public OnCase {
  protected:
    void SetUp() override {
        if (!support::FailingMemory::isPossible())
            GTEST_SKIP() << "operator new is the sanitizer's";
        front = &add(nio::pipeline(nio::lines(), nio::on(*other), Application{&back, &isClosed}));
        turns();
        ASSERT_NE(back, nullptr);
    }
    template <class Turned>
    void abortWithoutMemory(Turned& turned, nio::StreamHandler& half) {
        ASSERT_TRUE(turned->invokeLater([&] {
            nio::onDispatcher.assertCurrent();
            half.abort();
        }));
        const auto noMemory = support::FailingMemory::from(0);
        turned.turn();
        EXPECT_EQ(turned->connectionCount(), 0u);
    }
    struct Application {
        nio::StreamHandler** back;
        bool* isClosed;

        void opened(auto& peer) { *back = &peer; }
        void read(auto&, std::string_view) {}
        void closed(auto&) { *isClosed = true; }
    };

    nio::StreamHandler* front = nullptr;
    nio::StreamHandler* back = nullptr;
    bool isClosed = false;
};

TEST_F(OnEndMemoryTest, TheBackHearsThatTheFrontHasEnded) {
    abortWithoutMemory(dispatcher, *front);
    other.turns(2);
    EXPECT_EQ(other->connectionCount(), 0u);
    EXPECT_TRUE(isClosed);
}

TEST_F(OnEndMemoryTest, TheFrontHearsThatTheBackHasEnded) {
    abortWithoutMemory(other, *back);
    EXPECT_TRUE(isClosed);
    dispatcher.turns(2);
    EXPECT_EQ(dispatcher->connectionCount(), 0u);
}

// --- the dispatchers end --------------------------------------------------------------------

TEST_F(OnEndTest, ADrainOfTheFrontWaitsForTheBack) {
    connect([](auto& peer, std::string_view line) { peer.send(line); });
    send("one\n");
    EXPECT_TRUE(dispatcher.turnUntil([&] { return other->queue()->size() > 0; }));
    nio::DrainOptions drain;
    drain.quietPeriod = std::chrono::milliseconds(1);
    drain.deadline = nio::kerneltest::patience;
    dispatcher->requestClose(drain);
    for (int i = 0; i < 5; ++i) dispatcher->turn(std::chrono::milliseconds(5));
    EXPECT_EQ(dispatcher->connectionCount(), 1u) << "the item is not processed";
    EXPECT_EQ(receiveAll(), "one\n");
    link.peer.close();
    EXPECT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, (Strings{"front closed"}));
}

TEST_F(OnEndTest, ADrainOfTheTargetDrainsItsConnections) {
    connect([](auto& peer, std::string_view line) { peer.send(line); });
    send("one\n");
    EXPECT_TRUE(dispatcher.turnUntil([&] { return other->queue()->size() > 0; }));
    nio::DrainOptions drain;
    drain.quietPeriod = std::chrono::milliseconds(1);
    drain.deadline = nio::kerneltest::patience;
    other->requestClose(drain);
    EXPECT_EQ(receiveAll(), "one\n");
    link.peer.close();
    EXPECT_TRUE(turnUntil([&] { return other->isStopped(); }));
    EXPECT_TRUE(turnUntilEnded());
    EXPECT_EQ(other->draining().report().aborted, 0u);
    EXPECT_EQ(seen, (Strings{"front closed"}));
    EXPECT_EQ(alive, 0);
}

TEST_F(OnEndTest, WhatTheFrontLosesIsLostOnce) {
    const std::string answer(1023, 'x');
    auto& front = connect([&](auto& peer, std::string_view) {
        for (int i = 0; i < 12 * 1024; ++i) peer.send(answer);
    });
    send("x\n");
    EXPECT_TRUE(turnUntil([&] { return front.pendingBytes() > 0; }));
    nio::DrainOptions drain;
    drain.quietPeriod = drain.deadline = nio::kerneltest::patience;
    other->requestClose(drain);
    other.turn();
    dispatcher->requestClose(nio::DrainOptions::atOnce());
    while (dispatcher.turn()) {
    }
    while (other.turn()) {
    }
    EXPECT_GT(dispatcher->draining().report().bytesLost, 0u);
    EXPECT_EQ(other->draining().report().bytesLost, 0u);
}

TEST_F(OnEndTest, AStopOfTheTargetAbortsItsConnections) {
    auto factory = nio::pipeline(nio::lines(), EndRecorder{&seen}, nio::on(*other),
                                 Confined(*other, alive), Recorder{&seen});
    const int before = alive;
    add(factory);
    send("one\n");
    EXPECT_TRUE(dispatcher.turnUntil([&] { return other->queue()->size() > 0; }));
    other->requestClose(nio::DrainOptions::atOnce());
    while (other.turn()) {
    }
    EXPECT_EQ(alive, before);
    EXPECT_TRUE(turnUntilEnded());
    const std::string error = nio::Error(nio::Errc::cancelled).message();
    EXPECT_EQ(seen, (Strings{"opened", "one", error, "closed", "front: " + error, "front closed"}));

    seen.clear();
    support::Link second = support::makeLink(nio::SocketAddress::Family::ipv4);
    dispatcher.add(factory(std::move(second.channel)), nio::Interest::read);
    EXPECT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, (Strings{"front: " + nio::Error(nio::Errc::stopped, "nio::on").message(),
                             "front closed"}));
}

TEST_F(OnEndTest, AStopOfTheFrontReachesTheBack) {
    connect(Recorder{&seen});
    send("one\n");
    EXPECT_TRUE(dispatcher.turnUntil([&] { return other->queue()->size() > 0; }));
    dispatcher->requestClose(nio::DrainOptions::atOnce());
    while (dispatcher.turn()) {
    }
    EXPECT_TRUE(turnUntil([&] { return other->connectionCount() == 0; }));
    const std::string error = nio::Error(nio::Errc::cancelled).message();
    EXPECT_EQ(seen, (Strings{"opened", "front: " + error, "front closed", "one", error, "closed"}));
    turns();
    EXPECT_EQ(alive, 0);
}

// --- migration ------------------------------------------------------------------------------

TEST_F(OnEndTest, TheFrontMayMigrate) {
    support::TestDispatcher third("third");
    nio::StreamOptions options;
    options.movable = true;
    auto& front = connect([](auto& peer, std::string_view line) { peer.send(line); }, options);
    send("one\n");
    EXPECT_TRUE(dispatcher.turnUntil([&] { return other->queue()->size() > 0; }));
    dispatcher.inTurn(
        [&] { EXPECT_TRUE(dispatcher->moves().moveNow(front.channel(), *third).ok()); });
    dispatcher.turns(2);
    other.turns(2);
    const auto receives = [&](const std::string& line) {
        std::string got;
        return turnUntil([&] {
            third.turn();
            return (got += link.peer.receiveWhatIsThere()) == line;
        });
    };
    EXPECT_TRUE(receives("one\n")) << "it was answered in between";
    link.peer.send("two\n");
    EXPECT_TRUE(receives("two\n"));
    EXPECT_EQ(third->connectionCount(), 1u);
    link.peer.finish();
    EXPECT_TRUE(turnUntil([&] {
        third.turn();
        return third->connectionCount() + other->connectionCount() == 0;
    }));
}

}  // namespace
}  // namespace pipelinetest
