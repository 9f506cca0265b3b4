#include "sms_router/http/WebhookEvent.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <smpp/pdu/PduWriter.h>

namespace router {
namespace {

struct Incoming {
    std::uint8_t esmClass = 0;
    std::uint8_t dataCoding = 0;
    std::string message{};
};

nlohmann::json eventOf(const Incoming& incoming) {
    smpp::PduWriter writer(smpp::Command::deliverSm, smpp::Status::ok, 1);
    writer.text("").number(1).number(1).text("41791").number(0).number(1).text("1234");
    writer.number(incoming.esmClass).number(0).number(0).text("").text("").number(0).number(0);
    writer.number(incoming.dataCoding).number(0);
    writer.number(static_cast<std::uint8_t>(incoming.message.size()));
    const nio::Bytes pdu = writer.octets(nio::asBytes(incoming.message)).finish();
    return nlohmann::json::parse(webhookEvent(*smpp::scan(pdu).pdu, 18).value());
}

TEST(WebhookEvent, OfAMessageHasItsTextAsUtf8) {
    const nlohmann::json gsm = eventOf({.message = std::string("\x02 5\x1B\x65", 5)});
    EXPECT_EQ(gsm["text"], "$ 5€");
    EXPECT_EQ(gsm["from"], "41791");
    EXPECT_EQ(gsm["to"], "1234");
    EXPECT_EQ(gsm["delivery"], "18");
    EXPECT_EQ(gsm["data_coding"], 0);
    EXPECT_FALSE(gsm.contains("udh"));
    EXPECT_EQ(eventOf({.dataCoding = 8, .message = std::string("\x04\x16", 2)})["text"], "Ж");
    EXPECT_EQ(eventOf({.dataCoding = 3, .message = "\xE9"})["text"], "é");
}

TEST(WebhookEvent, OfABinaryMessageHasItsOctets) {
    const nlohmann::json binary = eventOf({.dataCoding = 4, .message = std::string("\x00\xFF", 2)});
    EXPECT_EQ(binary["data"], "00ff");
    EXPECT_FALSE(binary.contains("text"));
}

TEST(WebhookEvent, OfAPartSaysWhichItIs) {
    const nlohmann::json part =
        eventOf({.esmClass = 0x40, .message = std::string("\x05\x00\x03\x07\x02\x01", 6) + "ab"});
    EXPECT_EQ(part["text"], "ab");
    EXPECT_EQ(part["udh"], "050003070201");
    EXPECT_EQ(part["part"], (nlohmann::json{{"reference", 7}, {"of", 2}, {"number", 1}}));
}

TEST(WebhookEvent, OfAReceiptHasTheAddressesOfItsMessage) {
    const nlohmann::json receipt =
        eventOf({.esmClass = 4,
                 .message = "id:A7 sub:001 dlvrd:000 done date:2411281405 stat:UNDELIV "
                            "err:027 text:"});
    EXPECT_EQ(receipt["event"], "receipt");
    EXPECT_EQ(receipt["id"], "A7");
    EXPECT_EQ(receipt["state"], "undeliverable");
    EXPECT_EQ(receipt["error"], "027");
    EXPECT_EQ(receipt["done_date"], "2411281405");
    EXPECT_EQ(receipt["to"], "41791");
    EXPECT_EQ(receipt["from"], "1234");
}

TEST(WebhookEvent, IsNoneForAnAlert) {
    smpp::PduWriter writer(smpp::Command::alertNotification, smpp::Status::ok, 1);
    writer.number(1).number(1).text("41791").number(0).number(1).text("1234");
    const nio::Bytes pdu = writer.finish();
    EXPECT_FALSE(webhookEvent(*smpp::scan(pdu).pdu, 1));
}

TEST(WebhookEvent, HasAWordForEachState) {
    EXPECT_EQ(wordFor(smpp::MessageState::rejected), "rejected");
    EXPECT_EQ(wordFor(smpp::MessageState::skipped), "skipped");
    EXPECT_EQ(wordFor(smpp::MessageState{200}), "unknown");
}

// The digest by `printf 17.body | openssl dgst -sha256 -hmac secret`.
TEST(WebhookEvent, IsSignedWithItsTime) {
    EXPECT_EQ(webhookSignature("secret", 17, "body"),
              "t=17,v1=f18ccc91fb6b657e2c05d0ac01f32eafd8d15f9a2b19aa502d67d9d0f976b898");
}

}  // namespace
}  // namespace router
