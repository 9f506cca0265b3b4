// What waits at one connector and goes to another one of its group.
#include <gtest/gtest.h>

#include "apps/sms_router/scenarios/TwoSmscs.h"

namespace router::scenarios {

namespace {

const std::string aThenB = "tiers = [[\"a\"], [\"b\"]]\n";

RouterSetup oneThread() {
    return {.router = "threads = 1"};
}

void expectAt(SmscBind& smsc, SmppPeer& esme, std::uint32_t sent, const std::string& text) {
    const OwnedPdu submit = smsc.nextSubmit();
    EXPECT_EQ(submit.message(), text);
    smsc.answer(submit, "id");
    EXPECT_EQ(esme.expectAnswer(sent).status(), Status::ok);
}

}  // namespace

TEST(RouterOverflow, MovesWhatWaitsWhenTheBindsAreLost) {
    for (const char* threads : {"threads = 1", "threads = 2"}) {
        TwoSmscs scene(groupOf(aThenB), {.router = threads}, "window = 1");
        SmppPeer esme = scene.router.bound("esme1");
        const std::uint32_t sent = esme.submit({.text = "sent"});
        EXPECT_EQ(scene.a.nextSubmit().message(), "sent");
        const std::uint32_t first = esme.submit({.text = "first"});
        const std::uint32_t second = esme.submit({.text = "second"});
        EXPECT_TRUE(esme.nothingArrives());
        scene.a.close();
        EXPECT_EQ(esme.expectAnswer(sent).status(), Status::submitFail);
        expectAt(scene.b, esme, first, "first");
        expectAt(scene.b, esme, second, "second");
        EXPECT_TRUE(scene.b.nothingArrives()) << "what was sent came again";
    }
}

TEST(RouterOverflow, RefusesWhatWaitsWhereNoOtherIsBound) {
    TwoSmscs scene(groupOf(aThenB), oneThread(), "window = 1");
    SmppPeer esme = scene.router.bound("esme1");
    esme.submit({.text = "sent"});
    EXPECT_EQ(scene.a.nextSubmit().message(), "sent");
    const std::uint32_t waits = esme.submit({.text = "waits"});
    EXPECT_TRUE(esme.nothingArrives());
    scene.b.close();
    scene.a.close();
    EXPECT_EQ(esme.next().status(), Status::submitFail);
    EXPECT_EQ(esme.expectAnswer(waits).status(), Status::sysErr);
}

TEST(RouterOverflow, MovesNothingThatARouteSendsToOneConnector) {
    TwoSmscs scene(byPrefix, oneThread(), "window = 1");
    SmppPeer esme = scene.router.bound("esme1");
    esme.submit({.text = "sent"});
    EXPECT_EQ(scene.a.nextSubmit().message(), "sent");
    const std::uint32_t waits = esme.submit({.text = "waits"});
    EXPECT_TRUE(esme.nothingArrives());
    scene.a.close();
    EXPECT_EQ(esme.next().status(), Status::submitFail);
    EXPECT_EQ(esme.expectAnswer(waits).status(), Status::sysErr);
    EXPECT_TRUE(scene.b.nothingArrives());
}

TEST(RouterOverflow, SpillsBeyondALongQueue) {
    TwoSmscs scene(groupOf(aThenB + "overflow_queue = 2"), oneThread(), "window = 1");
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t sent = esme.submit({.text = "sent"});
    const std::uint32_t first = esme.submit({.text = "first"});
    const std::uint32_t second = esme.submit({.text = "second"});
    const std::uint32_t spilt = esme.submit({.text = "spilt"});
    expectAt(scene.b, esme, spilt, "spilt");
    expectAt(scene.a, esme, sent, "sent");
    expectAt(scene.a, esme, first, "first");
    expectAt(scene.a, esme, second, "second");
}

TEST(RouterOverflow, SpillsWhatHasWaitedTooLong) {
    TwoSmscs scene(groupOf(aThenB + "overflow_after = \"50ms\""), oneThread(), "window = 1");
    SmppPeer esme = scene.router.bound("esme1");
    esme.submit({.text = "sent"});
    const std::uint32_t waits = esme.submit({.text = "waits"});
    expectAt(scene.b, esme, waits, "waits");
    EXPECT_EQ(scene.a.nextSubmit().message(), "sent");
    EXPECT_TRUE(scene.a.nothingArrives());
}

TEST(RouterOverflow, KeepsPartsOfOneMessageTogether) {
    TwoSmscs scene(groupOf(aThenB + "overflow_after = \"50ms\""), oneThread(), "window = 1");
    SmppPeer esme = scene.router.bound("esme1");
    const auto partOf = [](char part) {
        return Message{.text = std::string("\x05\x00\x03\x07\x02", 5) + part + "text",
                       .esmClass = 0x40};
    };
    const std::uint32_t first = esme.submit(partOf(1));
    const OwnedPdu sent = scene.a.nextSubmit();
    const std::uint32_t second = esme.submit(partOf(2));
    // This one overflows, and shows that the time is over.
    const std::uint32_t other = esme.submit({.text = "other"});
    expectAt(scene.b, esme, other, "other");
    scene.a.answer(sent, "id");
    EXPECT_EQ(esme.expectAnswer(first).status(), Status::ok);
    scene.a.answer(scene.a.nextSubmit(), "id");
    EXPECT_EQ(esme.expectAnswer(second).status(), Status::ok);
}

}  // namespace router::scenarios
