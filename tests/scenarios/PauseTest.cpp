// Pausing inside packetArrived with complete packets already read.
#include "scenarios/Scenario.h"

#include <nio/loop/SelectorThread.h>

namespace {

SCENARIOS(PauseScenario);

// A listener that pauses after each packet, and what it takes to resume its one connection.
class OneAtATime {
  public:
    explicit OneAtATime(support::ScriptedListener& listener) {
        listener.onOpened = [this](support::PacketChannel& channel) {
            handle_ = channel.dispatcher().handleOf(channel.channel());
        };
        listener.onPacket = [this](support::PacketChannel& channel, std::string_view packet) {
            ++depth_;
            deepest = std::max(deepest, depth_);
            EXPECT_FALSE(resuming_) << "delivered from inside resumeReading";
            arrived += std::string(packet) + ",";
            channel.pauseReading();
            --depth_;
        };
    }

    void resume() {
        const bool posted =
            handle_.dispatcher()->invokeLater(handle_, [this](nio::SelectorHandler& handler) {
                resuming_ = true;
                static_cast<support::PacketChannel&>(handler).resumeReading();
                resuming_ = false;
            });
        EXPECT_TRUE(posted);
    }

    std::string arrived;
    int deepest = 0;

  private:
    nio::ChannelHandle handle_;
    int depth_ = 0;
    bool resuming_ = false;
};

TEST_P(PauseScenario, ResumeDeliversBufferedPacketsWithoutRecursion) {
    OneAtATime script(*listener);
    serve();
    support::TestClient& client = server().connect();
    client.send("a\nb\nc\nd\n");
    const std::vector<std::string> expected{"a,", "a,b,", "a,b,c,", "a,b,c,d,"};
    for (const std::string& arrived : expected) {
        ASSERT_TRUE(server().until([&] { return script.arrived == arrived; })) << script.arrived;
        ASSERT_TRUE(server().comesToRest());
        ASSERT_EQ(script.arrived, arrived) << "nothing more while it is paused";
        script.resume();
    }
    EXPECT_EQ(script.deepest, 1);
    client.send("e\n");
    EXPECT_TRUE(server().until([&] { return script.arrived == "a,b,c,d,e,"; }));
}

TEST_P(PauseScenario, ResumeDeliversWhatWasReadAlsoAfterThePeersFin) {
    OneAtATime script(*listener);
    listener->onFinished = [&](support::PacketChannel& channel) {
        script.arrived += "fin";
        channel.closeAfterFlush();
    };
    serve();
    support::TestClient& client = server().connect();
    client.send("a\nb\nc\nhalf a line");
    client.finish();
    for (const std::string arrived : {"a,", "a,b,", "a,b,c,"}) {
        ASSERT_TRUE(server().until([&] { return script.arrived == arrived; })) << script.arrived;
        ASSERT_TRUE(server().comesToRest());
        ASSERT_EQ(script.arrived, arrived);
        script.resume();
    }
    ASSERT_TRUE(server().until([&] { return client.hasEnded(); }));
    EXPECT_EQ(script.arrived, "a,b,c,fin");
    EXPECT_EQ(listener->disconnected, 1U);
}

TEST_P(PauseScenario, AnAnswerSentWhilePausedLeavesAtOnce) {
    nio::ChannelHandle handle;
    listener->onPacket = [&](support::PacketChannel& channel, std::string_view) {
        channel.pauseReading();
        handle = channel.dispatcher().handleOf(channel.channel());
    };
    serve();
    support::TestClient& client = server().connect();
    client.send("question\nnext\n");
    ASSERT_TRUE(server().until([&] { return listener->packets == 1; }));
    ASSERT_TRUE(handle.dispatcher()->invokeLater(handle, [](nio::SelectorHandler& handler) {
        static_cast<support::PacketChannel&>(handler).send("answer");
    }));
    ASSERT_TRUE(server().until([&] { return client.hasReceived("answer\n"); }));
    EXPECT_EQ(listener->packets, 1U);
}

TEST_P(PauseScenario, PauseAndResumeInOneCallbackChangeNothing) {
    listener->onPacket = [](support::PacketChannel& channel, std::string_view packet) {
        channel.pauseReading();
        channel.send(packet);
        channel.resumeReading();
    };
    serve();
    support::TestClient& client = server().connect();
    client.send("a\nb\nc\n");
    EXPECT_TRUE(server().until([&] { return client.hasReceived("a\nb\nc\n"); }));
}

TEST_P(PauseScenario, ResumingTwiceDeliversNothingTwice) {
    OneAtATime script(*listener);
    serve();
    support::TestClient& client = server().connect();
    client.send("a\nb\nc\n");
    ASSERT_TRUE(server().until([&] { return script.arrived == "a,"; }));
    script.resume();
    script.resume();
    ASSERT_TRUE(server().until([&] { return script.arrived == "a,b,"; }));
    ASSERT_TRUE(server().comesToRest());
    EXPECT_EQ(script.arrived, "a,b,");
}

TEST_P(PauseScenario, ClosingWhilePausedCountsTheKeptPacketsAsUnread) {
    std::size_t unread = 0;
    listener->onPacket = [](support::PacketChannel& channel, std::string_view) {
        channel.pauseReading();
        channel.closeAfterFlush();
    };
    listener->onDisconnected = [&](support::PacketChannel& channel) {
        unread = channel.remains().unreadBytes;
    };
    serve();
    support::TestClient& client = server().connect();
    client.send("a\nbc\ndef\n");
    client.finish();
    ASSERT_TRUE(server().until([&] { return client.hasEnded(); }));
    EXPECT_EQ(listener->packets, 1U);
    EXPECT_EQ(unread, 7U);
}

}  // namespace
