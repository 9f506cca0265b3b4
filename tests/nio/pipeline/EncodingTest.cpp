#include <nio/pipeline/Encoding.h>

#include "nio/pipeline/ToyPipeline.h"

namespace {

using support::toyEnd;
using support::toyFrames;

class EncodingTest : public support::ToyPipeline {};

TEST_F(EncodingTest, OutputSentOnOpenWaitsForTheHandshake) {
    app->onOpened = [](support::ToyPeer& channel) {
        channel.send("welcome");
        EXPECT_EQ(channel.pendingBytes(), 8U);
    };
    support::ToyPeer& channel = add();
    EXPECT_EQ(app->opened, 1U);
    dispatcher.turns(5);
    EXPECT_EQ(channel.pendingBytes(), 8U);
    EXPECT_FALSE(readable());
    EXPECT_EQ(app->sent, 0U);

    link.peer.send(hello);
    ASSERT_TRUE(dispatcher.turnUntil([&] { return app->sent == 1; }));
    EXPECT_EQ(link.peer.receive(10), hello + toyFrames("welcome\n"));
    EXPECT_EQ(channel.pendingBytes(), 0U);
}

TEST_F(EncodingTest, WaitingForTheHandshakeDoesNotSpin) {
    support::ToyPeer& channel = add();
    dispatcher.inTurn([&] { channel.send("waits"); });
    dispatcher.turns(3);
    EXPECT_TRUE(sleeps());
}

TEST_F(EncodingTest, TheFirstWordsOfAStageLeaveAtOnce) {
    add({}, true);
    EXPECT_EQ(link.peer.receive(1), hello);
}

TEST_F(EncodingTest, BytesHeldByAStageCountUntilDelivered) {
    support::ToyPeer& channel = add();
    EXPECT_EQ(dispatcher->metrics().bufferedBytes, 0U);
    const std::string frame = toyFrames(std::string(200, 'x'));
    link.peer.send(hello + frame.substr(0, 100));
    EXPECT_TRUE(dispatcher.turnUntil([&] { return dispatcher->metrics().bufferedBytes == 100; }));
    link.peer.send(frame.substr(100) + toyFrames("\n"));
    EXPECT_TRUE(dispatcher.turnUntil([&] { return dispatcher->metrics().bufferedBytes == 0; }));
    EXPECT_TRUE(channel.channel().isOpen());
}

TEST_F(EncodingTest, InputByteByByteGivesEveryPacketOnce) {
    collect();
    add({.maxPacketsPerTurn = 2});
    std::string stream = hello;
    std::vector<std::string> packets;
    for (int i = 0; i < 30; ++i) {
        packets.push_back("packet " + std::to_string(i));
        stream += toyFrames(packets.back() + "\n");
    }
    for (std::size_t i = 0; i < stream.size(); ++i) {
        link.peer.send({&stream[i], 1});
        if (i % 3 == 0) dispatcher.turn();
    }
    EXPECT_TRUE(dispatcher.turnUntil([&] { return arrived.size() == packets.size(); }));
    EXPECT_EQ(arrived, packets);
}

TEST_F(EncodingTest, PacketsSentInOneCallbackAreEncodedTogether) {
    addReady();
    app->onPacket = [](support::ToyPeer& channel, std::string_view) {
        for (int i = 0; i < 10; ++i) channel.send("answer");
    };
    link.peer.send(toyFrames("question\n"));
    EXPECT_EQ(receiveText(70).frames, 1U);
    EXPECT_EQ(app->sent, 1U);
}

TEST_F(EncodingTest, WhatIsSentThroughIsEncodedToo) {
    support::ToyPeer& peer = add();
    dispatcher.inTurn([&] {
        peer.sendThrough("straight");
        peer.send("on");
    });
    EXPECT_FALSE(readable()) << "it waits for the handshake as all else does";
    link.peer.send(hello);
    ASSERT_TRUE(dispatcher.turnUntil([&] { return readable(); }));
    EXPECT_EQ(link.peer.receive(1), hello);
    EXPECT_EQ(receiveText(12).text, "straight\non\n");
}

TEST_F(EncodingTest, ManyFramesInOneReadKeepTheLimitOfPacketsPerTurn) {
    addReady({.maxPacketsPerTurn = 7});
    std::string frames;
    for (int i = 0; i < 100; ++i) frames += toyFrames("x\n");
    link.peer.send(frames);
    ASSERT_TRUE(dispatcher.turnUntil([&] { return app->packets > 0; }));
    for (std::size_t before = 0; app->packets < 100; dispatcher.turn()) {
        EXPECT_LE(app->packets - before, 7U);
        ASSERT_GT(app->packets, before);
        before = app->packets;
    }
}

TEST_F(EncodingTest, APauseDoesNotHoldUpTheHandshakeAndKeepsThePackets) {
    collect();
    app->onOpened = [](support::ToyPeer& channel) {
        channel.pauseReading();
        channel.send("welcome");
    };
    support::ToyPeer& channel = add();
    link.peer.send(hello + toyFrames("one\ntwo\n") + toyEnd());
    ASSERT_TRUE(dispatcher.turnUntil([&] { return app->sent == 1; }));
    dispatcher.turns(3);
    EXPECT_EQ(arrived.size(), 0U);
    EXPECT_EQ(app->finished, 0U);
    EXPECT_EQ(channel.remains().unreadBytes, 8U);

    dispatcher.inTurn([&] { channel.resumeReading(); });
    ASSERT_TRUE(dispatcher.turnUntil([&] { return app->finished == 1; }));
    EXPECT_EQ(arrived, (std::vector<std::string>{"one", "two"}));
}

TEST_F(EncodingTest, AfterTheHandshakeAPauseLeavesTheBytesInTheKernel) {
    collect();
    support::ToyPeer& channel = addReady();
    dispatcher.inTurn([&] { channel.pauseReading(); });
    link.peer.send(toyFrames("one\n") + toyEnd());
    dispatcher.turns(5);
    EXPECT_EQ(channel.remains().unreadBytes, 0U);
    dispatcher.inTurn([&] { channel.resumeReading(); });
    ASSERT_TRUE(dispatcher.turnUntil([&] { return app->finished == 1; }));
    EXPECT_EQ(arrived, std::vector<std::string>{"one"});
}

TEST_F(EncodingTest, WhatWaitsForTheHandshakeCountsForTheOutputLimit) {
    support::ToyPeer& channel = add({.outputLimit = 1000});
    dispatcher.inTurn([&] {
        for (int i = 0; i < 20; ++i) {
            channel.send(std::string(99, 'x'));
        }
    });
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_TRUE(app->reason->is(nio::Errc::outputLimit));
}

TEST_F(EncodingTest, OutputAboveTheMarkDoesNotStallTheHandshake) {
    support::ToyPeer& channel = add({.outputHighMark = 1000});
    dispatcher.inTurn([&] {
        for (int i = 0; i < 20; ++i) {
            channel.send(std::string(99, 'x'));
        }
    });
    link.peer.send(hello);
    ASSERT_TRUE(dispatcher.turnUntil([&] { return readable(); }));
    EXPECT_EQ(link.peer.receive(1), hello);
    EXPECT_EQ(receiveText(2000).text.size(), 2000U);
}

TEST_F(EncodingTest, SendPacketFromElsewhereIsRefused) {
    support::ToyPeer& channel = add();
    EXPECT_THROW((void)channel.send("x"), nio::WrongThreadError);
    EXPECT_EQ(channel.pendingBytes(), 0U);
}

TEST_F(EncodingTest, WhatIsSentBeforeRegistrationIsEncodedToo) {
    const auto make =
        nio::pipeline(support::ToyStage(), nio::lines(), support::ToyApplication(app));
    auto made = make(std::move(link.channel));
    nio::onDispatcher.assumeCurrent();
    made->send("early");
    dispatcher.add(std::move(made), nio::Interest::read);
    link.peer.send(hello);
    ASSERT_TRUE(dispatcher.turnUntil([&] { return app->sent == 1; }));
    EXPECT_EQ(link.peer.receive(8), hello + toyFrames("early\n"));
}

TEST_F(EncodingTest, EncodingStagesMayStandOnEachOther) {
    std::string got;
    const auto make = nio::pipeline(support::ToyStage(), support::ToyStage(), nio::lines(),
                                    [&](auto& peer, std::string_view line) {
                                        got = line;
                                        peer.send("answer");
                                        peer.closeAfterFlush();
                                    });
    dispatcher.add(make(std::move(link.channel)), nio::Interest::read);
    link.peer.send(hello + toyFrames(hello) + toyFrames(toyFrames("question\n")));
    const std::string stream = receiveAll().rest;
    ASSERT_FALSE(stream.empty());
    const support::ToyText outer = support::toyDecode(stream.substr(1));
    EXPECT_EQ(got, "question");
    EXPECT_TRUE(outer.ended);
    ASSERT_EQ(outer.rest, "");
    EXPECT_EQ(outer.text, hello + toyFrames("answer\n") + toyEnd()) << "the inner end comes first";
}

// Encodes from the first byte, or not at all.
struct Switch {
    using In = nio::ByteStream;
    using Out = nio::ByteStream;
    bool on = false;
    std::string unsent{};
    int flushes = 0;
    void opened(auto& context) {
        if (on) context.startEncoding();
    }
    void write(auto& context, nio::ByteView bytes) {
        on ? void(unsent += nio::asText(bytes)) : context.write(bytes);
    }
    void flush(auto& context) {
        ++flushes;
        if (!unsent.empty()) context.write("<" + std::exchange(unsent, {}) + ">");
    }
    void finish(auto& context) { context.write("end"); }
    std::size_t pendingBytes() const { return unsent.size(); }
};

TEST_F(EncodingTest, AStageThatIsSwitchedOffPassesBytes) {
    for (const bool on : {false, true}) {
        support::Link other = support::makeLink(nio::SocketAddress::Family::ipv4);
        const auto make = nio::pipeline(Switch{on}, [](auto& peer, std::string_view bytes) {
            peer.send(bytes);
            peer.sendThrough(bytes);
            if (bytes == "last") peer.closeAfterFlush();
        });
        dispatcher.add(make(std::move(other.channel)), nio::Interest::read);
        other.peer.send("last");
        std::string got;
        EXPECT_TRUE(dispatcher.turnUntil([&] {
            got += other.peer.receiveWhatIsThere();
            return other.peer.last().status != nio::IoStatus::wouldBlock;
        }));
        EXPECT_EQ(got, on ? "<lastlast>end" : "lastlast");
    }
}

}  // namespace
