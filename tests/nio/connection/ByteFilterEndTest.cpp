// How filtered connections end: orderly ends, truncation, errors of the filter.
#include <nio/connection/ByteFilter.h>

#include "nio/connection/ToyConnection.h"

namespace {

using support::toyEnd;
using support::toyFrames;
using support::ToyText;

class ByteFilterEndTest : public support::ToyConnection {};

TEST_F(ByteFilterEndTest, ThePeersEndComesAfterAllPacketsOfTheSameRead) {
    collect();
    std::size_t before = 0;
    listener->onFinished = [&](support::PacketChannel& channel) {
        before = arrived.size();
        channel.send("bye");
        channel.closeAfterFlush();
    };
    addReady({.maxPacketsPerTurn = 3});
    std::string lines;
    for (int i = 0; i < 20; ++i) lines += "x\n";
    link.peer.send(toyFrames(lines) + toyEnd());
    const ToyText text = receiveAll();
    EXPECT_EQ(before, 20U);
    EXPECT_EQ(text.text, "bye\n");
    EXPECT_TRUE(text.ended) << "the filter's end comes before FIN";
    EXPECT_EQ(listener->finished, 1U);
    ASSERT_TRUE(turnUntilEnded()) << "without the peer's FIN";
    EXPECT_EQ(listener->disconnected, 1U);
}

TEST_F(ByteFilterEndTest, AFinWithoutTheFiltersEndIsATruncation) {
    collect();
    listener->onPacket = [](support::PacketChannel& channel, std::string_view packet) {
        channel.send(packet);
    };
    addReady();
    link.peer.send(toyFrames("question\nhal"));
    link.peer.finish();
    const ToyText text = receiveAll();
    EXPECT_EQ(text.text, "question\n") << "what was answered before still reaches the peer";
    EXPECT_TRUE(text.ended);
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(listener->finished, 0U);
    ASSERT_EQ(listener->failed, 1U);
    EXPECT_TRUE(listener->reason()->is(nio::Errc::truncated)) << listener->reason()->message();
    EXPECT_EQ(listener->reason()->context(), "receive");
}

TEST_F(ByteFilterEndTest, AFinInsideTheHandshakeIsATruncationToo) {
    support::PacketChannel& channel = add();
    std::size_t lost = 0;
    listener->onException = [&](support::PacketChannel&, const nio::Error&) {
        lost = channel.remains().unsentBytes;
    };
    dispatcher.inTurn([&] { channel.send("waits"); });
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    ASSERT_EQ(listener->failed, 1U);
    EXPECT_TRUE(listener->reason()->is(nio::Errc::truncated));
    EXPECT_EQ(listener->reason()->context(), "handshake");
    EXPECT_EQ(lost, 6U);
    EXPECT_EQ(listener->sent, 0U) << "it was not sent";
}

TEST_F(ByteFilterEndTest, AHandshakeThatFailsTellsBothSides) {
    add();
    link.peer.send("plain text");
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(link.peer.receiveAll(), std::string(1, support::toyAlert));
    EXPECT_EQ(link.peer.last().status, nio::IoStatus::closed) << "not a reset";
    EXPECT_EQ(listener->packets, 0U);
    ASSERT_EQ(listener->failed, 1U);
    EXPECT_EQ(listener->reason()->message(), "toy greeting: the byte filter failed");
}

// A filter that cannot begin, or cannot say its end.
class Mute final : public nio::ByteFilter {
  public:
    explicit Mute(bool begins) : begins_(begins) {}
    nio::Result<void> begin(nio::ByteSink&) override {
        return begins_ ? nio::Result<void>() : no();
    }
    nio::Result<void> decode(nio::ByteView arrived, nio::ByteSink& plain, nio::ByteSink&) override {
        plain.append(arrived);
        return {};
    }
    bool isReady() const override { return begins_; }
    nio::Result<void> encode(nio::ByteView plain, nio::ByteSink& network) override {
        network.append(plain);
        return {};
    }
    nio::Result<void> finish(nio::ByteSink&) override { return no(); }
    bool hasPeerFinished() const override { return true; }

  private:
    static nio::Result<void> no() { return nio::Error(nio::Errc::filterFailed, "mute"); }

