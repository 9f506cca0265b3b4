#include "sms_router/egress/SmscBind.h"

#include <smpp/pdu/PduWriter.h>

#include "apps/sms_router/egress/ConnectorCase.h"

namespace router {
namespace {

using namespace std::chrono_literals;

class SmscBindTest : public ConnectorCase {
  protected:
    // One that waits for an outbind, beside the connector's own.
    SmscBind& startWaiting() {
        dialing->config.outbindListen = "127.0.0.1:0";
        dialing->config.bind.transceivers = 0;
        start();
        waiting.emplace(*bench.dispatcher, dialing, smpp::Command::bindTransceiver, 1, *connector);
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            waiting->startNow();
            EXPECT_EQ(waiting->describeNow().state, "awaiting outbind");
        });
        EXPECT_TRUE(waiting->wantsConnection());
        return *waiting;
    }
    void adopt(nio::SocketChannel channel) {
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            waiting->adoptNow(std::move(channel));
        });
    }
    std::string state() { return row().binds.at(0).state; }

    std::optional<SmscBind> waiting;
};

TEST_F(SmscBindTest, ConnectsAndBinds) {
    start();
    const RawSmpp smsc = acceptAndBind();
    EXPECT_EQ(state(), "BOUND_TRX");
}

TEST_F(SmscBindTest, TriesAgainWhenTheConnectionEnds) {
    start();
    (void)acceptAndBind();
    RawSmpp again = accept();
    EXPECT_EQ(again.next(), written(bindRequest));
}

TEST_F(SmscBindTest, TriesAgainWhenItsBindIsRefused) {
    start();
    {
        RawSmpp smsc = accept();
        EXPECT_NE(smsc.next(), "");
        smsc.send("00000010 80000009 0000000D 00000001");
        EXPECT_TRUE(smsc.untilEnd());
    }
    RawSmpp again = accept();
    EXPECT_EQ(again.next(), written(bindRequest));
    EXPECT_EQ(row().bindError, "the bind was refused: ESME_RBINDFAIL");
    const StatusCounts refused = row().refusedBy.of(smpp::Command::bindTransceiver);
    EXPECT_EQ(refused.counts().at(smpp::Status::bindFail), 1u);
}

TEST_F(SmscBindTest, SaysWithWhatElseItsBindWasAnswered) {
    start();
    const auto answerWith = [this](const char* answer) {
        RawSmpp smsc = accept();
        EXPECT_NE(smsc.next(), "");
        smsc.send(answer);
        EXPECT_TRUE(smsc.untilEnd());
        return row().bindError;
    };
    EXPECT_EQ(answerWith("00000011 80000001 00000000 00000001 00"),
              "the bind was answered with bind_receiver_resp: ESME_ROK");
    EXPECT_EQ(answerWith("00000010 80000000 00000000 00000001"),
              "the bind was answered with generic_nack: ESME_ROK");
}

TEST_F(SmscBindTest, WaitsForTheNextTryWhenNobodyListens) {
    listener.reset();
    dialing->config.timers.reconnectFirst = dialing->config.timers.reconnectMax = 1h;
    start();
    EXPECT_TRUE(bench.dispatcher.turnUntil([&] { return state().starts_with("waiting "); }));
    EXPECT_NE(row().bindError, "");
    switchOff();
    EXPECT_EQ(state(), "stopped");
}

TEST_F(SmscBindTest, StoppedItUnbindsFirst) {
    start();
    RawSmpp smsc = acceptAndBind();
    switchOff();
    EXPECT_EQ(smsc.next(), written("00000010 00000006 00000000 00000002"));
    smsc.send("00000010 80000006 00000000 00000002");
    EXPECT_TRUE(smsc.untilEnd());
    EXPECT_EQ(state(), "stopped");
}

TEST_F(SmscBindTest, AskedToBindItDoes) {
    const SmscBind& bind = startWaiting();
    support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
    adopt(std::move(link.channel));
    EXPECT_FALSE(bind.wantsConnection());
    RawSmpp smsc(std::move(link.peer), bench.dispatcher);
    EXPECT_TRUE(smsc.isSilent());
    smsc.send("0000001C 0000000B 00000000 00000001 'smsc' 00 'secret' 00");
    EXPECT_EQ(smsc.next(), written(bindRequest));
}

TEST_F(SmscBindTest, AConnectionThatEndsAtOnceIsOver) {
    if (bench.dispatcher->registry().selectorName() == "uring") {
        GTEST_SKIP() << "io_uring hears of a failed write only in a later turn";
    }
    // Its client speaks first.
    dialing->tls = nio::TlsContext::client({.verify = false}).orThrow();
    const SmscBind& bind = startWaiting();
    // The first write fails while the connection is being registered.
    support::Link link = support::makeLink();
    link.peer.close();
    adopt(std::move(link.channel));
    EXPECT_FALSE(bind.isConnected());
    EXPECT_TRUE(bind.wantsConnection());
}

// If both ends read no more until the other one does, they wait until requests time out.
TEST_F(SmscBindTest, ReadsAnswersWhileMuchOutputWaits) {
    start();
    RawSmpp smsc = acceptAndBind();
    (void)bench.connect();  // whom the answers do not reach any longer
    const std::string payload(60'000, 'x');
    const nio::Bytes submit = smpp::PduWriter(smpp::Command::dataSm, smpp::Status::ok, 0)
                                  .text("")
                                  .number(0)
                                  .number(0)
                                  .text("1")
                                  .number(0)
                                  .number(0)
                                  .text("2")
                                  .number(0)
                                  .number(0)
                                  .number(0)
                                  .tlv(smpp::Tag::messagePayload, payload)
                                  .finish();
    constexpr std::size_t muchOutput = 4 * SmscLink::mostHeld;
    int count = 0;
    for (; count < 250 && bench.dispatcher->metrics().bufferedBytes < muchOutput; ++count) {
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            Submission submission;
            submission.origin.link = bench.lastLink->handle();
            submission.origin.ingress = &EsmeLink::ingress();
            submission.account = &bench.known;
            submission.pdu = submit;
            connector->submitNow(std::move(submission));
        });
    }
    ASSERT_GE(bench.dispatcher->metrics().bufferedBytes, muchOutput);
    // A receipt without an id.
    smsc.send(
        "00000023 00000005 00000000 00000001 00 0000 '1' 00 0000 '2' 00 040000 00 00 00000000 00");
    smsc.send("00000012 80000103 00000000 00000002 'A' 00");
    EXPECT_TRUE(bench.dispatcher.turnUntil([&] { return row().counters.accepted == 1; }));
    EXPECT_EQ(row().receipts.unmatched, 0u) << "it would have us send more";
    for (int sent = 0; sent < count; ++sent) EXPECT_NE(smsc.next(), "");
    EXPECT_EQ(smsc.next(), written("00000011 80000005 00000065 00000001 00"));
}

}  // namespace
}  // namespace router
