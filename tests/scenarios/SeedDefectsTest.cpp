// The known defects of the designs that this library learnt from, each with the test that would
// have shown it. tests/mutants puts each of them back, one line at a time, and expects its test to
// fail.
#include "scenarios/Scenario.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <thread>

#include "support/Engines.h"
#include "support/TestDispatcher.h"

namespace {

using support::Journal;
using support::Link;
using support::makeLink;
using support::RecordingHandler;
using support::TestDispatcher;

SCENARIOS(SeedDefects);

// BGU reactor: continueWrite() loops while its queue is not empty; after an error the queue is
// never emptied, so that the loop spins for ever.
TEST_P(SeedDefects, AWriteThatFailsEndsTheConnectionInsteadOfSpinning) {
    setup.sendBufferBytes = 8 * 1024;
    listener->onPacket = [](support::PacketChannel& channel, std::string_view) {
        for (int i = 0; i < 10; ++i) {
            channel.send(std::string(50'000, 'x'));
        }
    };
    serve();
    support::TestClient& client = server().connect({.receiveBufferBytes = 8 * 1024});
    client.stopReading();
    client.send("question\n");
    ASSERT_TRUE(server().until([&] { return listener->packets == 1; }));
    client.reset();
    for (int turns = 0; turns < 50 && listener->ended() == 0; ++turns) server().turn();
    EXPECT_EQ(listener->failed, 1U);
    EXPECT_TRUE(server().comesToRest());
    EXPECT_EQ(server().group().connectionCount(), 0U);
}

// Netty 3: any exception in a worker's loop makes the worker, and all its connections, sleep for a
// second.
TEST_P(SeedDefects, AnExceptionDoesNotHoldUpTheOtherConnections) {
    listener->onPacket = [](support::PacketChannel& channel, std::string_view packet) {
        if (packet == "throw") throw std::runtime_error("thrown");
        channel.send(packet);
    };
    serve();
    support::TestClient& quiet = server().connectAndWait();
    const nio::TimePoint begin = nio::Clock::now();
    for (std::size_t i = 0; i < 10 * server().group().size(); ++i) {
        server().connect().send("throw\n");
    }
    quiet.send("hello\n");
    ASSERT_TRUE(server().until([&] {
        return listener->failed == 10 * server().group().size() && quiet.hasReceived("hello\n");
    }));
    // Ten seconds asleep each, if they slept; some milliseconds else.
    EXPECT_LT(nio::Clock::now() - begin, std::chrono::seconds(8));
}

// The article: run() dies with the first handler that throws, and with it every connection.
TEST_P(SeedDefects, TheLoopOutlivesAHandlerThatThrows) {
    setup.ownThreads = true;
    listener->onPacket = [](support::PacketChannel& channel, std::string_view packet) {
        if (packet == "throw") throw std::runtime_error("thrown");
        channel.send(packet);
    };
    serve();
    std::vector<support::TestClient*> others;
    for (std::size_t i = 0; i < server().group().size(); ++i) others.push_back(&server().connect());
    for (std::size_t i = 0; i < server().group().size(); ++i) server().connect().send("throw\n");
    ASSERT_TRUE(server().until([&] { return listener->failed == server().group().size(); }));
    EXPECT_EQ(server().failures().size(), server().group().size());
    for (support::TestClient* other : others) {
        other->send("hello\n");
        EXPECT_TRUE(server().until([&] { return other->hasReceived("hello\n"); }));
    }
    EXPECT_FALSE(server().hasStopped());
}

// The article: a channel has one place for an outgoing packet; a second send() before the first
// has left overwrites it.
TEST_P(SeedDefects, PacketsSentBeforeTheFirstHasLeftAllArriveInOrder) {
    nio::ChannelHandle handle;
    listener->onPacket = [&](support::PacketChannel& channel, std::string_view) {
        handle = channel.dispatcher().handleOf(channel.channel());
        for (const char* packet : {"one", "two", "three"}) {
            channel.send(std::string_view(packet));
        }
    };
    serve();
    support::TestClient& client = server().connect();
    client.send("question\n");
    ASSERT_TRUE(server().until([&] { return client.received().size() >= 14; }));
    EXPECT_EQ(client.received(), "one\ntwo\nthree\n");
    // The same from tasks, all of them before the turn's flush.
    for (const std::string packet : {"four", "five"}) {
        ASSERT_TRUE(
            handle.dispatcher()->invokeLater(handle, [packet](nio::SelectorHandler& handler) {
                static_cast<support::PacketChannel&>(handler).send(packet);
            }));
    }
    ASSERT_TRUE(server().until([&] { return client.received().size() >= 24; }));
    EXPECT_EQ(client.received(), "one\ntwo\nthree\nfour\nfive\n");
}

// --- the article: packet by packet, recursively ---------------------------------------------

constexpr std::size_t manyPackets = 100'000;

// How deep the stack goes below the first packet's callback, and what came out of order.
class StackWatch {
  public:
    void packet(std::string_view text) {
        // Not the address of a variable, which a sanitizer may keep elsewhere.
        const auto place = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
        if (seen_++ == 0) first_ = place;
        deepest_ = std::max(deepest_, first_ > place ? first_ - place : place - first_);
        wrong_ += text != std::to_string(seen_ % 10);
    }
    std::size_t seen() const { return seen_; }
    std::size_t wrong() const { return wrong_; }
    std::size_t deepest() const { return deepest_; }

  private:
    std::size_t seen_ = 0;
    std::size_t wrong_ = 0;
    std::uintptr_t first_ = 0;
    std::uintptr_t deepest_ = 0;
};

std::string manyLines() {
    std::string lines;
    for (std::size_t i = 1; i <= manyPackets; ++i) lines += std::to_string(i % 10) + "\n";
    return lines;
}

// A few frames of different length are no recursion; 100,000 of them are.
constexpr std::size_t oneCallDeep = 16 * 1024;

TEST_P(SeedDefects, OneReadOfManyPacketsDoesNotDeepenTheStack) {
    setup.thread.selector.receiveBufferBytes = 1024 * 1024;
    setup.stream.maxPacketsPerTurn = SIZE_MAX;
    StackWatch watch;
    listener->onPacket = [&](support::PacketChannel&, std::string_view packet) {
        watch.packet(packet);
    };
    serve();
    server().connect().send(manyLines());
    ASSERT_TRUE(server().until([&] { return watch.seen() == manyPackets; }));
    EXPECT_EQ(watch.wrong(), 0U);
    EXPECT_LE(watch.deepest(), oneCallDeep);
}

TEST_P(SeedDefects, ResumingInsideManyPacketsDoesNotRecurse) {
    setup.thread.selector.receiveBufferBytes = 1024 * 1024;
    StackWatch watch;
    listener->onPacket = [&](support::PacketChannel& channel, std::string_view packet) {
        channel.pauseReading();
        watch.packet(packet);
        channel.resumeReading();
    };
    serve();
    server().connect().send(manyLines());
    ASSERT_TRUE(server().until([&] { return watch.seen() >= manyPackets; }));
    EXPECT_EQ(watch.seen(), manyPackets);
    EXPECT_EQ(watch.wrong(), 0U);
    EXPECT_LE(watch.deepest(), oneCallDeep);
}

// The article: invokeAndWait notifies without holding the monitor; a wake-up is lost now and then,
// and the caller waits for ever.
TEST_P(SeedDefects, ManyQuickInvokeAndWaitsAllReturn) {
    nio::SelectorThreadGroupOptions options;
    options.threads = setup.dispatchers;
    options.thread = setup.thread;
    nio::SelectorThreadGroup group(std::move(options));
    group.start();
    constexpr int calls = 4'000;
    std::atomic<int> returned{0};
    const auto call = [&](int seed) {
        for (int i = 0; i < calls; ++i) {
            // Now quick, now slow enough for the caller to be asleep already.
            const auto task = [spin = (i * seed) % 7 * 40] {
                for (int left = spin; left > 0; --left)
                    std::atomic_signal_fence(std::memory_order_seq_cst);
                return spin;
            };
            const auto index = static_cast<std::size_t>(i) % group.size();
            const auto result = group[index].invokeAndWait(task);
            returned += result.ok() && result.value() == (i * seed) % 7 * 40;
        }
    };
    std::thread one(call, 3);
    std::thread two(call, 5);
    one.join();
    two.join();
    EXPECT_EQ(returned, 2 * calls);
}

// Netty 3: the task queues are run without a bound, so that tasks can starve the connections.
TEST_P(SeedDefects, ATaskThatPostsItselfDoesNotStarveTheConnections) {
    listener->echo();
    serve();
    support::TestClient& client = server().connectAndWait();
    bool stop = false;
    for (std::size_t i = 0; i < server().group().size(); ++i) {
        struct Again {
            nio::SelectorThread& thread;
            bool& stop;
            void operator()() const { EXPECT_TRUE(stop || thread.invokeLater(Again(*this))); }
        };
        ASSERT_TRUE(server().dispatcher(i).invokeLater(Again{server().dispatcher(i), stop}));
    }
    client.send("hello\n");
    int turns = 0;
    while (!client.hasReceived("hello\n") && turns++ < 50) server().turn();
    EXPECT_TRUE(client.hasReceived("hello\n"));
    stop = true;
    server().turn();
}

// The Python dispatcher: the peer's end of stream closes at once, and what waits to be sent is
// lost.
TEST_P(SeedDefects, ThePeersEndOfStreamDoesNotLoseTheOutputThatWaits) {
    setup.sendBufferBytes = 8 * 1024;
    listener->onPacket = [](support::PacketChannel& channel, std::string_view) {
        channel.send(std::string(60'000, 'x'));
    };
    serve();
    support::TestClient& client = server().connect({.receiveBufferBytes = 8 * 1024});
    client.stopReading();
    client.send("one\ntwo\nthree\n");
    client.finish();
    ASSERT_TRUE(server().until([&] { return listener->finished == 1; }));
    client.goOnReading();
    ASSERT_TRUE(server().until([&] { return client.hasEnded(); }));
    EXPECT_EQ(client.received().size(), 3U * 60'001U);
    EXPECT_EQ(client.end(), End::finished);
}

// --- the Python dispatcher: None.handle_event after a close in the read pass ----------------

class StaleEvents : public ::testing::TestWithParam<nio::SelectorKind> {
  protected:
    static nio::SelectorThreadOptions options() {
        nio::SelectorThreadOptions options;
        options.selector.kind = GetParam();
        return options;
    }
    Journal journal;
    TestDispatcher dispatcher{"test", options()};
};

TEST_P(StaleEvents, ClosingAnotherReadyHandlerDropsItsEvent) {
    Link first = makeLink();
    Link second = makeLink();
    RecordingHandler& a = dispatcher.add(first, "a", journal);
    RecordingHandler& b = dispatcher.add(second, "b", journal);
    a.onRead = [&] { b.channel().close(); };
    b.onRead = [&] { a.channel().close(); };
    journal.clear();
    first.peer.send("x");
    second.peer.send("x");
    dispatcher.turn();
    // Whoever came first has closed the other one.
    ASSERT_EQ(journal.size(), 2U);
    const bool aFirst = journal[0] == "a read";
    EXPECT_EQ(journal,
              aFirst ? (Journal{"a read", "b destroyed"}) : (Journal{"b read", "a destroyed"}));
    dispatcher.turns(3);
    EXPECT_EQ(dispatcher.failures, std::vector<std::string>{});
    journal.clear();
}

TEST_P(StaleEvents, AHandlerThatClosesOnReadIsNotCalledToWrite) {
    Link link = makeLink();
    link.peer.send("x");
    auto made = std::make_unique<RecordingHandler>(std::move(link.channel), "h", journal);
    RecordingHandler& handler = *made;
    handler.onRead = [&] { handler.channel().close(); };
    // Both are ready from the beginning.
    dispatcher.add(std::move(made), nio::Interest::read | nio::Interest::write);
    dispatcher.turns(3);
    EXPECT_EQ(journal, (Journal{"h read", "h destroyed"}));
}

INSTANTIATE_TEST_SUITE_P(SeedDefects, StaleEvents, ::testing::ValuesIn(support::everyEngine()),
                         support::EngineName());

}  // namespace