    const bool begins_;
};

TEST_F(ByteFilterEndTest, AFilterThatCannotBeginEndsTheConnection) {
    addWith(std::make_unique<Mute>(false));
    EXPECT_EQ(link.peer.receiveAll(), "");
    link.peer.close();
    ASSERT_TRUE(turnUntilEnded());
    ASSERT_EQ(listener->failed, 1U);
    EXPECT_TRUE(listener->reason()->is(nio::Errc::filterFailed));
}

TEST_F(ByteFilterEndTest, AFilterThatCannotSayItsEndEndsInOrderAllTheSame) {
    listener->onOpened = [](support::PacketChannel& channel) {
        channel.send("last");
        channel.closeAfterFlush();
    };
    addWith(std::make_unique<Mute>(true));
    EXPECT_EQ(link.peer.receiveAll(), "last\n") << "all that was sent has left before";
    link.peer.close();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(listener->disconnected, 1U);
}

TEST_F(ByteFilterEndTest, AnErrorOfTheFilterComesAfterThePacketsBeforeIt) {
    collect();
    addReady();
    link.peer.send(toyFrames("good\n") + toyFrames("bad\nnever\n"));
    ASSERT_TRUE(dispatcher.turnUntil([&] { return readable(); }));
    link.peer.send("thrown away unseen");
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(arrived, std::vector<std::string>{"good"});
    ASSERT_EQ(listener->failed, 1U);
    EXPECT_EQ(listener->reason()->context(), "toy frame");
    EXPECT_EQ(link.peer.receiveAll(), std::string(1, support::toyAlert));
}

TEST_F(ByteFilterEndTest, OutputThatTheFilterRefusesEndsTheConnection) {
    support::PacketChannel& channel = addReady();
    std::size_t lost = 0;
    listener->onException = [&](support::PacketChannel&, const nio::Error&) {
        lost = channel.remains().unsentBytes;
    };
    dispatcher.inTurn([&] { channel.send("unsayable"); });
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    ASSERT_EQ(listener->failed, 1U);
    EXPECT_EQ(listener->reason()->context(), "toy output");
    EXPECT_EQ(lost, 10U);
    EXPECT_EQ(listener->sent, 0U);
}

TEST_F(ByteFilterEndTest, ClosingAfterTheFlushSaysTheEndBeforeFin) {
    support::PacketChannel& channel = addReady();
    dispatcher.inTurn([&] {
        channel.send("last words");
        channel.closeAfterFlush();
    });
    const ToyText text = receiveAll();
    EXPECT_EQ(text.text, "last words\n");
    EXPECT_TRUE(text.ended);
    EXPECT_EQ(listener->ended(), 0U);
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(listener->disconnected, 1U) << "nobody waits for the peer's last words then";
}

TEST_F(ByteFilterEndTest, AnErrorBehindOurFinChangesNothing) {
    support::PacketChannel& channel = addReady();
    dispatcher.inTurn([&] { channel.closeAfterFlush(); });
    EXPECT_TRUE(receiveAll().ended);
    link.peer.send(toyFrames("bad"));
    dispatcher.turns(5);
    EXPECT_EQ(listener->ended(), 0U);
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(listener->disconnected, 1U) << listener->reason()->message();
}

TEST_F(ByteFilterEndTest, AnErrorBehindAHalfCloseIsTold) {
    support::PacketChannel& channel = addReady();
    dispatcher.inTurn([&] { channel.shutdownWrite(); });
    EXPECT_TRUE(receiveAll().ended);
    link.peer.send(toyFrames("bad"));
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    ASSERT_EQ(listener->failed, 1U);
    EXPECT_EQ(listener->reason()->context(), "toy frame");
}

TEST_F(ByteFilterEndTest, ClosingWithOutputWaitsForTheHandshake) {
    support::PacketChannel& channel = add();
    dispatcher.inTurn([&] {
        channel.send("last words");
        channel.closeAfterFlush();
    });
    dispatcher.turns(5);
    EXPECT_FALSE(readable());
    link.peer.send(hello + toyFrames("thrown away\n") + toyEnd());
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(link.peer.receiveAll(), hello + toyFrames("last words\n") + toyEnd());
    EXPECT_EQ(listener->disconnected, 1U);
    EXPECT_EQ(listener->packets, 0U);
}

TEST_F(ByteFilterEndTest, ClosingWithoutOutputSkipsTheHandshake) {
    support::PacketChannel& channel = add();
    dispatcher.inTurn([&] { channel.closeAfterFlush(); });
    EXPECT_EQ(link.peer.receiveAll(), "");
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(listener->disconnected, 1U);
}

TEST_F(ByteFilterEndTest, AFinInsteadOfTheHandshakeThatOutputWaitsForIsTold) {
    support::PacketChannel& channel = add();
    dispatcher.inTurn([&] {
        channel.send("last words");
        channel.closeAfterFlush();
    });
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    ASSERT_EQ(listener->failed, 1U);
    EXPECT_TRUE(listener->reason()->is(nio::Errc::truncated));
}

TEST_F(ByteFilterEndTest, ClosingInsidePacketSentSaysTheEndToo) {
    listener->onSent = [](support::PacketChannel& channel) { channel.closeAfterFlush(); };
    support::PacketChannel& channel = addReady();
    dispatcher.inTurn([&] { channel.send("x"); });
    const ToyText text = receiveAll();
    EXPECT_EQ(text.text, "x\n");
    EXPECT_TRUE(text.ended);
}

TEST_F(ByteFilterEndTest, AfterShutdownWriteThePeerIsStillRead) {
    collect();
    support::PacketChannel& channel = addReady();
    dispatcher.inTurn([&] {
        channel.send("goodbye");
        channel.shutdownWrite();
        channel.send("too late");
    });
    EXPECT_EQ(receiveAll().text, "goodbye\n");
    link.peer.send(toyFrames("still\n") + toyEnd());
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(arrived, std::vector<std::string>{"still"});
    EXPECT_EQ(listener->finished, 1U);
    EXPECT_EQ(listener->disconnected, 1U);
}

TEST_F(ByteFilterEndTest, AbortInsidePacketArrivedDeliversNoMore) {
    listener->onPacket = [](support::PacketChannel& channel, std::string_view) {
        channel.send("never");
        channel.abort();
    };
    addReady();
    link.peer.send(toyFrames("a\nb\n") + toyFrames("bad"));
    ASSERT_TRUE(turnUntilEnded());
    dispatcher.turns(2);
    EXPECT_EQ(listener->packets, 1U);
    EXPECT_TRUE(listener->reason()->is(nio::Errc::cancelled));
    EXPECT_EQ(dispatcher.failures, std::vector<std::string>{});
}

TEST_F(ByteFilterEndTest, AnExceptionResetsTheConnectionAndNoOther) {
    listener->onPacket = [](support::PacketChannel&, std::string_view) {
        throw std::runtime_error("these words");
    };
    addReady();
    link.peer.send(toyFrames("a\n"));
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_TRUE(listener->reason()->is(nio::Errc::handlerFailed));
}

}  // namespace
