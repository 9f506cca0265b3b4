// What webhooks of other gateways' formats are told.
#include "sms_router/http/WebhookCall.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <smpp/pdu/PduWriter.h>

#include "sms_router/http/JasminNotice.h"
#include "sms_router/http/KannelNotice.h"

namespace router {
namespace {

struct Arrived {
    std::uint8_t esmClass = 0;
    std::uint8_t dataCoding = 0;
    std::string message{};
};

nio::Bytes arrivedPdu(const Arrived& arrived) {
    smpp::PduWriter writer(smpp::Command::deliverSm, smpp::Status::ok, 1);
    writer.text("").number(1).number(1).text("0041 79").number(0).number(1).text("1234");
    writer.number(arrived.esmClass).number(0).number(1).text("").text("").number(0).number(0);
    writer.number(arrived.dataCoding).number(0);
    writer.number(static_cast<std::uint8_t>(arrived.message.size()));
    return writer.octets(nio::asBytes(arrived.message)).finish();
}

struct NoticeOf {
    explicit NoticeOf(const Arrived& arrived)
        : octets(arrivedPdu(arrived)), scanned(smpp::scan(octets)), notice{*scanned.pdu} {
        const auto receipt = smpp::receiptOf(*scanned.pdu);
        if (receipt && receipt->isMarked) notice.receipt = receipt;
        notice.delivery = 18;
        notice.account = "shop";
        notice.connector = "smsc a";
        notice.time = 1'795'876'064;
    }

