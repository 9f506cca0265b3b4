// When a receipt is a repetition of one that was passed on.
#include <gtest/gtest.h>

#include "apps/sms_router/scenarios/OneSmsc.h"

namespace router::scenarios {

// Some SMSCs have one message_state in all receipts.
TEST(RouterReceiptRepeat, IsNoneWithTheSameTlvAndAnotherText) {
    for (const char tlv : {'\0', '\1', '\6', '\x63'}) {
        OneSmsc scene;
        SmppPeer esme = scene.router.bound("esme1");
        scene.accepted(esme, "17");
        for (const char* state : {"ACCEPTD", "ENROUTE", "FAILED", "UNDELIV"}) {
            Message receipt = receiptOf("17", state);
            receipt.tlvs.push_back({Tag::messageState, std::string(1, tlv)});
            scene.expectPassedOn(esme, receipt);
            if (std::string(state) == "FAILED") continue;
            const std::uint32_t again = scene.smsc.receipt(receipt);
            EXPECT_EQ(scene.smsc.expectAnswer(again).status(), Status::ok);
            EXPECT_TRUE(esme.nothingArrives()) << state;
        }
    }
}

TEST(RouterReceiptRepeat, IsNoneWithAnotherErrorOrDoneDate) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
    for (const char* rest :
         {"done date:2401010001 stat:UNDELIV err:001", "done date:2401010001 stat:UNDELIV err:002",
          "done date:2401010002 stat:UNDELIV err:002",
          "done date:2024-01-01 00:02:00 stat:UNDELIV err:002",
          "done date:2024-01-01 00:03:00 stat:UNDELIV err:002",
          "done_date:2024-01-01 stat:UNDELIV err:002", "done-date:2024-01-02 stat:UNDELIV err:002",
          "stat:UNDELIV error:3", "stat:UNDELIV errcode:4", "stat:UNDELIV error_code:5"}) {
        const std::string text = std::string("id:17 sub:001 dlvrd:000 ") + rest;
        const Message receipt{.from = "41791234567", .to = "12345", .text = text, .esmClass = 4};
        scene.expectPassedOn(esme, receipt);
        const std::uint32_t again = scene.smsc.receipt(receipt);
        EXPECT_EQ(scene.smsc.expectAnswer(again).status(), Status::ok);
        EXPECT_TRUE(esme.nothingArrives());
    }
}

TEST(RouterReceiptRepeat, IsNoneWithAnotherNetworkError) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
    for (const char* error : {"\3\1\1", "\3\1\2"}) {
        Message receipt = receiptOf("17", "UNDELIV");
        receipt.tlvs.push_back({Tag::networkErrorCode, error});
        scene.expectPassedOn(esme, receipt);
        const std::uint32_t again = scene.smsc.receipt(receipt);
        EXPECT_EQ(scene.smsc.expectAnswer(again).status(), Status::ok);
        EXPECT_TRUE(esme.nothingArrives());
    }
}

}  // namespace router::scenarios
