// How connections with an encoding stage end: in order, cut off, with an error of the stage.
#include <nio/pipeline/Encoding.h>

#include "nio/pipeline/ToyPipeline.h"

namespace {

using support::toyEnd;
using support::toyFrames;
using support::ToyText;

class EncodingEndTest : public support::ToyPipeline {};

TEST_F(EncodingEndTest, ThePeersEndComesAfterAllPacketsOfTheSameRead) {
    collect();
    std::size_t before = 0;
    app->onFinished = [&](support::ToyPeer& channel) {
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
    EXPECT_TRUE(text.ended) << "the stage's end comes before FIN";
    EXPECT_EQ(app->finished, 1U);
    ASSERT_TRUE(turnUntilEnded()) << "without the peer's FIN";
    EXPECT_EQ(app->disconnected(), 1U);
}

TEST_F(EncodingEndTest, ShutdownReadDiscardsBehindTheStage) {
    collect();
    support::ToyPeer& peer = addReady();
    dispatcher.inTurn([&] { peer.shutdownRead(); });
    link.peer.send(toyFrames("1\n2\n") + toyEnd());
    dispatcher.turns(5);
    EXPECT_EQ(app->packets, 0U);
    EXPECT_EQ(app->finished, 0U);
    dispatcher.inTurn([&] {
        peer.send("answer");
        peer.closeAfterFlush();
    });
    const ToyText text = receiveAll();
    EXPECT_EQ(text.text, "answer\n");
    EXPECT_TRUE(text.ended);
    link.peer.close();
    ASSERT_TRUE(turnUntilEnded());
}

// What is sent would wait for its answers for ever.
TEST_F(EncodingEndTest, ShutdownReadHearsAnEndBeforeTheHandshake) {
    support::ToyPeer& peer = add();
    dispatcher.inTurn([&] { peer.shutdownRead(); });
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(app->disconnected(), 0U);
}

TEST_F(EncodingEndTest, ThePeersEndIsToldOnceTheOutputIsLowAgain) {
    // Much more than what the kernel takes, in one answer.
    const std::string block(60'000, 'a');
    app->onPacket = [&](support::ToyPeer& channel, std::string_view) {
        for (int i = 0; i < 200; ++i) channel.send(block);
    };
    addReady();
    link.peer.send(toyFrames("?\n") + toyEnd());
    ASSERT_TRUE(dispatcher.turnUntil([&] { return app->packets == 1; }));
    dispatcher.turns(5);
    EXPECT_EQ(app->finished, 0U) << "reading is paused by the high mark";
    const ToyText text = receiveAll();
    EXPECT_EQ(text.text.size(), 200U * (block.size() + 1));
    EXPECT_TRUE(text.ended);
    EXPECT_EQ(app->finished, 1U);
    EXPECT_EQ(app->disconnected(), 1U);
}

TEST_F(EncodingEndTest, AFinWithoutTheStagesEndIsATruncation) {
    collect();
    app->onPacket = [](support::ToyPeer& channel, std::string_view packet) {
        channel.send(packet);
    };
    addReady();
    link.peer.send(toyFrames("question\nhal"));
    link.peer.finish();
    const ToyText text = receiveAll();
    EXPECT_EQ(text.text, "question\n") << "what was answered before still reaches the peer";
    EXPECT_TRUE(text.ended);
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(app->finished, 0U);
    ASSERT_EQ(app->failed, 1U);
    EXPECT_TRUE(app->reason->is(nio::Errc::truncated)) << app->reason->message();
    EXPECT_EQ(app->reason->context(), "receive");
}

TEST_F(EncodingEndTest, AFinInsideTheHandshakeIsATruncationToo) {
    support::ToyPeer& channel = add();
    std::size_t lost = 0;
    app->onFailed = [&](support::ToyPeer&, const nio::Error&) {
        lost = channel.remains().unsentBytes;
    };
    dispatcher.inTurn([&] { channel.send("waits"); });
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    ASSERT_EQ(app->failed, 1U);
    EXPECT_TRUE(app->reason->is(nio::Errc::truncated));
    EXPECT_EQ(app->reason->context(), "handshake");
    EXPECT_EQ(lost, 6U);
    EXPECT_EQ(app->sent, 0U) << "it was not sent";
}

TEST_F(EncodingEndTest, AHandshakeThatFailsTellsBothSides) {
    add();
    link.peer.send("plain text");
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(link.peer.receiveAll(), std::string(1, support::toyAlert));
    EXPECT_EQ(link.peer.last().status, nio::IoStatus::closed) << "not a reset";
    EXPECT_EQ(app->packets, 0U);
    ASSERT_EQ(app->failed, 1U);
    EXPECT_EQ(app->reason->message(), "toy greeting: encoding failed");
}

// A stage that cannot begin.
struct Mute {
    using In = nio::ByteStream;
    using Out = nio::ByteStream;
    void opened(auto& context) {
        context.startEncoding();
        context.fail(nio::Error(nio::Errc::encodingFailed, "mute"));
    }
    void flush(auto&) {}
};

TEST_F(EncodingEndTest, AStageThatCannotBeginEndsTheConnection) {
    const auto make = nio::pipeline(Mute(), nio::lines(), [](auto&, std::string_view) {});
    dispatcher.add(make(std::move(link.channel)), nio::Interest::read);
    EXPECT_EQ(link.peer.receiveAll(), "");
    link.peer.close();
    EXPECT_TRUE(dispatcher.turnUntil([&] { return dispatcher->connectionCount() == 0; }));
}

// Its end cannot be encoded, and what it throws is no std::exception.
struct Thrower {
    using In = nio::ByteStream;
    using Out = nio::ByteStream;
    void opened(auto& context) { context.startEncoding(); }
    void finish(auto&) { throw 42; }
};

TEST_F(EncodingEndTest, AnyExceptionOfFinishEndsTheConnection) {
    const auto hooks = std::make_shared<support::Hooked<Thrower>::Hooks>();
    const auto make = nio::pipeline(Thrower(), support::Hooked<Thrower>(hooks))
                          .with({.idleTimeout = std::chrono::milliseconds(1)});
    dispatcher.add(make(std::move(link.channel)), nio::Interest::read);
    ASSERT_TRUE(dispatcher.turnUntil([&] { return dispatcher->connectionCount() == 0; }));
    EXPECT_EQ(hooks->closed, 1U);
    ASSERT_EQ(hooks->failed, 1U);
    EXPECT_TRUE(hooks->reason->is(nio::Errc::timedOut)) << hooks->reason->message();
    EXPECT_EQ(dispatcher.failures, std::vector<std::string>{});
}

TEST_F(EncodingEndTest, AnIdleTimeoutSaysTheEndToo) {
    addReady({.idleTimeout = std::chrono::milliseconds(1)});
    EXPECT_TRUE(receiveAll().ended);
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_TRUE(app->reason->is(nio::Errc::timedOut));
}

TEST_F(EncodingEndTest, InputAfterACloseIsDiscardedAndCounted) {
    support::ToyPeer& peer = addReady();
    dispatcher.inTurn([&] { peer.closeAfterFlush(); });
    link.peer.send(toyFrames("too late"));
    EXPECT_TRUE(dispatcher.turnUntil([&] { return peer.remains().unreadBytes == 8; }));
    EXPECT_EQ(app->packets, 0U);
}

TEST_F(EncodingEndTest, AnErrorOfTheStageComesAfterThePacketsBeforeIt) {
    collect();
    addReady();
    link.peer.send(toyFrames("good\n") + toyFrames("bad\nnever\n"));
    ASSERT_TRUE(dispatcher.turnUntil([&] { return readable(); }));
    link.peer.send("thrown away unseen");
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(arrived, std::vector<std::string>{"good"});
    ASSERT_EQ(app->failed, 1U);
    EXPECT_EQ(app->reason->context(), "toy frame");
    EXPECT_EQ(link.peer.receiveAll(), std::string(1, support::toyAlert));
}

TEST_F(EncodingEndTest, OutputThatTheStageRefusesEndsTheConnection) {
    support::ToyPeer& channel = addReady();
    std::size_t lost = 0;
    app->onFailed = [&](support::ToyPeer&, const nio::Error&) {
        lost = channel.remains().unsentBytes;
    };
    dispatcher.inTurn([&] { channel.send("unsayable"); });
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    ASSERT_EQ(app->failed, 1U);
    EXPECT_EQ(app->reason->context(), "toy output");
    EXPECT_EQ(lost, 10U);
    EXPECT_EQ(app->sent, 0U);
}

TEST_F(EncodingEndTest, ClosingAfterTheFlushSaysTheEndBeforeFin) {
    support::ToyPeer& channel = addReady();
    dispatcher.inTurn([&] {
        channel.send("last words");
        channel.closeAfterFlush();
    });
    const ToyText text = receiveAll();
    EXPECT_EQ(text.text, "last words\n");
    EXPECT_TRUE(text.ended);
    EXPECT_EQ(app->closed, 0U);
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(app->disconnected(), 1U) << "nobody waits for the peer's last words then";
}

TEST_F(EncodingEndTest, AnErrorBehindOurFinChangesNothing) {
    support::ToyPeer& channel = addReady();
    dispatcher.inTurn([&] { channel.closeAfterFlush(); });
    EXPECT_TRUE(receiveAll().ended);
    link.peer.send(toyFrames("bad"));
    dispatcher.turns(5);
    EXPECT_EQ(app->closed, 0U);
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(app->disconnected(), 1U) << app->reason->message();
}

TEST_F(EncodingEndTest, AnErrorBehindAHalfCloseIsTold) {
    support::ToyPeer& channel = addReady();
    dispatcher.inTurn([&] { channel.shutdownWrite(); });
    EXPECT_TRUE(receiveAll().ended);
    link.peer.send(toyFrames("bad"));
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    ASSERT_EQ(app->failed, 1U);
    EXPECT_EQ(app->reason->context(), "toy frame");
}

TEST_F(EncodingEndTest, ClosingWithOutputWaitsForTheHandshake) {
    support::ToyPeer& channel = add();
    dispatcher.inTurn([&] {
        channel.send("last words");
        channel.closeAfterFlush();
    });
    dispatcher.turns(5);
    EXPECT_FALSE(readable());
    link.peer.send(hello + toyFrames("thrown away\n") + toyEnd());
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(link.peer.receiveAll(), hello + toyFrames("last words\n") + toyEnd());
    EXPECT_EQ(app->disconnected(), 1U);
    EXPECT_EQ(app->packets, 0U);
}

TEST_F(EncodingEndTest, ClosingWithoutOutputSkipsTheHandshake) {
    support::ToyPeer& channel = add();
    dispatcher.inTurn([&] { channel.closeAfterFlush(); });
    EXPECT_EQ(link.peer.receiveAll(), "");
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(app->disconnected(), 1U);
}

TEST_F(EncodingEndTest, AFinInsteadOfTheHandshakeThatOutputWaitsForIsTold) {
    support::ToyPeer& channel = add();
    dispatcher.inTurn([&] {
        channel.send("last words");
        channel.closeAfterFlush();
    });
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    ASSERT_EQ(app->failed, 1U);
    EXPECT_TRUE(app->reason->is(nio::Errc::truncated));
}

TEST_F(EncodingEndTest, ClosingInsidePacketSentSaysTheEndToo) {
    app->onSent = [](support::ToyPeer& channel) { channel.closeAfterFlush(); };
    support::ToyPeer& channel = addReady();
    dispatcher.inTurn([&] { channel.send("x"); });
    const ToyText text = receiveAll();
    EXPECT_EQ(text.text, "x\n");
    EXPECT_TRUE(text.ended);
}

TEST_F(EncodingEndTest, AfterShutdownWriteThePeerIsStillRead) {
    collect();
    support::ToyPeer& channel = addReady();
    dispatcher.inTurn([&] {
        channel.send("goodbye");
        channel.shutdownWrite();
        channel.send("too late");
    });
    EXPECT_EQ(receiveAll().text, "goodbye\n");
    link.peer.send(toyFrames("still\n") + toyEnd());
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(arrived, std::vector<std::string>{"still"});
    EXPECT_EQ(app->finished, 1U);
    EXPECT_EQ(app->disconnected(), 1U);
}

TEST_F(EncodingEndTest, AHalfCloseWaitsForTheHandshake) {
    collect();
    support::ToyPeer& channel = add();
    dispatcher.inTurn([&] { channel.shutdownWrite(); });
    dispatcher.turns(3);
    EXPECT_FALSE(readable()) << "no FIN yet";
    EXPECT_TRUE(sleeps());
    link.peer.send(hello + toyFrames("still\n"));
    std::string stream;
    EXPECT_TRUE(dispatcher.turnUntil([&] {
        stream += link.peer.receiveWhatIsThere();
        return link.peer.last().status != nio::IoStatus::wouldBlock;
    }));
    EXPECT_EQ(stream, hello + toyEnd());
    EXPECT_EQ(app->closed, 0U);
    link.peer.send(toyEnd());
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(arrived, std::vector<std::string>{"still"});
    EXPECT_EQ(app->disconnected(), 1U);
}

TEST_F(EncodingEndTest, AFinInsteadOfTheHandshakeEndsAHalfClose) {
    support::ToyPeer& channel = add();
    dispatcher.inTurn([&] { channel.shutdownWrite(); });
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    ASSERT_EQ(app->failed, 1U);
    EXPECT_TRUE(app->reason->is(nio::Errc::truncated)) << app->reason->message();
    EXPECT_EQ(app->reason->context(), "handshake");
}

TEST_F(EncodingEndTest, AbortInsidePacketArrivedDeliversNoMore) {
    app->onPacket = [](support::ToyPeer& channel, std::string_view) {
        channel.send("never");
        channel.abort();
    };
    addReady();
    link.peer.send(toyFrames("a\nb\n") + toyFrames("bad"));
    ASSERT_TRUE(turnUntilEnded());
    dispatcher.turns(2);
    EXPECT_EQ(app->packets, 1U);
    EXPECT_TRUE(app->reason->is(nio::Errc::cancelled));
    EXPECT_EQ(dispatcher.failures, std::vector<std::string>{});
}

TEST_F(EncodingEndTest, AnExceptionResetsTheConnectionAndNoOther) {
    app->onPacket = [](support::ToyPeer&, std::string_view) {
        throw std::runtime_error("these words");
    };
    addReady();
    link.peer.send(toyFrames("a\n"));
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_TRUE(app->reason->is(nio::Errc::handlerFailed));
}

}  // namespace
