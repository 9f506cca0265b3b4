// ESMEs that do what none should: the router gets rid of them, or bears them, and goes on serving
// the others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "apps/sms_router/scale/CleanScene.h"
#include "apps/sms_router/scale/ProcessFigures.h"
#include "apps/sms_router/scale/RawPeer.h"
#include "support/Sanitized.h"

namespace router::scenarios {
namespace {

using testing::StartsWith;

// The router still does its work, to the receipt.
void expectService(CleanScene& scene) {
    SmppPeer esme = scene.router.bound("esme2");
    const std::string id = scene.accepted(esme, "service", {.from = "54321"});
    scene.smsc.receipt(receiptOf("service"));
    const OwnedPdu receipt = esme.expect(Command::deliverSm);
    EXPECT_THAT(receipt.message(), StartsWith("id:" + id + " "));
    esme.answer(receipt);
    scene.smsc.expect(Command::deliverSmResp);
    esme.unbind();
}

// Connections that are over are not kept.
void expectNoMoreDescriptorsThan(CleanScene& scene, long before) {
    const nio::TimePoint end = nio::Clock::after(patience);
    const pid_t pid = scene.router.process().pid();
    long now = openDescriptors(pid);
    while (now > before && nio::Clock::now() < end) {
        expectService(scene);
        now = openDescriptors(pid);
    }
    EXPECT_LE(now, before);
}

nio::Bytes joined(const std::vector<nio::Bytes>& pdus) {
    nio::Bytes all;
    for (const nio::Bytes& pdu : pdus) all.insert(all.end(), pdu.begin(), pdu.end());
    return all;
}

TEST(RouterHostileEsme, ThatNeverReadsIsNotReadFromEither) {
    CleanScene scene;
    const pid_t pid = scene.router.process().pid();
    const long before = anonymousKiB(pid);
    RawPeer esme(scene.router.address());
    esme.shrinkBuffer();
    ASSERT_TRUE(esme.send(bindPdu(1, {})));
    nio::Bytes enquiries;
    while (enquiries.size() < 64 * 1024) {
        const nio::Bytes one = bare(Command::enquireLink, 2);
        enquiries.insert(enquiries.end(), one.begin(), one.end());
    }
    constexpr std::size_t farTooMuch = 64 * 1024 * 1024;
    const auto taken = esme.sendWhileItTakes(enquiries, farTooMuch);
    EXPECT_TRUE(!taken || *taken < farTooMuch);
    if (!support::sanitized) {
        EXPECT_LT(anonymousKiB(pid) - before, 8 * 1024);
    }
    expectService(scene);
}

// What it is sent is too much in the end, whatever its window is.
TEST(RouterHostileEsme, ThatNeverReadsDeliveriesIsBoundInMemory) {
    CleanScene scene({.esme1 = "deliver_window = 10000\nkeep_bytes = \"1Mi\""});
    const pid_t pid = scene.router.process().pid();
    const long before = anonymousKiB(pid);
    RawPeer esme(scene.router.address());
    esme.shrinkBuffer();
    ASSERT_TRUE(esme.send(bindPdu(1, {})));
    const nio::Bytes message =
        dataSm(7, {.from = "41791234567", .to = "12345", .text = std::string(60'000, 'x')});
    // More than its connection may have in output (16 MiB) and the kernel takes.
    constexpr int count = 1000;
    constexpr int window = 400;
    for (int i = 0; i < count + window; ++i) {
        if (i < count) scene.smsc.send(message);
        if (i >= window) scene.smsc.expect(Command::dataSmResp);
    }
    if (!support::sanitized) {
        EXPECT_LT(anonymousKiB(pid) - before, 64 * 1024);
    }
    expectService(scene);
}

TEST(RouterHostileEsme, ThatSendsAnOctetAtATimeIsUnderstood) {
    CleanScene scene;
    SmppPeer esme = scene.router.connected();
    const auto drip = [&](const nio::Bytes& octets) {
        for (std::size_t i = 0; i < octets.size(); ++i) {
            esme.send(nio::ByteView(octets).subspan(i, 1));
        }
    };
    drip(bindPdu(1, {}));
    EXPECT_EQ(esme.expectAnswer(1).status(), Status::ok);
    for (std::uint32_t sequence = 2; sequence < 12; ++sequence) {
        const std::string text = "text " + std::to_string(sequence);
        drip(submitSm(sequence, {.text = text}));
        const OwnedPdu submit = scene.smsc.nextSubmit();
        EXPECT_EQ(submit.message(), text);
        scene.smsc.answer(submit, "s" + std::to_string(sequence));
        EXPECT_EQ(esme.expectAnswer(sequence).status(), Status::ok);
    }
}

TEST(RouterHostileEsme, ThatNeverBindsIsClosed) {
    CleanScene scene({.timers = "session_init = \"2s\""});
    expectService(scene);
    const long before = openDescriptors(scene.router.process().pid());
    const nio::Bytes bind = bindPdu(1, {});
    std::vector<RawPeer> idle;
    for (std::size_t i = 0; i < 200; ++i) {
        RawPeer& peer = idle.emplace_back(scene.router.address());
        // Some begin to.
        if (i % 4 != 0) continue;
        EXPECT_TRUE(peer.send(nio::ByteView(bind).first(i % bind.size())));
    }
    for (RawPeer& peer : idle) EXPECT_TRUE(peer.readToTheEnd());
    idle.clear();
    expectNoMoreDescriptorsThan(scene, before);
}

TEST(RouterHostileEsme, ThatConnectsOnlyToResetLeavesNothingBehind) {
    CleanScene scene;
    expectService(scene);
    const long before = openDescriptors(scene.router.process().pid());
    const nio::Bytes bindAndSubmit = joined({bindPdu(1, {}), submitSm(2, {})});
    for (std::size_t i = 0; i < 1000; ++i) {
        RawPeer peer(scene.router.address());
        // Nothing, a part, or all of a bind: its password is being checked when it is reset.
        const std::size_t sent = i % (bindPdu(1, {}).size() + 1);
        (void)peer.send(nio::ByteView(bindAndSubmit).first(sent));
        peer.reset();
    }
    expectNoMoreDescriptorsThan(scene, before);
    // None of them is still at the account's desk: it may bind as often as it could.
    std::vector<SmppPeer> esmes;
    for (int i = 0; i < 10; ++i) esmes.push_back(scene.router.bound("esme1"));
}

TEST(RouterHostileEsme, ThatSendsGarbageIsClosed) {
    CleanScene scene;
    const unsigned seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    for (int i = 0; i < 200; ++i) {
        nio::Bytes garbage = i % 2 == 0 ? nio::Bytes() : bindPdu(1, {});
        for (std::size_t left = 1 + random() % 4096; left > 0; --left) {
            garbage.push_back(static_cast<nio::Byte>(random()));
        }
        RawPeer peer(scene.router.address());
        (void)peer.send(garbage);
        peer.finish();
        EXPECT_TRUE(peer.readToTheEnd());
    }
    expectService(scene);
}

TEST(RouterHostileEsme, ThatSendsAPduWithOneOctetWrongDoesNoHarm) {
    // Many a wrong octet is a wrong password: the source of a guess would have to wait.
    CleanScene scene({.router = "login_delay = 0\n"});
    const unsigned seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    nio::Bytes all = joined({bindPdu(1, {}), submitSm(2, {.to = "", .text = "never routed"}),
                             bare(Command::enquireLink, 3), bare(Command::unbind, 4)});
    for (int i = 0; i < 500; ++i) {
        nio::Bytes wrong = all;
        wrong[random() % wrong.size()] = static_cast<nio::Byte>(random());
        RawPeer peer(scene.router.address());
        (void)peer.send(wrong);
        peer.finish();
    }
    // Some of those may have come to be routed.
    SmppPeer esme = scene.router.bound("esme2");
    EXPECT_TRUE(esme.nothingArrives());
}

TEST(RouterHostileEsme, AnswersSubmitsBeforeAnUnbindInOneSegment) {
    CleanScene scene;
    SmppPeer esme = scene.router.bound();
    esme.send(
        joined({submitSm(10, {}), submitSm(11, {}), submitSm(12, {}), bare(Command::unbind, 13)}));
    for (int i = 0; i < 3; ++i) {
        scene.smsc.answer(scene.smsc.nextSubmit(), "s" + std::to_string(i));
    }
    for (std::uint32_t sequence = 10; sequence < 14; ++sequence) {
        EXPECT_EQ(esme.expectAnswer(sequence).status(), Status::ok);
    }
    EXPECT_TRUE(esme.closedByPeer());
    expectService(scene);
}

TEST(RouterHostileEsme, ThatLeavesBeforeItsAnswersGetsItsReceiptsLater) {
    CleanScene scene;
    SmppPeer esme = scene.router.bound();
    esme.submit({.text = "first"});
    esme.submit({.text = "second"});
    const OwnedPdu first = scene.smsc.nextSubmit();
    const OwnedPdu second = scene.smsc.nextSubmit();
    esme.close();
    expectService(scene);
    scene.smsc.answer(first, "s1");
    scene.smsc.answer(second, "s2");
    EXPECT_TRUE(scene.smsc.nothingArrives());
    for (const char* smscId : {"s1", "s2"}) {
        const std::uint32_t sent = scene.smsc.receipt(receiptOf(smscId));
        EXPECT_EQ(scene.smsc.expectAnswer(sent).status(), Status::ok);
    }
    SmppPeer again = scene.router.bound();
    again.answer(again.expect(Command::deliverSm));
    again.answer(again.expect(Command::deliverSm));
    EXPECT_TRUE(again.nothingArrives());
}

}  // namespace
}  // namespace router::scenarios
