// A server whose peers do not read, and the memory budget of its dispatchers.
#include "scenarios/Scenario.h"

#include <algorithm>
#include <memory>

#include "support/LogCapture.h"

#include <nio/memory/MemoryBudget.h>

namespace {

using support::TestClient;

constexpr std::size_t KiB = 1024;
constexpr std::size_t MiB = 1024 * KiB;
constexpr std::size_t answerBytes = 64 * KiB;
// What one connection may hold: its high mark, one answer, and the rest of a chunk.
constexpr std::size_t mostOfOne = 256 * KiB + 2 * answerBytes;
constexpr std::size_t questions = 20;

class MemoryBudgetScenario : public scenarios::Scenario {
  protected:
    // The kernel holds little for a client, so that the rest is ours.
    static constexpr support::TestClientOptions narrow{.receiveBufferBytes = 8 * 1024,
                                                       .sendBufferBytes = 0};

    MemoryBudgetScenario() {
        options.bytes = 4 * MiB;
        options.lookInterval = std::chrono::milliseconds(1);
        options.dropAfter = {};
        setup.sendBufferBytes = 16 * 1024;
        listener->onPacket = [this](support::PacketChannel& channel, std::string_view) {
            channel.send(answer);
        };
    }

    void serveWithBudget() {
        budget = std::make_shared<nio::MemoryBudget>(options);
        setup.thread.memoryBudget = budget;
        serve();
    }
    // One that asks and does not read the answers.
    TestClient& silentClient(std::size_t count = questions) {
        TestClient& client = server().connect(narrow);
        client.stopReading();
        for (std::size_t i = 0; i < count; ++i) client.send("?\n");
        return client;
    }
    // Silent clients, until so much of the budget is used.
    void fill(double fraction) {
        const auto wanted = static_cast<std::size_t>(fraction * static_cast<double>(options.bytes));
        ASSERT_TRUE(server().until([&] {
            if (bytes() < wanted) silentClient();
            return bytes() >= wanted;
        }));
    }
    std::size_t bytes() {
        std::size_t sum = 0;
        for (std::size_t i = 0; i < setup.dispatchers; ++i) {
            sum += server().dispatcher(i).metrics().bufferedBytes;
        }
        return sum;
    }
    nio::Overload overload() const { return budget->figures().overload; }
    void goOnReading() {
        for (const auto& client : server().clients()) client->goOnReading();
    }
    bool allHaveEndedOrHaveAll() {
        const std::size_t all = questions * (answer.size() + 1);
        const auto hasEndedOrAll = [&](const auto& client) {
            return client->hasEnded() || client->received().size() == all;
        };
        return std::all_of(server().clients().begin(), server().clients().end(), hasEndedOrAll);
    }
    bool isServed(TestClient& client) {
        client.send("?\n");
        EXPECT_TRUE(server().until(
            [&] { return client.hasEnded() || client.received().size() >= answer.size() + 1; }));
        return !client.hasEnded();
    }

