// SMSCs that do not answer, or answer nonsense: their ESMEs are answered all the same, and the
// router binds again.
#include <gtest/gtest.h>

#include <random>

#include "apps/sms_router/scale/CleanScene.h"
#include "apps/sms_router/scale/ProcessFigures.h"
#include "support/Sanitized.h"

namespace router::scenarios {
namespace {

const std::string impatient = "response = \"2s\"";

TEST(RouterHostileSmsc, ThatNeverAnswersHasItsMessagesRefused) {
    CleanScene scene({}, impatient);
    SmppPeer esme = scene.router.bound();
    std::vector<std::uint32_t> sent;
    for (int i = 0; i < 10; ++i) sent.push_back(esme.submit({}));
    for (const std::uint32_t sequence : sent) {
        EXPECT_EQ(esme.expectAnswer(sequence).status(), Status::submitFail);
    }
}

TEST(RouterHostileSmsc, ThatAnswersWithOtherNumbersAnswersNothing) {
    CleanScene scene({}, impatient);
    SmppPeer esme = scene.router.bound();
    const std::uint32_t sent = esme.submit({});
    const std::uint32_t sequence = scene.smsc.nextSubmit().sequence();
    for (const std::uint32_t wrong :
         {sequence + 1, sequence + 1000, 0u, 0x7FFFFFFFu, 0xFFFFFFFFu}) {
        scene.smsc.send(withText(Command::submitSmResp, wrong, "wrong"));
    }
    EXPECT_EQ(esme.expectAnswer(sent).status(), Status::submitFail);
    EXPECT_TRUE(esme.nothingArrives());
}

// Of an account that takes one at a time, and takes its time.
TEST(RouterHostileSmsc, ThatKnowsNoWindowIsBoundInMemory) {
    CleanScene scene({.esme1 = "deliver_window = 1\nkeep_bytes = \"1Mi\""});
    SmppPeer esme = scene.router.bound();
    const pid_t pid = scene.router.process().pid();
    const long before = anonymousKiB(pid);
    const nio::Bytes message =
        dataSm(7, {.from = "41791234567", .to = "12345", .text = std::string(60'000, 'x')});
    constexpr int count = 4000;
    for (int i = 0; i < count; ++i) scene.smsc.send(message);
    EXPECT_TRUE(esme.nothingArrives() || esme.next().command() == Command::dataSm);
    if (!support::sanitized) {
        EXPECT_LT(anonymousKiB(pid) - before, 64 * 1024);
    }
    for (int i = 0; i < count; ++i) scene.smsc.expect(Command::dataSmResp);
}

TEST(RouterHostileSmsc, ThatAnswersTwiceIsBelievedOnce) {
    CleanScene scene;
    SmppPeer esme = scene.router.bound();
    const std::uint32_t sent = esme.submit({});
    const OwnedPdu submit = scene.smsc.nextSubmit();
    scene.smsc.answer(submit, "s1");
    scene.smsc.answer(submit, "s2");
    scene.smsc.refuse(submit, Status::sysErr);
    EXPECT_EQ(esme.expectAnswer(sent).status(), Status::ok);
    EXPECT_TRUE(esme.nothingArrives());
    EXPECT_EQ(scene.smsc.expectAnswer(scene.smsc.receipt(receiptOf("s2"))).status(),
              Status::xPAppn);
}

TEST(RouterHostileSmsc, ThatDoesNotAnswerABindIsCalledAgain) {
    TestSmsc listener;
    RouterProcess router({.connectors = {{"smsc", listener.port(), impatient}}});
    SmppPeer silent = listener.acceptConnection();
    silent.expect(Command::bindTransceiver);
    EXPECT_TRUE(silent.closedByPeer());
    silent.close();
    SmscBind smsc = listener.accept();
    ASSERT_TRUE(smsc.nothingArrives());
    SmppPeer esme = router.bound();
    const std::uint32_t sent = esme.submit({});
    smsc.answer(smsc.nextSubmit(), "s1");
    EXPECT_EQ(esme.expectAnswer(sent).status(), Status::ok);
}

TEST(RouterHostileSmsc, ThatSendsGarbageIsLeftAndCalledAgain) {
    CleanScene scene;
    SmppPeer esme = scene.router.bound();
    const unsigned seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    for (int i = 0; i < 10; ++i) {
        const std::uint32_t sent = esme.submit({});
        scene.smsc.nextSubmit();
        // A length that cannot be, and anything behind it.
        nio::Bytes garbage = hex("FFFFFFFF");
        for (std::size_t left = random() % 4096; left > 0; --left) {
            garbage.push_back(static_cast<nio::Byte>(random()));
        }
        scene.smsc.send(garbage);
        while (scene.smsc.nextOrEnd()) {
        }
        scene.smsc.close();
        scene.smsc = scene.listener.accept();
        EXPECT_EQ(esme.expectAnswer(sent).status(), Status::submitFail);
    }
    EXPECT_EQ(scene.accepted(esme, "s1").size(), 16u);
}

TEST(RouterHostileSmsc, ThatEndsConnectionsAtOnceDoesNotKeepTheRouterBusy) {
    TestSmsc listener;
    RouterProcess router({.connectors = {{"smsc", listener.port(),
                                          "reconnect_first = \"1ms\"\nreconnect_max = \"5ms\""}}});
    for (int i = 0; i < 100; ++i) listener.acceptConnection().close();
    SmppPeer esme = router.bound();
    const std::uint32_t sent = esme.submit({});
    EXPECT_EQ(esme.expectAnswer(sent).status(), Status::sysErr);
    // Those that were called meanwhile, and then one that stays.
    SmscBind smsc = listener.accept();
    ASSERT_TRUE(smsc.nothingArrives());  // but the router knows now that it is bound
    const std::uint32_t again = esme.submit({});
    smsc.answer(smsc.nextSubmit(), "s1");
    EXPECT_EQ(esme.expectAnswer(again).status(), Status::ok);
}

}  // namespace
}  // namespace router::scenarios
