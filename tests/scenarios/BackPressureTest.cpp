// Slow readers, pauses and floods: memory stays within the marks, nothing is lost, nobody starves.
#include "scenarios/Scenario.h"

#include <algorithm>

#include <nio/loop/SelectorThread.h>

namespace {

SCENARIOS(BackPressureScenario);

constexpr std::size_t highMark = 64 * 1024;
constexpr std::size_t receiveBytes = 16 * 1024;

void limitBuffers(support::ServerSetup& setup) {
    setup.sendBufferBytes = 16 * 1024;
    setup.stream.outputHighMark = highMark;
    setup.thread.selector.receiveBufferBytes = receiveBytes;
}

const support::TestClientOptions slowClient{.receiveBufferBytes = 8 * 1024,
                                            .sendBufferBytes = 16 * 1024};

TEST_P(BackPressureScenario, ASlowReaderStopsTheReadingAndThenGetsEveryByte) {
    limitBuffers(setup);
    listener->echo();
    std::size_t most = 0;
    listener->onPacket = [&](support::PacketChannel& channel, std::string_view packet) {
        channel.send(packet);
        most = std::max(most, channel.pendingBytes());
    };
    serve();
    const std::string lines = numberedLines(100'000);
    support::TestClient& client = server().connect(slowClient);
    client.stopReading();
    client.send(lines);
    ASSERT_TRUE(server().until([&] { return most >= highMark; }));
    ASSERT_TRUE(server().comesToRest());
    for (int i = 0; i < 50; ++i) server().turn();
    EXPECT_GT(client.unsentBytes(), 0U) << "the server should have stopped reading";
    const std::size_t packetsAtTheMark = listener->packets;
    for (int i = 0; i < 50; ++i) server().turn();
    EXPECT_EQ(listener->packets, packetsAtTheMark);
    EXPECT_TRUE(server().comesToRest());

    client.goOnReading();
    ASSERT_TRUE(server().until([&] { return client.received().size() >= lines.size(); }));
    EXPECT_TRUE(client.hasReceived(lines));
    EXPECT_LE(most, highMark + receiveBytes);
    EXPECT_GT(listener->packets, packetsAtTheMark);
}

TEST_P(BackPressureScenario, ShortQuestionsWithLongAnswersStayWithinTheMarksToo) {
    limitBuffers(setup);
    constexpr std::size_t answerBytes = 10'000;
    constexpr std::size_t questions = 2'000;
    const std::string answer(answerBytes - 1, 'a');
    std::size_t most = 0;
    listener->onPacket = [&](support::PacketChannel& channel, std::string_view) {
        channel.send(answer);
        most = std::max(most, channel.pendingBytes());
    };
    serve();
    support::TestClient& client = server().connect(slowClient);
    client.stopReading();
    for (std::size_t i = 0; i < questions; ++i) client.send("?\n");
    ASSERT_TRUE(server().until([&] { return most >= highMark; }));
    ASSERT_TRUE(server().comesToRest());
    EXPECT_LE(most, highMark + answerBytes);
    EXPECT_EQ(listener->ended(), 0U);

    client.goOnReading();
    ASSERT_TRUE(server().until(
        [&] { return client.received().size() >= questions * answerBytes || client.hasEnded(); }));
    EXPECT_EQ(client.received().size(), questions * answerBytes);
    EXPECT_LE(most, highMark + answerBytes);
}

TEST_P(BackPressureScenario, ReadingGoesOnOnlyBelowHalfTheHighMark) {
    limitBuffers(setup);
    std::size_t atPacket = 0;
    listener->onPacket = [&](support::PacketChannel& channel, std::string_view packet) {
        atPacket = channel.pendingBytes();
        if (packet == "fill") {
            channel.send(std::string(60'000, 'x'));
            channel.send(std::string(60'000, 'x'));
        }
    };
    serve();
    support::TestClient& client = server().connect(slowClient);
    client.stopReading();
    client.send("fill\n");
    ASSERT_TRUE(server().until([&] { return listener->packets == 1; }));
    ASSERT_TRUE(server().comesToRest());
    client.send("next\n");
    for (int i = 0; i < 50; ++i) server().turn();
    ASSERT_EQ(listener->packets, 1U);

    client.goOnReading();
    ASSERT_TRUE(server().until([&] { return listener->packets == 2; }));
    EXPECT_LE(atPacket, highMark / 2);
}

TEST_P(BackPressureScenario, OutputOverTheHardLimitAbortsTheConnection) {
    limitBuffers(setup);
    setup.stream.outputLimit = 300'000;
    std::size_t most = 0;
    listener->onPacket = [&](support::PacketChannel& channel, std::string_view) {
        for (int i = 0; i < 100; ++i) {
            channel.send(std::string(10'000, 'x'));
            most = std::max(most, channel.pendingBytes());
        }
    };
    serve();
    support::TestClient& client = server().connect(slowClient);
    client.stopReading();
    client.send("too much\n");
    ASSERT_TRUE(server().until([&] { return listener->ended() == 1; }));
    EXPECT_TRUE(listener->reason()->is(nio::Errc::outputLimit)) << listener->reason()->message();
    EXPECT_LE(most, 300'000U + 10'001U);
    client.goOnReading();
    ASSERT_TRUE(server().until([&] { return client.hasEnded(); }));
    EXPECT_EQ(client.end(), End::reset);
}

TEST_P(BackPressureScenario, PacketsOverTheLimitOfATurnFollowInTheNextOnes) {
    setup.stream.maxPacketsPerTurn = 7;
    listener->echo();
    serve();
    const std::string lines = numberedLines(1'000);
    support::TestClient& client = server().connect();
    client.send(lines);
    ASSERT_TRUE(server().until([&] { return listener->packets > 0; }));
    std::size_t before = listener->packets;
    EXPECT_LE(before, 7U);
    while (listener->packets < 1'000) {
        for (std::size_t i = 0; i < server().group().size(); ++i) {
            ASSERT_TRUE(server().dispatcher(i).turn(std::chrono::milliseconds(0)));
        }
        EXPECT_LE(listener->packets - before, 7U);
        ASSERT_GT(listener->packets, before) << "a turn that delivers nothing: packets were lost";
        before = listener->packets;
    }
    EXPECT_TRUE(server().until([&] { return client.hasReceived(lines); }));
}

TEST_P(BackPressureScenario, AFloodDoesNotStarveAQuietConnection) {
    setup.stream.maxPacketsPerTurn = 16;
    listener->echo();
    serve();
    std::vector<support::TestClient*> floods;
    for (std::size_t i = 0; i < 4; ++i) floods.push_back(&server().connectAndWait());
    support::TestClient& quiet = server().connectAndWait();
    for (support::TestClient* flood : floods) flood->send(numberedLines(200'000));
    for (int i = 0; i < 10; ++i) server().turn();

    for (int question = 0; question < 5; ++question) {
        const std::size_t before = quiet.received().size();
        quiet.send("quiet\n");
        int turns = 0;
        while (quiet.received().size() == before && turns < 20) {
            server().turn();
            ++turns;
        }
        EXPECT_LE(turns, 5) << "question " << question;
    }
    for (support::TestClient* flood : floods) EXPECT_FALSE(flood->hasEnded());
}

}  // namespace
