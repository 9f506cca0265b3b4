// SMSCs that number their messages 1, 2, 3 …: nearly every number is, read as hexadecimal, another
// one that was given, too.
#include <gtest/gtest.h>

#include "apps/sms_router/scenarios/OneSmsc.h"

namespace router::scenarios {
namespace {

std::string idIn(const OwnedPdu& receipt) {
    const std::string text = receipt.message();
    return text.substr(3, text.find(' ') - 3);
}

TEST(RouterReceipts, OfAnUnknownIdAreNotTakenForAnotherMessage) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound();
    Message other;
    other.to = "4915200000002";
    scene.accepted(esme, "255");
    const std::string second = scene.accepted(esme, "256", other);
    scene.smsc.receipt(receiptOf("255"));
    esme.answer(esme.expect(Command::deliverSm));
    scene.smsc.expect(Command::deliverSmResp);

    const std::uint32_t unknown = scene.smsc.receipt(receiptOf("100"));
    EXPECT_EQ(scene.smsc.expectAnswer(unknown).status(), Status::xPAppn);
    Message report = receiptOf("256");
    report.from = "4915200000002";
    scene.smsc.receipt(report);
    const OwnedPdu receipt = esme.expect(Command::deliverSm);
    EXPECT_EQ(idIn(receipt), second);
}

TEST(RouterReceipts, AreHeldForTheirOwnMessageNotGivenToAnother) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound();
    scene.accepted(esme, "255");
    scene.smsc.receipt(receiptOf("255"));
    esme.answer(esme.expect(Command::deliverSm));
    scene.smsc.expect(Command::deliverSmResp);
    scene.accepted(esme, "256");

    const std::uint32_t sent = esme.submit({});
    const OwnedPdu submit = scene.smsc.nextSubmit();
    scene.smsc.receipt(receiptOf("100"));
    EXPECT_TRUE(scene.smsc.nothingArrives());
    scene.smsc.answer(submit, "100");
    const std::string own = esme.expectAnswer(sent).id();
    EXPECT_EQ(idIn(esme.expect(Command::deliverSm)), own);
}

}  // namespace
}  // namespace router::scenarios
