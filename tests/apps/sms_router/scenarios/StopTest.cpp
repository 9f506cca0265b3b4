// SIGTERM: what is under way is finished, within its time.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apps/sms_router/scenarios/AdminClient.h"
#include "apps/sms_router/scenarios/OneSmsc.h"

namespace router::scenarios {

namespace {

// It has begun to drain: nobody can connect any more.
void awaitDrain(RouterProcess& router) {
    const nio::SocketAddress address = router.address();
    const nio::TimePoint end = nio::Clock::after(patience);
    while (nio::Clock::now() < end) {
        try {
            SmppPeer probe(address);
            // A listener that closes in the midst of a handshake leaves the caller with half a
            // connection: it hears of that once it says something.
            probe.send(bare(Command::enquireLink, 1));
            if (probe.closedByPeer()) return;
        } catch (const std::exception&) {
            return;
        }
    }
}

}  // namespace

TEST(RouterStop, UnbindsAllAndEndsWhenNothingIsUnderWay) {
    OneSmsc scene;
    SmppPeer one = scene.router.bound("esme1");
    SmppPeer two = scene.router.bound("esme2", Command::bindReceiver);
    scene.router.signal(SIGTERM);
    for (SmppPeer* esme : {&one, &two}) {
        esme->answer(esme->expect(Command::unbind));
        EXPECT_TRUE(esme->closedByPeer());
        esme->close();
    }
    scene.smsc.answer(scene.smsc.expect(Command::unbind));
    EXPECT_TRUE(scene.smsc.closedByPeer());
    scene.smsc.close();
    EXPECT_EQ(scene.router.lastLine(),
              "sms-router stopped: 0 binds left open, 0 requests unanswered, 0 deliveries "
              "unacknowledged");
    EXPECT_EQ(scene.router.exitCode(), 0);
}

// A reload that reads a FIFO hangs until somebody has written to it, and closed it.
TEST(RouterStop, EndsByForceWhereSomethingHangs) {
    RouterProcess router({.connectors = {{"smsc", 1}}, .router = "exit_timeout = \"50ms\""});
    router.address();
    ASSERT_EQ(::unlink(router.configFile().c_str()), 0);
    ASSERT_EQ(::mkfifo(router.configFile().c_str(), 0600), 0);
    router.signal(SIGHUP);
    nio::UniqueFd writer;
    for (const nio::TimePoint end = nio::Clock::after(patience); !writer;) {
        ASSERT_LT(nio::Clock::now(), end);
        writer = nio::UniqueFd(::open(router.configFile().c_str(), O_WRONLY | O_NONBLOCK));
    }
    EXPECT_EQ(router.stop(),
              "sms-router stopped: 0 binds left open, 0 requests unanswered, "
              "0 deliveries unacknowledged; forced, since a thread hangs");
    EXPECT_EQ(router.exitCode(), 1);
}

TEST(RouterStop, EndsWithoutAnybody) {
    RouterProcess router({.connectors = {{"smsc", 1}}});
    EXPECT_EQ(router.stop(),
              "sms-router stopped: 0 binds left open, 0 requests unanswered, "
              "0 deliveries unacknowledged");
    EXPECT_EQ(router.exitCode(), 0);
}

TEST(RouterStop, WaitsForTheAnswersToWhatIsUnderWay) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    SmppPeer idle = scene.router.bound("esme2");
    const std::uint32_t sent = esme.submit({});
    const OwnedPdu submit = scene.smsc.nextSubmit();
    scene.router.signal(SIGTERM);
    idle.answer(idle.expect(Command::unbind));
    idle.close();
    // esme1's dispatcher may hear of it a little later.
    Status status = Status::ok;
    std::vector<OwnedPdu> more;
    while (status != Status::sysErr) {
        const std::uint32_t late = esme.submit({});
        if (esme.nothingArrives()) {
            more.push_back(scene.smsc.nextSubmit());
        } else {
            status = esme.expectAnswer(late).status();
        }
    }
    EXPECT_TRUE(scene.smsc.nothingArrives());
    scene.smsc.answer(submit, "17");
    EXPECT_EQ(esme.expectAnswer(sent).status(), Status::ok);
    for (const OwnedPdu& one : more) {
        scene.smsc.answer(one, "id");
        EXPECT_EQ(esme.expect(Command::submitSmResp).status(), Status::ok);
    }
    esme.answer(esme.expect(Command::unbind));
    EXPECT_TRUE(esme.closedByPeer());
    esme.close();
    scene.smsc.answer(scene.smsc.expect(Command::unbind));
    scene.smsc.close();
    EXPECT_NE(scene.router.lastLine().find(" 0 requests unanswered"), std::string::npos);
    EXPECT_EQ(scene.router.exitCode(), 0);
}

