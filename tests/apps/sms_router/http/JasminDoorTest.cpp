// The parameters and answers of Jasmin's /send.
#include <gmock/gmock.h>

#include "apps/sms_router/http/DoorTesting.h"
#include "common/Hex.h"

namespace router {
namespace {

using namespace doortesting;
using scenarios::OwnedPdu;
using smpp::Field;

const std::string jasminUser = "username=u&password=p&to=1";

OwnedPdu jasminPdu(const std::string& more) {
    return pduOf(jasminDoor, jasminUser + "&" + more);
}
std::string jasminRefusal(const std::string& more) {
    return refusalOf(jasminDoor, jasminUser + "&" + more);
}
apps::HttpRequest jasminPost(const std::string& type, const std::string& body) {
    apps::HttpRequest request;
    request.headers = {{"content-type", type}};
    request.body = body;
    return request;
}

TEST(JasminDoor, ReadsFormsAndJson) {
    for (const auto& request :
         {jasminPost("application/x-www-form-urlencoded",
                     jasminUser + "&content=%E2%82%AC&coding=0"),
          jasminPost("application/json; charset=utf-8",
                     R"({"username":"u","password":"p","to":1,"content":"€","coding":0})")}) {
        const FormFields fields = jasminDoor.fieldsOf(request);
        const auto credentials = jasminDoor.credentialsOf(fields);
        EXPECT_EQ(credentials.user + credentials.password, "up");
        const MessageRequest message = jasminDoor.messagesOf(fields, 1).front();
        EXPECT_EQ(nio::asText(message.segments.parts.front().message), "\x1B\x65");
    }
    EXPECT_THROW(jasminDoor.fieldsOf(jasminPost("application/json", "[]")), Problem);
    EXPECT_THROW(jasminDoor.fieldsOf(jasminPost("application/json", "{")), Problem);
}

TEST(JasminDoor, RefusesWhatIsNestedHoweverDeep) {
    const std::string deep =
        R"({"to":)" + std::string(300'000, '[') + std::string(300'000, ']') + "}";
    for (const std::string& body : {std::string(R"({"to":[1]})"), deep}) {
        EXPECT_THROW(jasminDoor.fieldsOf(jasminPost("application/json", body)), Problem);
    }
}

TEST(JasminDoor, SendsTextOrOctets) {
    EXPECT_EQ(jasminPdu("content=%C3%A9").message(), "\x05");
    const OwnedPdu cyrillic = jasminPdu("content=%D0%96");
    EXPECT_EQ(cyrillic.message(), "\x04\x16");
    EXPECT_EQ(cyrillic->number(Field::dataCoding), 8);
    for (const char* content : {"content=%04%16&coding=8", "hex-content=0416&coding=8"}) {
        const OwnedPdu ucs2 = jasminPdu(content);
        EXPECT_EQ(ucs2.message(), "\x04\x16");
        EXPECT_EQ(ucs2->number(Field::dataCoding), 8);
    }
    const OwnedPdu octets = jasminPdu("hex-content=00ff");
    EXPECT_EQ(octets.message(), std::string("\0\xFF", 2));
    EXPECT_EQ(octets->number(Field::dataCoding), 0);
}

TEST(JasminDoor, DividesOctetsBetweenCharacters) {
    const auto endOfFirstPart = [](const std::string& digits, const std::string& more) {
        const MessageRequest message =
            oneOf(jasminDoor, jasminUser + "&hex-content=" + digits + more);
        EXPECT_EQ(message.segments.parts.size(), 2u);
        const std::string octets = apps::hexOf(message.segments.parts.front().message);
        return octets.substr(octets.size() - 4);
    };
    std::string euro, emoji;
    for (int i = 0; i < 133; ++i) euro += "78";
    for (int i = 0; i < 66; ++i) emoji += "0416";
    euro += "1B657878787878787878";
    emoji += "D83DDE0004160416041604160416";
    EXPECT_EQ(endOfFirstPart(euro, "&coding=0"), "7878");
    EXPECT_EQ(endOfFirstPart(euro, ""), "7878");
    EXPECT_EQ(endOfFirstPart(euro, "&coding=4"), "781b");
    EXPECT_EQ(endOfFirstPart(emoji, "&coding=8"), "0416");
    EXPECT_EQ(endOfFirstPart(emoji, "&coding=4"), "d83d");
}

TEST(JasminDoor, SetsTimesAndPriority) {
    const OwnedPdu pdu = jasminPdu(
        "content=x&from=Shop&priority=2&validity-period=1440&sdt=000000000100000R&tags=1,a");
    EXPECT_EQ(pdu.text(Field::sourceAddress), "Shop");
    EXPECT_EQ(pdu->number(Field::priority), 2);
    EXPECT_EQ(pdu.text(Field::validityPeriod), "000001000000000R");
    EXPECT_EQ(pdu.text(Field::scheduleTime), "000000000100000R");
}

TEST(JasminDoor, NamesTheArgumentThatIsWrong) {
    const auto is = [](const std::string& detail) { return "400 Error \"" + detail + "\""; };
    EXPECT_EQ(refusalOf(jasminDoor, ""),
              is("Mandatory arguments not found, please refer to the HTTPAPI specifications."));
    EXPECT_EQ(refusalOf(jasminDoor, "username=u&password=p&content=x"),
              is("Mandatory argument [to] is not found."));
    EXPECT_EQ(jasminRefusal("content=x&custom_tlvs=[]"), is("Argument [custom_tlvs] is unknown."));
    EXPECT_EQ(jasminRefusal("from=x"), is("content or hex-content not present."));
    EXPECT_EQ(jasminRefusal("content=x&hex-content=00"),
              is("content and hex-content cannot be used both in same request."));
    for (const auto& [name, value] :
         std::vector<std::pair<std::string, std::string>>{{"coding", "11"},
                                                          {"priority", "4"},
                                                          {"sdt", "1"},
                                                          {"validity-period", "x"},
                                                          {"dlr", "true"},
                                                          {"dlr-url", "ftp://h"},
                                                          {"dlr-level", "4"},
                                                          {"dlr-method", "PUT"},
                                                          {"tags", "a b"}}) {
        EXPECT_EQ(jasminRefusal("content=x&" + name + "=" + value),
                  is("Argument [" + name + "] has an invalid value: [" + value + "]."));
    }
    EXPECT_EQ(refusalOf(jasminDoor, "username=u&password=p&to=Shop&content=x"),
              is("Argument [to] has an invalid value: [Shop]."));
}

TEST(JasminDoor, AsksForReceiptsOfLevelTwoAndThree) {
    const auto with = [](const std::string& more) {
        return oneOf(jasminDoor, jasminUser + "&content=x&" + more);
    };
    for (const char* none : {"from=x", "dlr=no", "dlr=yes&dlr-url=http://h/",
                             "dlr=yes&dlr-url=http://h/&dlr-level=1"}) {
        EXPECT_EQ(with(none).registeredDelivery, 0) << none;
        EXPECT_EQ(with(none).callback, "") << none;
    }
    const MessageRequest post = with("dlr=yes&dlr-url=http://h/&dlr-level=2");
    EXPECT_EQ(post.registeredDelivery, 1);
    const auto posted = Callback::fromJson(post.callback);
    ASSERT_TRUE(posted);
    EXPECT_EQ(posted->format, WebhookFormat::jasmin);
    EXPECT_EQ(posted->wanted, 2u);
    EXPECT_FALSE(posted->isGet);
    const auto got =
        Callback::fromJson(with("dlr-url=http://h/&dlr-level=3&dlr-method=get").callback);
    ASSERT_TRUE(got);
    EXPECT_EQ(got->wanted, 3u);
    EXPECT_TRUE(got->isGet);
    EXPECT_EQ(with("dlr=yes&dlr-level=2").callback, "");
}

TEST(JasminDoor, AnswersAsJasminDoes) {
    using smpp::Status;
    const auto answer = [](const MessageResult& result) {
        return textOf(jasminDoor.answerOf({result}));
    };
    const auto refused = [&](Status status) { return answer({"1", "", problemOf(status)}); };
    EXPECT_EQ(answer({"1", "00A7", std::nullopt}), "200 Success \"00A7\"");
    EXPECT_EQ(refused(Status::invDstAdr), "412 Error \"No route found\"");
    EXPECT_EQ(refused(Status::throttled), "403 Error \"User throughput exceeded\"");
    EXPECT_EQ(refused(Status::sysErr),
              "500 Error \"Cannot send submit_sm: the message cannot be accepted now\"");
    EXPECT_EQ(textOf(jasminDoor.refusalOf({401, "x"})), "403 Error \"Authentication failure\"");
}

}  // namespace
}  // namespace router
