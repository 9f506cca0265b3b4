// The parameters and answers of Kannel's sendsms.
#include <gmock/gmock.h>

#include "apps/sms_router/http/DoorTesting.h"
#include "sms_router/http/KannelNotice.h"

namespace router {
namespace {

using namespace doortesting;
using scenarios::OwnedPdu;
using smpp::Field;
using testing::HasSubstr;

const std::string kannelUser = "username=u&password=p&to=1";

OwnedPdu kannelPdu(const std::string& more) {
    return pduOf(kannelDoor, kannelUser + "&" + more);
}
std::string kannelRefusal(const std::string& more) {
    return refusalOf(kannelDoor, kannelUser + "&" + more);
}

TEST(KannelDoor, TakesEitherNameOfUserAndPassword) {
    for (const char* query : {"username=u&password=p", "user=u&pass=p"}) {
        FormFields fields;
        fields.parse(query);
        const auto credentials = kannelDoor.credentialsOf(fields);
        EXPECT_EQ(credentials.user + credentials.password, "up");
    }
}

TEST(KannelDoor, SendsToEachReceiver) {
    const auto messages = allOf(kannelDoor, "from=Shop&to=%2B41791++222%0A3&text=x");
    ASSERT_EQ(messages.size(), 3u);
    EXPECT_EQ(messages[0].to.address, "41791");
    EXPECT_EQ(messages[0].to.ton, 1);
    EXPECT_EQ(messages[1].to.address, "222");
    EXPECT_EQ(messages[1].to.ton, 0);
    EXPECT_EQ(messages[2].to.address, "3");
    for (const MessageRequest& message : messages) EXPECT_EQ(message.from.address, "Shop");
}

TEST(KannelDoor, RefusesReceiversThatAreNone) {
    EXPECT_EQ(refusalOf(kannelDoor, "text=x"), "400 Missing receiver number, rejected");
    EXPECT_EQ(refusalOf(kannelDoor, "to=+&text=x"),
              "400 Empty receiver number not allowed, rejected");
    for (const char* to : {"1+x", "%2B", "123456789012345678901", "1-2", "Shop"}) {
        EXPECT_EQ(refusalOf(kannelDoor, std::string("text=x&to=") + to),
                  "400 Receiver number misformed, rejected")
            << to;
    }
    std::string many = "1";
    for (int i = 0; i < 500; ++i) many += "+1";
    EXPECT_EQ(allOf(kannelDoor, "text=x&to=" + many).size(), 501u);
    EXPECT_EQ(refusalOf(kannelDoor, "to=" + many + "&text=" + std::string(161, 'x')),
              "400 Too many receiver numbers, rejected");
}

TEST(KannelDoor, ReadsTextInItsCharset) {
    EXPECT_EQ(kannelPdu("text=%C3%A9").message(), "\x05");
    EXPECT_EQ(kannelPdu("text=%E9&charset=ISO-8859-1").message(), "\x05");
    EXPECT_EQ(kannelPdu("text=%00%E9&charset=UTF-16BE").message(), "\x05");
    EXPECT_EQ(kannelPdu("text=%C3%A9&coding=0&charset=utf-8")->number(Field::dataCoding), 0);
    EXPECT_EQ(kannelRefusal("text=%E9"), "400 text: octet 0 is not UTF-8");
    for (const char* wrong : {"text=x&charset=EBCDIC", "text=x&coding=2"}) {
        EXPECT_EQ(kannelRefusal(wrong), "400 Charset or body misformed, rejected") << wrong;
    }
}

TEST(KannelDoor, SendsUcs2IfAskedToOrIfNecessary) {
    for (const char* text : {"coding=2&text=%04%16", "coding=2&charset=UTF-8&text=%D0%96",
                             "text=%D0%96", "coding=0&text=%D0%96"}) {
        const OwnedPdu pdu = kannelPdu(text);
        EXPECT_EQ(pdu->number(Field::dataCoding), 8) << text;
        EXPECT_EQ(pdu.message(), "\x04\x16") << text;
    }
}

TEST(KannelDoor, SendsOctetsBehindAHeader) {
    const std::string header = "\x06\x05\x04\x15\x81\x15\x81";
    for (const char* udh : {"%06%05%04%15%81%15%81", "06050415811581"}) {
        const OwnedPdu binary = kannelPdu(std::string("text=%00%FF&udh=") + udh);
        EXPECT_EQ(binary.message(), header + std::string("\0\xFF", 2)) << udh;
        EXPECT_EQ(binary->number(Field::dataCoding), 4);
        EXPECT_EQ(binary->number(Field::esmClass), 0x40);
    }
    const std::string udh = "udh=06050415811581";
    EXPECT_EQ(kannelPdu(udh + "&coding=0&text=%C3%A9").message(), header + "\x05");
    const OwnedPdu ucs2 = kannelPdu(udh + "&coding=2&text=%04%16");
    EXPECT_EQ(ucs2.message(), header + "\x04\x16");
    EXPECT_EQ(ucs2->number(Field::dataCoding), 8);
    EXPECT_EQ(kannelPdu("coding=1&text=%00").message(), std::string(1, '\0'));
    EXPECT_THAT(kannelRefusal("udh=%06%05&text=x"), HasSubstr("400 "));
    EXPECT_THAT(kannelRefusal("udh=0605&text=x"), HasSubstr("400 "));
    const std::string text = std::string(127, 'x') + "%E2%82%AC";
    const MessageRequest parts =
        oneOf(kannelDoor, kannelUser + "&" + udh + "&coding=0&text=" + text + text);
    ASSERT_EQ(parts.segments.parts.size(), 3u);
    EXPECT_EQ(parts.segments.parts.front().message.back(), nio::Byte{'x'}) << "not its escape";
}

TEST(KannelDoor, SetsClassAndIndication) {
    const std::vector<std::pair<std::string, int>> codings{
        {"mclass=0", 0x10},
        {"mclass=3&coding=1", 0x17},
        {"mclass=1&coding=2&charset=utf-8", 0x19},
        {"mclass=0&alt-dcs=1", 0xF0},
        {"mclass=2&alt-dcs=1&coding=1", 0xF6},
        {"alt-dcs=1", 0xF1},
        {"mwi=0", 0xD8},
        {"mwi=1&coding=2&charset=utf-8", 0xE9},
        {"mwi=6", 0xC2},
        {"mclass=-1&mwi=-1", 0}};
    for (const auto& [query, coding] : codings) {
        EXPECT_EQ(kannelPdu("text=x&" + query)->number(Field::dataCoding), coding) << query;
    }
    EXPECT_EQ(kannelPdu("mwi=0")->number(Field::dataCoding), 0xC8);
}

TEST(KannelDoor, SetsTimesAndPriority) {
    const OwnedPdu pdu = kannelPdu("text=x&validity=1441&deferred=61&priority=3");
    EXPECT_EQ(pdu.text(Field::validityPeriod), "000001000100000R");
    EXPECT_EQ(pdu.text(Field::scheduleTime), "000000010100000R");
    EXPECT_EQ(pdu->number(Field::priority), 3);
    EXPECT_EQ(kannelPdu("text=x&validity=0").text(Field::validityPeriod), "");
}

TEST(KannelDoor, NamesTheFieldThatIsWrong) {
    for (const auto& [query, what] : std::vector<std::pair<std::string, std::string>>{
             {"coding=3", "Coding field misformed"},
             {"coding=x", "Coding field misformed"},
             {"mclass=4", "MClass field misformed"},
             {"mwi=8", "MWI field misformed"},
             {"alt-dcs=2", "Alt-DCS field misformed"},
             {"validity=-2", "Validity field misformed"},
             {"validity=43201", "Validity field misformed"},
             {"deferred=1.5", "Deferred field misformed"},
             {"priority=4", "Priority field misformed"},
             {"dlr-mask=64", "DLR-Mask field misformed"},
             {"pid=64", "PID is not supported"},
             {"compress=1", "Compress is not supported"},
             {"rpi=1", "RPI is not supported"}}) {
        EXPECT_EQ(kannelRefusal("text=x&" + query), "400 " + what + ", rejected");
    }
}

TEST(KannelDoor, IgnoresWhatDoesNotChangeTheMessage) {
    EXPECT_EQ(kannelPdu("text=x&account=a&binfo=b&smsc=c&meta-data=%3Fd%3Fe%3Df&pid=0&rpi=0"
                        "&compress=0")
                  .message(),
              "x");
}

TEST(KannelDoor, AsksForTheReceiptsOfTheMask) {
    for (const auto& [mask, registered] : std::vector<std::pair<int, int>>{{0, 0},
                                                                           {1, 1},
                                                                           {2, 2},
                                                                           {3, 1},
                                                                           {4, 1},
                                                                           {7, 1},
                                                                           {8, 0},
                                                                           {24, 0},
                                                                           {31, 1},
                                                                           {32, 0x10},
                                                                           {63, 0x11}}) {
        const std::string query = kannelUser + "&text=x&dlr-url=http://h/%25d&dlr-mask=";
        const MessageRequest message = oneOf(kannelDoor, query + std::to_string(mask));
        EXPECT_EQ(message.registeredDelivery, registered) << mask;
        const auto callback = Callback::fromJson(message.callback);
        ASSERT_EQ(callback.has_value(), registered != 0) << mask;
        if (!callback) continue;
        EXPECT_EQ(callback->format, WebhookFormat::kannel);
        EXPECT_EQ(callback->url, "http://h/%d");
        EXPECT_EQ(callback->wanted, static_cast<unsigned>(mask));
    }
    const MessageRequest old = oneOf(kannelDoor, kannelUser + "&dlrurl=http://h/&dlrmask=1");
    EXPECT_TRUE(Callback::fromJson(old.callback));
    const MessageRequest noUrl = oneOf(kannelDoor, kannelUser + "&dlr-mask=1");
    EXPECT_EQ(noUrl.registeredDelivery, 1);
    EXPECT_EQ(noUrl.callback, "");
}

TEST(KannelDoor, AnswersAsKannelDoes) {
    using smpp::Status;
    const auto answer = [](std::vector<MessageResult> results) {
        return textOf(kannelDoor.answerOf(results));
    };
    const MessageResult accepted{"1", "A", std::nullopt};
    const auto refused = [](Status status) { return MessageResult{"2", "", problemOf(status)}; };
    EXPECT_EQ(answer({accepted, accepted}), "202 0: Accepted for delivery");
    EXPECT_EQ(answer({refused(Status::invDstAdr), accepted}),
              "202 0: Accepted for delivery Denied receivers are: 2");
    EXPECT_EQ(answer({refused(Status::invDstAdr)}), "403 Not routable. Do not try again.");
    EXPECT_EQ(answer({refused(Status::throttled)}), "503 Temporal failure, try again later.");
    EXPECT_EQ(answer({refused(Status::sysErr)}), "503 Temporal failure, try again later.");
    EXPECT_EQ(textOf(kannelDoor.refusalOf({401, "x"})), "403 Authorization failed for sendsms");
}

}  // namespace
}  // namespace router