TEST(RouterStop, WaitsForTheAcknowledgementOfAReceipt) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
    const std::uint32_t sequence = scene.smsc.receipt(receiptOf("17"));
    const OwnedPdu receipt = esme.expect(Command::deliverSm);
    scene.router.signal(SIGTERM);
    awaitDrain(scene.router);
    esme.answer(receipt);
    esme.answer(esme.expect(Command::unbind));
    esme.close();
    EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), Status::ok);
    scene.smsc.answer(scene.smsc.expect(Command::unbind));
    scene.smsc.close();
    EXPECT_NE(scene.router.lastLine().find(" 0 deliveries unacknowledged"), std::string::npos);
    EXPECT_EQ(scene.router.exitCode(), 0);
}

TEST(RouterStop, WaitsForAnswersOfAConnectorThatWasStoppedBefore) {
    OneSmsc scene({.admin = true});
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t sent = esme.submit({});
    const OwnedPdu submit = scene.smsc.nextSubmit();
    EXPECT_EQ(AdminClient(scene.router.adminAddress()).post("/connectors/smsc/stop").status, 200);
    scene.router.signal(SIGTERM);
    awaitDrain(scene.router);
    scene.smsc.answer(submit, "17");
    scene.smsc.answer(scene.smsc.expect(Command::unbind));
    EXPECT_EQ(esme.expectAnswer(sent).status(), Status::ok);
    scene.smsc.close();
    esme.answer(esme.expect(Command::unbind));
    esme.close();
    EXPECT_NE(scene.router.lastLine().find(" 0 requests unanswered"), std::string::npos);
}

TEST(RouterStop, TakesNothingNewOfAnSmsc) {
    OneSmsc scene;
    // Nobody receives: what comes is kept, and answered at once.
    SmppPeer esme = scene.router.bound("esme1", Command::bindTransmitter);
    const std::uint32_t sent = esme.submit({});
    const OwnedPdu submit = scene.smsc.nextSubmit();
    scene.router.signal(SIGTERM);
    // The connector's dispatcher hears of it at some time.
    Status status = Status::ok;
    while (status == Status::ok) {
        status = scene.smsc.expectAnswer(scene.smsc.deliver({.to = "12345"})).status();
    }
    EXPECT_EQ(status, Status::xTAppn);
    scene.smsc.answer(submit, "17");
    EXPECT_EQ(esme.expectAnswer(sent).status(), Status::ok);
    esme.expect(Command::unbind);
}

TEST(RouterStop, EndsAtItsDeadlineAndSaysWhatIsLeft) {
    OneSmsc scene({.router = "drain_timeout = \"100ms\""});
    SmppPeer esme = scene.router.bound("esme1");
    esme.submit({});
    scene.smsc.nextSubmit();
    EXPECT_EQ(scene.router.stop(),
              "sms-router stopped: 2 binds left open, 1 request unanswered, "
              "0 deliveries unacknowledged (drain timeout expired)");
    EXPECT_EQ(scene.router.exitCode(), 0);
}

TEST(RouterStop, EndsAtTheDeadlineThatAReloadHasSet) {
    OneSmsc scene({.router = "drain_timeout = \"1h\""});
    SmppPeer esme = scene.router.bound("esme1");
    esme.submit({});
    scene.smsc.nextSubmit();
    scene.router.setup().router = "drain_timeout = \"100ms\"";
    scene.router.writeConfig();
    EXPECT_EQ(scene.router.reload(), "sms-router: info: configuration reloaded");
    EXPECT_NE(scene.router.stop().find("(drain timeout expired)"), std::string::npos);
}

TEST(RouterStop, EndsAtOnceWithASecondSignal) {
    OneSmsc scene({.router = "drain_timeout = \"1h\""});
    SmppPeer esme = scene.router.bound("esme1");
    esme.submit({});
    scene.smsc.nextSubmit();
    scene.router.signal(SIGTERM);
    awaitDrain(scene.router);
    scene.router.signal(SIGTERM);
    const std::string last = scene.router.lastLine();
    EXPECT_NE(last.find(" 1 request unanswered"), std::string::npos) << last;
    EXPECT_EQ(scene.router.exitCode(), 0);
}

TEST(RouterStop, TakesSigintForSigterm) {
    OneSmsc scene({.router = "drain_timeout = \"0s\""});
    scene.router.signal(SIGINT);
    EXPECT_EQ(scene.router.lastLine().substr(0, 19), "sms-router stopped:");
    EXPECT_EQ(scene.router.exitCode(), 0);
}

}  // namespace router::scenarios
