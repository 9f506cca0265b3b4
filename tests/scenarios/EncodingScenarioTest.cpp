// Connections with an encoding stage under pressure: memory stays within the marks, a drain loses
// nothing.
#include "scenarios/Scenario.h"

#include <algorithm>

#include <nio/loop/SelectorThread.h>

#include "nio/pipeline/ToyPipeline.h"

namespace {

SCENARIOS(EncodingScenario);

using support::toyDecode;
using support::toyEnd;
using support::toyFrames;
using support::ToyText;

constexpr std::size_t encodedHighMark = 64 * 1024;
constexpr std::size_t encodedReceiveBytes = 16 * 1024;
const std::string hello(1, support::toyGreeting);

using Hooks = std::shared_ptr<support::ToyHooks>;

Hooks useToyStage(support::ServerSetup& setup) {
    auto hooks = std::make_shared<support::ToyHooks>();
    setup.makeConnection = [hooks, &stream = setup.stream](nio::SocketChannel channel) {
        return nio::pipeline(support::ToyStage(), nio::lines(), support::ToyApplication(hooks))
            .with(stream)(std::move(channel));
    };
    return hooks;
}

// What the client got behind the greeting.
ToyText textOf(const support::TestClient& client) {
    if (client.received().empty()) return {};
    EXPECT_EQ(client.received().front(), support::toyGreeting);
    return toyDecode(std::string_view(client.received()).substr(1));
}

nio::DrainOptions generousDrain() {
    nio::DrainOptions options;
    options.deadline = std::chrono::minutes(1);
    options.quietPeriod = std::chrono::milliseconds(20);
    return options;
}

TEST_P(EncodingScenario, ASlowReaderStopsTheReadingAndThenGetsEveryByte) {
    const Hooks app = useToyStage(setup);
    setup.sendBufferBytes = 16 * 1024;
    setup.stream.outputHighMark = encodedHighMark;
    setup.thread.selector.receiveBufferBytes = encodedReceiveBytes;
    std::size_t most = 0;
    std::size_t mostKept = 0;
    app->onPacket = [&](support::ToyPeer& channel, std::string_view packet) {
        channel.send(packet);
        most = std::max(most, channel.pendingBytes());
        mostKept = std::max(mostKept, channel.remains().unreadBytes);
    };
    serve();
    const std::string lines = numberedLines(100'000);
    support::TestClient& client =
        server().connect({.receiveBufferBytes = 8 * 1024, .sendBufferBytes = 16 * 1024});
    client.stopReading();
    client.send(hello + toyFrames(lines) + toyEnd());
    ASSERT_TRUE(server().until([&] { return most >= encodedHighMark; }));
    ASSERT_TRUE(server().comesToRest());
    for (int i = 0; i < 50; ++i) server().turn();
    EXPECT_GT(client.unsentBytes(), 0U) << "the server should have stopped reading";
    const std::size_t packetsAtTheMark = app->packets;
    for (int i = 0; i < 50; ++i) server().turn();
    EXPECT_EQ(app->packets, packetsAtTheMark);
    EXPECT_EQ(app->finished, 0U);

    client.goOnReading();
    ASSERT_TRUE(server().until([&] { return client.hasEnded(); }));
    const ToyText text = textOf(client);
    EXPECT_TRUE(text.text == lines);
    EXPECT_TRUE(text.ended);
    EXPECT_LE(most, encodedHighMark + 2 * encodedReceiveBytes);
    EXPECT_LE(mostKept, 2 * encodedReceiveBytes);
    EXPECT_EQ(app->disconnected(), 1U);
}

TEST_P(EncodingScenario, ADrainInMidStreamLosesNothing) {
    const Hooks app = useToyStage(setup);
    app->onPacket = [](support::ToyPeer& peer, std::string_view line) { peer.send(line); };
    serve();
    const std::string lines = numberedLines(400'000);
    const std::string stream = hello + toyFrames(lines);
    for (int i = 0; i < 4; ++i) server().connectAndWait().send(stream);
    ASSERT_TRUE(server().until([&] { return app->packets > 5'000; }));

    server().group().requestClose(generousDrain());
    ASSERT_TRUE(server().until([&] {
        for (auto& client : server().clients()) {
            if (client->hasEnded()) client->close();
        }
        return server().hasStopped();
    }));
    std::size_t answered = 0;
    for (auto& client : server().clients()) {
        const ToyText text = textOf(*client);
        EXPECT_EQ(client->end(), End::finished);
        EXPECT_TRUE(text.ended) << "the end of the stage, then FIN";
        EXPECT_EQ(text.rest, "");
        EXPECT_TRUE(lines.compare(0, text.text.size(), text.text) == 0) << "an exact prefix";
        EXPECT_LT(text.text.size(), lines.size()) << "not in mid-stream";
        answered += static_cast<std::size_t>(std::count(text.text.begin(), text.text.end(), '\n'));
    }
    EXPECT_EQ(answered, app->packets) << "every packet that was delivered was answered";
    const nio::DrainReport report = server().group().drainReport();
    EXPECT_EQ(report.drained, 4U) << report.toString();
    EXPECT_EQ(report.bytesLost, 0U);
}

TEST_P(EncodingScenario, ADrainWaitsForAHandshakeThatOutputNeeds) {
    const Hooks app = useToyStage(setup);
    app->onOpened = [](support::ToyPeer& channel) { channel.send("welcome"); };
    serve();
    support::TestClient& late = server().connectAndWait();
    support::TestClient& never = server().connectAndWait();
    server().group().requestClose(generousDrain());
    const nio::TimePoint later = nio::Clock::now() + std::chrono::milliseconds(60);
    while (nio::Clock::now() < later) server().turn();
    EXPECT_FALSE(late.hasEnded());
    late.send(hello);
    never.finish();
    ASSERT_TRUE(server().until([&] {
        if (late.hasEnded()) late.close();
        return server().hasStopped();
    }));
    EXPECT_EQ(textOf(late).text, "welcome\n");
    EXPECT_TRUE(textOf(late).ended);
    const nio::DrainReport report = server().group().drainReport();
    EXPECT_EQ(report.bytesLost, 8U) << "those of the client that never said hello";
    EXPECT_TRUE(app->reason->is(nio::Errc::truncated));
}

}  // namespace
