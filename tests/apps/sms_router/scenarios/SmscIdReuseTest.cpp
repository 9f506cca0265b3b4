// An SMSC that gives one id to several messages: no receipt crosses accounts.
#include <gtest/gtest.h>

#include "apps/sms_router/scenarios/OneSmsc.h"
#include "apps/sms_router/scenarios/TwoSmscs.h"

namespace router::scenarios {

namespace {

const std::string numberA = "447700900001";
const std::string numberB = "447700900002";

Message receiptFrom(const std::string& number, const std::string& to = "12345",
                    const std::string& state = "DELIVRD") {
    Message receipt = receiptOf("1", state);
    receipt.from = number;
    receipt.to = to;
    return receipt;
}

// The next PDU of the ESME is the receipt of this message; it acknowledges it.
void expectReceipt(SmppPeer& esme, const std::string& ours, SmppPeer& smsc,
                   std::uint32_t sequence) {
    const OwnedPdu receipt = esme.expect(Command::deliverSm);
    EXPECT_NE(receipt.message().find("id:" + ours), std::string::npos) << receipt.message();
    esme.answer(receipt);
    EXPECT_EQ(smsc.expectAnswer(sequence).status(), Status::ok);
}

struct TwoAccounts : OneSmsc {
    explicit TwoAccounts(RouterSetup setup = {}) : OneSmsc(std::move(setup)) {}

    std::string acceptedA(const std::string& to = numberA) {
        return accepted(a, "1", {.from = "12345", .to = to});
    }
    std::string acceptedB(const std::string& to = numberB) {
        return accepted(b, "1", {.from = "54321", .to = to});
    }
    void giveA(const std::string& ours, const Message& receipt = receiptFrom(numberA)) {
        expectReceipt(a, ours, smsc, smsc.receipt(receipt));
    }
    void giveB(const std::string& ours, const Message& receipt = receiptFrom(numberB, "54321")) {
        expectReceipt(b, ours, smsc, smsc.receipt(receipt));
    }
    void nothingMore() {
        EXPECT_TRUE(a.nothingArrives());
        EXPECT_TRUE(b.nothingArrives());
    }

    SmppPeer a = router.bound("esme1");
    SmppPeer b = router.bound("esme2");
};

// After a restart, A's message takes no receipt of B's, which has its id, number and sender.
void expectForgotten(TwoAccounts& scene) {
    scene.router.startAgain();
    scene.smsc = scene.listener.accept();
    scene.a = scene.router.bound("esme1");
    scene.b = scene.router.bound("esme2");
    const std::string oursB = scene.accepted(scene.b, "1", {.from = "12345", .to = numberA});
    scene.giveB(oursB, receiptFrom(numberA));
    scene.nothingMore();
}

}  // namespace

TEST(RouterSmscIdReuse, ReceiptsGoByNumberInAnyOrder) {
    for (const bool isAFirst : {true, false}) {
        TwoAccounts scene;
        const std::string oursA = scene.acceptedA();
        const std::string oursB = scene.acceptedB();
        if (isAFirst) scene.giveA(oursA);
        scene.giveB(oursB);
        if (!isAFirst) scene.giveA(oursA);
        scene.nothingMore();
    }
}

TEST(RouterSmscIdReuse, ARepeatedReceiptDoesNotCross) {
    TwoAccounts scene;
    const std::string oursA = scene.acceptedA();
    scene.giveA(oursA);
    const std::string oursB = scene.acceptedB(numberA);
    const std::uint32_t again = scene.smsc.receipt(receiptFrom(numberA));
    EXPECT_EQ(scene.smsc.expectAnswer(again).status(), Status::ok);
    scene.nothingMore();
    scene.giveB(oursB, receiptFrom(numberA, "54321"));
}

TEST(RouterSmscIdReuse, TheSenderDecidesOfOneNumber) {
    TwoAccounts scene;
    const std::string oursA = scene.acceptedA();
    const std::string oursB = scene.acceptedB(numberA);
    scene.giveB(oursB, receiptFrom(numberA, "54321"));
    scene.giveA(oursA);
    scene.nothingMore();
}

TEST(RouterSmscIdReuse, ForeignNumbersAreRefusedIfTheyCouldBeAnyones) {
    TwoAccounts scene;
    scene.acceptedA();
    scene.acceptedB();
    const std::uint32_t sequence = scene.smsc.receipt(receiptFrom("447700900003", "777"));
    EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), Status::xPAppn);
    scene.nothingMore();
}

TEST(RouterSmscIdReuse, OneAccountsMessagesToOneNumberHaveOneEach) {
    TwoAccounts scene;
    const std::string first = scene.acceptedA();
    const std::string second = scene.acceptedA();
    scene.giveA(second, receiptFrom(numberA, "12345", "ENROUTE"));
    scene.giveA(second);
    scene.giveA(first);
    scene.nothingMore();
}

// The answer to B's message has not come yet, and A's message has the id.
TEST(RouterSmscIdReuse, AReceiptBeforeItsAnswerDoesNotCross) {
    TwoAccounts scene;
    const std::string oursA = scene.acceptedA();
    const std::uint32_t sent = scene.b.submit({.from = "54321", .to = numberB});
    const OwnedPdu submit = scene.smsc.nextSubmit();
    const std::uint32_t sequence = scene.smsc.receipt(receiptFrom(numberB, "54321"));
    EXPECT_TRUE(scene.smsc.nothingArrives());
    scene.smsc.answer(submit, "1");
    const std::string oursB = scene.b.expectAnswer(sent).id();
    expectReceipt(scene.b, oursB, scene.smsc, sequence);
    scene.giveA(oursA);
    scene.nothingMore();
}