    const std::string answer = std::string(answerBytes - 1, 'a');
    support::LogCapture log;
    nio::MemoryBudgetOptions options;
    std::shared_ptr<nio::MemoryBudget> budget;
};

INSTANTIATE_TEST_SUITE_P(Sockets, MemoryBudgetScenario, scenarios::everySetting(),
                         scenarios::nameOf);

TEST_P(MemoryBudgetScenario, LatePeersAreRefusedAndLoseNothing) {
    serveWithBudget();
    for (int i = 0; i < 40; ++i) {
        silentClient();
        for (int turns = 0; turns < 4; ++turns) server().turn();
    }
    EXPECT_LE(bytes(), options.bytes);
    EXPECT_GT(budget->figures().refused, 0U);
    goOnReading();
    EXPECT_TRUE(server().until([&] { return allHaveEndedOrHaveAll(); }));
    EXPECT_EQ(listener->opened + budget->figures().refused, 40U);
    EXPECT_EQ(listener->ended(), 0U) << "nobody was dropped";
    EXPECT_EQ(bytes(), 0U);
}

TEST_P(MemoryBudgetScenario, PeersThatComeAllAtOnceStayWithinTheBudget) {
    serveWithBudget();
    for (int i = 0; i < 40; ++i) silentClient();
    std::size_t most = 0;
    ASSERT_TRUE(server().until([&] {
        most = std::max(most, bytes());
        return listener->opened + budget->figures().refused == 40 && budget->figures().dropped > 0;
    }));
    for (int i = 0; i < 20; ++i) {
        server().turn();
        most = std::max(most, bytes());
    }
    const std::size_t late = nio::MemoryBudget::step + mostOfOne;
    EXPECT_LE(most, options.bytes + options.bytes / 20 + setup.dispatchers * late);
    EXPECT_EQ(budget->figures().dropped, listener->ended());
    goOnReading();
    EXPECT_TRUE(server().until([&] { return allHaveEndedOrHaveAll(); }));
    EXPECT_EQ(bytes(), 0U);
}

TEST_P(MemoryBudgetScenario, WhoDoesNotReadIsNotReadWhileMemoryIsShort) {
    serveWithBudget();
    TestClient& asks = silentClient(3);
    ASSERT_TRUE(server().until([&] { return listener->packets == 3 && bytes() > 0; }));
    fill(0.8);
    for (int i = 0; i < 5; ++i) server().turn();
    const std::size_t before = listener->packets;
    asks.send("?\n");
    for (int i = 0; i < 5; ++i) server().turn();
    EXPECT_EQ(listener->packets, before) << "far below its own mark";
    EXPECT_GT(budget->figures().paused, 0U);
    goOnReading();
    EXPECT_TRUE(server().until([&] { return asks.received().size() == 4 * (answer.size() + 1); }));
}

TEST_P(MemoryBudgetScenario, DispatchersWithThreadsOfTheirOwnShareIt) {
    setup.ownThreads = true;
    serveWithBudget();
    for (int i = 0; i < 40; ++i) silentClient();
    ASSERT_TRUE(server().until(
        [&] { return listener->opened + budget->figures().refused == 40 && overload().pauses; }));
    goOnReading();
    EXPECT_TRUE(server().until([&] { return allHaveEndedOrHaveAll(); }));
    EXPECT_TRUE(server().until([&] { return bytes() == 0 && !overload().any(); }));
    EXPECT_EQ(budget->figures().dropped, listener->ended());
}

TEST_P(MemoryBudgetScenario, WithoutABudgetTheSamePeersHoldMore) {
    serve();
    for (int i = 0; i < 40; ++i) silentClient();
    EXPECT_TRUE(server().until([&] { return bytes() > 2 * options.bytes; }));
    EXPECT_TRUE(isServed(server().connect()));
}

TEST_P(MemoryBudgetScenario, NewConnectionsAreRefusedUntilThereIsMemoryAgain) {
    serveWithBudget();
    TestClient& before = server().connectAndWait();
    fill(0.9);
    ASSERT_TRUE(server().until([&] { return overload().refuses; }));
    EXPECT_FALSE(isServed(server().connect()));
    EXPECT_TRUE(isServed(before)) << "who holds nothing is not concerned";
    EXPECT_GT(budget->figures().refused, 0U);

    goOnReading();
    ASSERT_TRUE(server().until([&] { return !overload().any(); }));
    EXPECT_TRUE(isServed(server().connect()));
}

TEST_P(MemoryBudgetScenario, WhoHoldsTheMostIsDroppedWhicheverDispatcherItHas) {
    options.pauseAt = options.refuseAt = 0;
    setup.stream.outputHighMark = 3 * MiB;
    serveWithBudget();
    TestClient& small = silentClient(4);
    TestClient& large = silentClient(200);
    ASSERT_TRUE(server().until([&] { return bytes() > 3 * MiB; }));
    ASSERT_EQ(listener->ended(), 0U);
    while (listener->ended() == 0) {
        silentClient(4);
        server().turn();
    }
    ASSERT_TRUE(listener->reason());
    EXPECT_TRUE(listener->reason()->is(nio::Errc::memoryBudget));
    EXPECT_EQ(listener->ended(), 1U);
    EXPECT_EQ(budget->figures().dropped, 1U);
    large.goOnReading();
    EXPECT_TRUE(server().until([&] { return large.hasEnded(); }));
    EXPECT_FALSE(small.hasEnded());
}

TEST_P(MemoryBudgetScenario, ADrainStillAcceptsWhoWaits) {
    serveWithBudget();
    fill(0.9);
    ASSERT_TRUE(server().until([&] { return overload().refuses; }));
    const std::uint64_t refused = budget->figures().refused;
    server().connect();
    server().group().requestClose();
    ASSERT_TRUE(server().until([&] { return !server().dispatcher().queue()->takesConnections(); }));
    EXPECT_EQ(budget->figures().refused, refused);
}

}  // namespace