    const nio::Bytes octets;
    const smpp::Scanned scanned;
    Notice notice;
};

const std::string receiptText =
    "id:A7 sub:001 dlvrd:001 submit date:2611281420 done date:2611281427 stat:DELIVRD err:000 "
    "text:Your code";

std::string kannelFilled(const Arrived& arrived, const std::string& url) {
    return kannelUrl(url, NoticeOf(arrived).notice);
}

Arrived receiptWith(const std::string& state) {
    return {.esmClass = 4, .message = "id:A7 stat:" + state + " err:0 text:"};
}

TEST(KannelNotice, FillsInWhatIsKnownOfAMessage) {
    const Arrived mo{.message = "JOIN me & you*2"};
    for (const auto& [escape, value] :
         std::vector<std::pair<std::string, std::string>>{{"%p", "0041+79"},
                                                          {"%P", "1234"},
                                                          {"%q", "%2B41+79"},
                                                          {"%Q", "1234"},
                                                          {"%a", "JOIN+me+%26+you*2"},
                                                          {"%A", "JOIN+me+%26+you*2"},
                                                          {"%b", "JOIN+me+%26+you*2"},
                                                          {"%k", "JOIN"},
                                                          {"%r", "me+%26+you*2"},
                                                          {"%s/%s", "me/%26"},
                                                          {"%s/%s/%S/%S", "me/%26/you%7E2/"},
                                                          {"%s/%r", "me/%26+you*2"},
                                                          {"%d", "-1"},
                                                          {"%c", "0"},
                                                          {"%C", "UTF-8"},
                                                          {"%O", "00"},
                                                          {"%u", ""},
                                                          {"%t", "2026-11-28+14:27:44"},
                                                          {"%T", "1795876064"},
                                                          {"%n", "shop"},
                                                          {"%i", "smsc+a"},
                                                          {"%I", "18"},
                                                          {"%F%B%D%R%f%o%v%V", ""},
                                                          {"%m%M", "-1-1"},
                                                          {"100%%", "100%"},
                                                          {"%20%U%", "%20%U%"}}) {
        EXPECT_EQ(kannelFilled(mo, escape), value) << escape;
    }
}

TEST(KannelNotice, FillsInOctetsAndHeader) {
    const Arrived binary{
        .esmClass = 0x40, .dataCoding = 4, .message = std::string("\x03\x70\x01\x00\x00\xFF", 6)};
    EXPECT_EQ(kannelFilled(binary, "%b %u %c %C %O"), "%00%FF %03p%01%00 1 8-BIT 04");
}

TEST(KannelNotice, FillsInWhatIsKnownOfAReceipt) {
    EXPECT_EQ(kannelFilled({.esmClass = 4, .message = receiptText}, "%d %F %I %p %P"),
              "1 A7 A7 0041+79 1234");
    for (const auto& [state, kind] :
         std::vector<std::pair<std::string, std::string>>{{"DELIVRD", "1"},
                                                          {"UNDELIV", "2"},
                                                          {"REJECTD", "2"},
                                                          {"EXPIRED", "2"},
                                                          {"DELETED", "2"},
                                                          {"UNKNOWN", "2"},
                                                          {"ENROUTE", "4"},
                                                          {"ACCEPTD", "4"}}) {
        EXPECT_EQ(kannelFilled(receiptWith(state), "%d"), kind) << state;
    }
    const Arrived intermediate{.esmClass = 0x20, .message = "id:A7 stat:ENROUTE err:0 text:"};
    EXPECT_EQ(kannelFilled(intermediate, "%d"), "32");
}

TEST(KannelNotice, IsNotGivenWithoutItsBitInTheMask) {
    const NoticeOf delivered(receiptWith("DELIVRD"));
    const WebhookConfig webhook;
    for (unsigned mask = 0; mask < 64; ++mask) {
        const Callback callback{WebhookFormat::kannel, "http://h/%d", mask};
        const auto call = webhookCall(delivered.notice, callback, webhook);
        ASSERT_EQ(call.has_value(), (mask & 1) != 0) << mask;
        if (!call) continue;
        EXPECT_EQ(call->method, "GET");
        EXPECT_EQ(call->url, "http://h/1");
    }
}

TEST(JasminNotice, OfAReceiptHasTheFieldsOfItsText) {
    const NoticeOf receipt({.esmClass = 4, .message = receiptText});
    const apps::HttpFields expected{{"id", "A7"},
                                    {"id_smsc", "A7"},
                                    {"level", "3"},
                                    {"message_status", "DELIVRD"},
                                    {"connector", "smsc a"},
                                    {"sub", "001"},
                                    {"dlvrd", "001"},
                                    {"subdate", "2611281420"},
                                    {"donedate", "2611281427"},
                                    {"err", "000"},
                                    {"text", "Your code"}};
    EXPECT_EQ(jasminFields(receipt.notice, 3), expected);
}

TEST(JasminNotice, OfAMessageHasItsTextAndOctets) {
    const NoticeOf mo({.dataCoding = 8, .message = std::string("\x04\x16", 2)});
    const apps::HttpFields expected{
        {"id", "18"},      {"from", "0041 79"}, {"to", "1234"},   {"origin-connector", "smsc a"},
        {"priority", "1"}, {"coding", "8"},     {"validity", ""}, {"content", "Ж"},
        {"binary", "0416"}};
    EXPECT_EQ(jasminFields(mo.notice, 2), expected);
}

TEST(JasminNotice, IsAFormOrAQuery) {
    const NoticeOf receipt(receiptWith("DELIVRD"));
    const WebhookConfig webhook;
    const auto post =
        webhookCall(receipt.notice, {WebhookFormat::jasmin, "http://h/?a=1", 2}, webhook);
    EXPECT_EQ(post->method, "POST");
    EXPECT_EQ(post->url, "http://h/?a=1");
    EXPECT_THAT(post->body, testing::StartsWith("id=A7&id_smsc=A7&level=2&"));
    const auto get =
        webhookCall(receipt.notice, {WebhookFormat::jasmin, "http://h/?a=1", 2, true}, webhook);
    EXPECT_EQ(get->method, "GET");
    EXPECT_EQ(get->url, "http://h/?a=1&" + post->body);
}

TEST(WebhookCall, IsTakenByTheAnswerOfItsFormat) {
    using apps::HttpAnswer;
    for (const auto format : {WebhookFormat::json, WebhookFormat::kannel}) {
        EXPECT_TRUE(isTaken(HttpAnswer{204, ""}, format));
        EXPECT_FALSE(isTaken(HttpAnswer{302, ""}, format));
        EXPECT_FALSE(isTaken(HttpAnswer{500, ""}, format));
    }
    for (const char* body : {"ACK/Jasmin", " ACK/Jasmin\r\n"}) {
        EXPECT_TRUE(isTaken(HttpAnswer{200, body}, WebhookFormat::jasmin));
        EXPECT_FALSE(isTaken(HttpAnswer{500, body}, WebhookFormat::jasmin));
    }
    for (const char* body : {"", " ", "ACK", "ACK/Jasmin.", "OK"}) {
        EXPECT_FALSE(isTaken(HttpAnswer{200, body}, WebhookFormat::jasmin)) << body;
    }
}

TEST(Callback, IsWhatItWasBeforeItWasKept) {
    const Callback callback{WebhookFormat::jasmin, "http://h/?a=\"1\"", 3, true};
    const auto again = Callback::fromJson(callback.toJson());
    ASSERT_TRUE(again);
    EXPECT_EQ(again->format, callback.format);
    EXPECT_EQ(again->url, callback.url);
    EXPECT_EQ(again->wanted, callback.wanted);
    EXPECT_EQ(again->isGet, callback.isGet);
    for (const char* other : {"", "x", "{}", "[]", R"({"url":1})"}) {
        EXPECT_FALSE(Callback::fromJson(other)) << other;
    }
}

TEST(Callback, NeedsPermissionAndAStoreThatLasts) {
    WebhookConfig webhook;
    const auto wrong = [&](const std::string& url, bool isDurable = true) {
        const auto problem = callbackProblem(Callback{.url = url}.toJson(), webhook, isDurable);
        return problem ? problem->detail : "";
    };
    const std::string url = "https://shop.example/a";
    EXPECT_EQ(wrong(url), "webhook: the account has no webhook with per_message = true");
    webhook.url.host = "h";
    EXPECT_EQ(wrong(url), "webhook: the account has no webhook with per_message = true");
    webhook.perMessage = true;
    EXPECT_EQ(wrong(url), "");
    EXPECT_EQ(wrong(url, false), "webhook: the router's store is in memory, and would forget it");
    EXPECT_EQ(wrong("ftp://h"), "webhook: must begin with http:// or https://");
    EXPECT_EQ(wrong("http://h/\n"), "webhook: must be printable ASCII without spaces");
    EXPECT_EQ(wrong(url + std::string(2048, 'a')), "webhook: is longer than 2048 octets");
    for (const char* host : {"127.0.0.1", "10.0.0.1", "localhost", "[::1]"}) {
        EXPECT_THAT(wrong("http://" + std::string(host) + "/"),
                    testing::HasSubstr(" is a private address"));
    }
    webhook.privateAddresses = true;
    EXPECT_EQ(wrong("http://10.0.0.1/"), "");
    EXPECT_FALSE(callbackProblem("", WebhookConfig(), false));
}

}  // namespace
}  // namespace router