// Also if A's message went to the same number.
TEST(RouterSmscIdReuse, AnotherSendersReceiptWaitsForItsAnswer) {
    for (const bool isOver : {false, true}) {
        TwoAccounts scene;
        const std::string oursA = scene.acceptedA();
        if (isOver) scene.giveA(oursA);
        const std::uint32_t sent = scene.b.submit({.from = "54321", .to = numberA});
        const OwnedPdu submit = scene.smsc.nextSubmit();
        const std::uint32_t sequence = scene.smsc.receipt(receiptFrom(numberA, "54321"));
        scene.smsc.answer(submit, "1");
        const std::string oursB = scene.b.expectAnswer(sent).id();
        expectReceipt(scene.b, oursB, scene.smsc, sequence);
        if (!isOver) scene.giveA(oursA);
        scene.nothingMore();
    }
}

// The message that it is about is not known.
TEST(RouterSmscIdReuse, AReceiptIsNotTheOnlyMessagesIfItIsAnothers) {
    TwoAccounts scene;
    const std::string oursA = scene.acceptedA();
    const std::uint32_t sequence = scene.smsc.receipt(receiptFrom(numberB, "54321"));
    EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), Status::xPAppn);
    scene.giveA(oursA);
    scene.nothingMore();
}

TEST(RouterSmscIdReuse, ARestartKeepsAllCandidates) {
    for (const std::string& to : {numberA, numberB}) {
        TwoAccounts scene({.durability = "commit"});
        const std::string oursA = scene.acceptedA();
        scene.router.kill();
        scene.router.startAgain();
        scene.smsc = scene.listener.accept();
        scene.b = scene.router.bound("esme2");
        const std::string oursB = scene.acceptedB(to);
        scene.router.kill();
        scene.router.startAgain();
        scene.smsc = scene.listener.accept();
        scene.a = scene.router.bound("esme1");
        scene.b = scene.router.bound("esme2");
        scene.giveB(oursB, receiptFrom(to, "54321"));
        scene.giveA(oursA);
        scene.nothingMore();
    }
}

// Both have the same sender, so that only the restart tells which one is over.
TEST(RouterSmscIdReuse, ARestartForgetsWhatHasItsFinalReceipt) {
    TwoAccounts scene({.durability = "commit"});
    scene.giveA(scene.acceptedA());
    // Unless the tick has removed it by then, it leaves with the last of so many.
    for (int i = 0; i < 256; ++i) {
        const std::string id = "more" + std::to_string(i);
        const Message message{.from = "12345", .to = numberB};
        const std::string ours = scene.accepted(scene.a, id, message);
        Message receipt = receiptOf(id, "DELIVRD");
        receipt.from = numberB;
        receipt.to = message.from;
        scene.giveA(ours, receipt);
    }
    // Committed behind the removal.
    scene.accepted(scene.a, "2", {.from = "12345", .to = numberB});
    scene.router.kill();
    expectForgotten(scene);
}

TEST(RouterSmscIdReuse, AStopForgetsWhatHasItsFinalReceipt) {
    TwoAccounts scene({.durability = "commit"});
    scene.giveA(scene.acceptedA());
    scene.router.signal(SIGTERM);
    for (SmppPeer* const peer : {&scene.a, &scene.b, static_cast<SmppPeer*>(&scene.smsc)}) {
        peer->answer(peer->expect(Command::unbind));
    }
    EXPECT_EQ(scene.router.exitCode(), 0);
    expectForgotten(scene);
}

TEST(RouterSmscIdReuse, ConnectorsOfOneSmscShareTheCandidates) {
    const std::string ofOne = "smsc = \"one\"";
    TwoSmscs scene(
        "[[route]]\nsources = [\"12345\"]\nconnector = \"a\"\n"
        "[[route]]\nconnector = \"b\"\n",
        {}, ofOne, ofOne);
    SmppPeer one = scene.router.bound("esme1");
    SmppPeer two = scene.router.bound("esme2");
    const auto accepted = [](SmppPeer& esme, SmscBind& smsc, const Message& message) {
        const std::uint32_t sequence = esme.submit(message);
        smsc.answer(smsc.nextSubmit(), "1");
        return esme.expectAnswer(sequence).id();
    };
    const std::string byA = accepted(one, scene.a, {.from = "12345", .to = numberA});
    const std::string byB = accepted(two, scene.b, {.from = "54321", .to = numberA});
    expectReceipt(two, byB, scene.a, scene.a.receipt(receiptFrom(numberA, "54321")));
    expectReceipt(one, byA, scene.b, scene.b.receipt(receiptFrom(numberA, "12345")));
    const std::uint32_t again = scene.b.receipt(receiptFrom(numberA, "12345"));
    EXPECT_EQ(scene.b.expectAnswer(again).status(), Status::ok) << "a repetition";
    const std::uint32_t foreign = scene.a.receipt(receiptFrom("447700900003", "777"));
    EXPECT_EQ(scene.a.expectAnswer(foreign).status(), Status::xPAppn) << "it may be anyone's";
    EXPECT_TRUE(one.nothingArrives());
    EXPECT_TRUE(two.nothingArrives());
}

}  // namespace router::scenarios
