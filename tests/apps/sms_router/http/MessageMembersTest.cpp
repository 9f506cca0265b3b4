// Each member of a message, and each mistake, which names its member.
#include "apps/sms_router/http/MessageTesting.h"

namespace router {
namespace {

using namespace messagetesting;
using testing::StartsWith;

TEST(MessageMembers, AreUsuallyAbsent) {
    const MessageRequest message = written(R"({"to": "41791234567", "text": "hello"})");
    EXPECT_EQ(message.from.address, "");
    EXPECT_EQ(message.to.address, "41791234567");
    EXPECT_EQ(message.serviceType, "");
    EXPECT_EQ(message.schedule, "");
    EXPECT_EQ(message.validity, "");
    EXPECT_EQ(message.priority, 0);
    EXPECT_EQ(message.registeredDelivery, 0);
    EXPECT_EQ(message.segments.alphabet, smpp::Alphabet::gsm);
    EXPECT_EQ(message.segments.parts.size(), 1u);
}

TEST(MessageMembers, MayBeNullWhichIsAbsent) {
    const MessageRequest message = withMembers(
        R"("from": null, "data": null, "udh": null, "encoding": null, "concatenation": null,
           "data_coding": null, "service_type": null, "send_at": null, "validity": null,
           "receipt": null, "priority": null, "from_ton": null, "to_npi": null)");
    EXPECT_EQ(message.to.address, "1");
    EXPECT_THAT(wrongIn(R"({"to": null, "text": "x"})"), StartsWith("to: "));
}

TEST(MessageMembers, AreAddressesOfThreeKinds) {
    const std::tuple<const char*, int, int, const char*> rows[]{
        {"+41791234567", 1, 1, "41791234567"},
        {"41791234567", 0, 1, "41791234567"},
        {"Shop", 5, 0, "Shop"},
        {"+Shop", 5, 0, "+Shop"},
        {"0", 0, 1, "0"},
    };
    for (const auto& [text, ton, npi, address] : rows) {
        const SourceAddress found = addressOf(text);
        EXPECT_EQ(found.ton, ton) << text;
        EXPECT_EQ(found.npi, npi) << text;
        EXPECT_EQ(found.address, address) << text;
    }
    for (const char* nothing : {"", "+"}) EXPECT_EQ(addressOf(nothing).address, "");
}

TEST(MessageMembers, OverrideTonAndNpi) {
    const MessageRequest message =
        withMembers(R"("from": "Shop", "from_ton": 0, "from_npi": 255, "to_ton": 2, "to_npi": 8)");
    EXPECT_EQ(message.from.ton, 0);
    EXPECT_EQ(message.from.npi, 255);
    EXPECT_EQ(message.to.ton, 2);
    EXPECT_EQ(message.to.npi, 8);
}

TEST(MessageMembers, NameAnAddressThatIsWrong) {
    EXPECT_EQ(wrongIn(R"({"text": "x"})"), "to: is missing");
    EXPECT_EQ(wrongIn(R"({"to": "", "text": "x"})"), "to: is missing");
    EXPECT_EQ(wrongIn(R"({"to": "+", "text": "x"})"), "to: is missing");
    EXPECT_EQ(wrongIn(R"({"to": 41791234567, "text": "x"})"), "to: must be a string");
    EXPECT_EQ(wrongWith(R"("from": ["a"])"), "from: must be a string");
    EXPECT_EQ(wrongWith(R"("from": "a\u0000b")"), "from: contains a NUL");
    EXPECT_EQ(wrongIn(R"({"to": "1\u0000", "text": "x"})"), "to: contains a NUL");
    EXPECT_EQ(wrongWith(R"("from": "123456789012345678901")"), "from: is longer than 20 octets");
    EXPECT_EQ(withMembers(R"("from": "+12345678901234567890")").from.address.size(), 20u);
}

TEST(MessageMembers, NameANumberThatIsOutOfRange) {
    for (const char* number :
         {"-1", "256", "1.5", "1e2", "\"1\"", "true", "[]", "{}", "9223372036854775807",
          "9223372036854775808", "18446744073709551615", "-9223372036854775808", "1e308"}) {
        for (const char* member : {"from_ton", "from_npi", "to_ton", "to_npi", "data_coding"}) {
            EXPECT_EQ(wrongWith("\"" + std::string(member) + "\": " + number),
                      member + std::string(": must be a whole number from 0 to 255"))
                << number;
        }
        EXPECT_THAT(wrongWith(std::string("\"priority\": ") + number), StartsWith("priority: "));
        const std::string validity = wrongWith(std::string("\"validity\": ") + number);
        if (number == std::string("256")) continue;
        EXPECT_THAT(validity, StartsWith("validity: ")) << number;
    }
    EXPECT_EQ(wrongWith(R"("priority": 4)"), "priority: must be a whole number from 0 to 3");
    EXPECT_EQ(withMembers(R"("priority": 3)").priority, 3);
    EXPECT_EQ(withMembers(R"("data_coding": 245)").segments.dataCoding, 245);
    EXPECT_EQ(withMembers(R"("data_coding": 0, "encoding": "ucs2")").segments.dataCoding, 0);
}

TEST(MessageMembers, AskForAReceipt) {
    EXPECT_EQ(withMembers(R"("receipt": true)").registeredDelivery, 1);
    EXPECT_EQ(withMembers(R"("receipt": false)").registeredDelivery, 0);
    EXPECT_EQ(withMembers(R"("receipt": "failure")").registeredDelivery, 2);
    for (const char* wrong : {"1", "\"\"", "\"success\"", "[]", "{}", "2.5"}) {
        EXPECT_EQ(wrongWith(std::string("\"receipt\": ") + wrong),
                  "receipt: must be true, false or \"failure\"");
    }
}

TEST(MessageMembers, HaveAServiceType) {
    EXPECT_EQ(withMembers(R"("service_type": "CMT")").serviceType, "CMT");
    EXPECT_EQ(withMembers(R"("service_type": "12345")").serviceType, "12345");
    EXPECT_EQ(wrongWith(R"("service_type": "123456")"), "service_type: is longer than 5 octets");
    EXPECT_EQ(wrongWith(R"("service_type": "a\u0000")"), "service_type: contains a NUL");
}

TEST(MessageMembers, SayHowLongAMessageIsValid) {
    const std::pair<int, const char*> rows[]{
        {1, "000000000001000R"},        {59, "000000000059000R"},     {60, "000000000100000R"},
        {3600, "000000010000000R"},     {86'399, "000000235959000R"}, {86'400, "000001000000000R"},
        {2'592'000, "000030000000000R"}};
    for (const auto& [seconds, text] : rows) {
        EXPECT_EQ(withMembers("\"validity\": " + std::to_string(seconds)).validity, text);
    }
    for (const char* wrong : {"0", "2592001", "-1"}) {
        EXPECT_EQ(wrongWith(std::string("\"validity\": ") + wrong),
                  "validity: must be a whole number from 1 to 2592000");
    }
}

TEST(MessageMembers, SayWhenAMessageIsSentInUtc) {
    const std::pair<const char*, const char*> rows[]{
        {"2030-12-31T23:59:00Z", "301231235900000+"},
        {"2030-12-31T23:59:00z", "301231235900000+"},
        {"2030-12-31t23:59:00Z", "301231235900000+"},
        {"2030-12-31T23:59:00+00:00", "301231235900000+"},
        {"2030-12-31T23:59:00-00:00", "301231235900000+"},
        {"2030-12-31T23:59:00-01:30", "310101012900000+"},
        {"2030-01-01T00:30:05+05:45", "291231184505000+"},
        {"2032-02-29T12:00:00Z", "320229120000000+"},
        {"2030-12-31T23:59:00.5Z", "301231235900000+"},
        {"2030-12-31T23:59:00.999999Z", "301231235900000+"},
        {"2099-12-31T23:59:59Z", "991231235959000+"},
    };
    for (const auto& [text, time] : rows) {
        EXPECT_EQ(withMembers("\"send_at\": " + quoted(text)).schedule, time) << text;
    }
}

TEST(MessageMembers, NameATimeThatThereIsNot) {
    for (const char* text : {"now",
                             "2030",
                             "2030-12-31",
                             "2030-12-31T23:59:00",
                             "2030-12-31 23:59:00Z",
                             "2030-12-31T23:59Z",
                             "2030-02-31T00:00:00Z",
                             "2030-02-29T00:00:00Z",
                             "2030-04-31T00:00:00Z",
                             "2030-13-01T00:00:00Z",
                             "2030-00-01T00:00:00Z",
                             "2030-01-00T00:00:00Z",
                             "2030-01-32T00:00:00Z",
                             "2030-01-01T24:00:00Z",
                             "2030-01-01T00:60:00Z",
                             "2030-01-01T00:00:61Z",
                             "2030-1-1T00:00:00Z",
                             " 2030-01-01T00:00:00Z",
                             "2030-01-01T00:00:00Z ",
                             "2030- 1-01T00:00:00Z",
                             "2030-01-01T00:00:00+24:00",
                             "2030-01-01T00:00:00+00:60",
                             "2030-01-01T00:00:00+0100",
                             "2030-01-01T00:00:00+01",
                             "2030-01-01T00:00:00.Z",
                             "2130-01-01T00:00:00Z",
                             "1999-12-31T23:59:59Z",
                             "12030-01-01T00:00:00Z"}) {
        EXPECT_EQ(wrongWith("\"send_at\": " + quoted(text)),
                  "send_at: must be a time such as 2030-12-31T23:59:00Z")
            << text;
    }
    EXPECT_THAT(wrongWith(R"("send_at": "2030-12-31T23:59:00Z\u0000")"), StartsWith("send_at: "));
    EXPECT_EQ(wrongWith(R"("send_at": 1924991940)"), "send_at: must be a string");
}

TEST(MessageMembers, AreKnownOnesOnly) {
    EXPECT_EQ(wrongWith(R"("txt": "x")"), "unknown member 'txt'; did you mean 'text'?");
    EXPECT_EQ(wrongWith(R"("fron": "x")"), "unknown member 'fron'; did you mean 'from'?");
    EXPECT_EQ(wrongWith(R"("colour": 1)"), "unknown member 'colour'");
    EXPECT_EQ(wrongWith(R"("": 1)"), "unknown member ''");
    EXPECT_THAT(wrongWith("\"" + std::string(100'000, 'x') + "\": 1"),
                StartsWith("unknown member 'xxx"));
}

TEST(MessageMembers, BelongToAnObject) {
    for (const char* other : {"null", "1", "\"to\"", "[]", "true", "[{}]"}) {
        EXPECT_EQ(wrongIn("{\"messages\": [" + std::string(other) + "]}"),
                  "a message must be an object");
    }
}

TEST(MessageMembers, MayBeNested) {
    const std::string deep = std::string(1000, '[') + std::string(1000, ']');
    EXPECT_EQ(wrongIn("{\"messages\": [" + deep + "]}"), "a message must be an object");
    for (const char* member : {"to", "encoding", "receipt"}) {
        EXPECT_THAT(wrongIn("{\"text\": \"x\", \"to\": \"1\", \"" + std::string(member) +
                            "\": " + deep + "}"),
                    StartsWith(member));
    }
}

std::string wrongInBody(const std::string& json) try {
    MessageBody body;
    body.read(json);
    return "(nothing)";
} catch (const Problem& problem) {
    return std::to_string(problem.status) + " " + problem.detail;
}

TEST(MessageBody, SaysWhyItCannotBeRead) {
    EXPECT_EQ(wrongInBody(R"({"to": "1")"), "400 the body is not JSON");
    EXPECT_EQ(wrongInBody("{\"to\": \"\xC3\"}"), "400 the body is not JSON");
    EXPECT_EQ(wrongInBody(""), "400 the body is not JSON");
    EXPECT_EQ(wrongInBody("[]"), "400 the body must be a JSON object");
    for (const char* number : {"18446744073709551616", "-9223372036854775809", "1e999", "01"}) {
        EXPECT_EQ(wrongInBody(std::string(R"({"priority": )") + number + "}"),
                  "400 the body has a number that is malformed or too large")
            << number;
    }
    const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
    EXPECT_EQ(wrongInBody(deep), "400 the body is nested deeper than 1024 levels");
}

TEST(MessageBody, MayBeginWithAByteOrderMark) {
    EXPECT_EQ(written("\xEF\xBB\xBF{\"to\": \"1\", \"text\": \"x\"}").to.address, "1");
    EXPECT_EQ(wrongInBody("\xEF\xBB\xBF"), "400 the body is not JSON");
}

TEST(MessageBody, ForgetsWhatItHasRead) {
    MessageBody body;
    body.read(R"({"messages": [{"to": "1", "text": "x"}, {"to": "2", "text": "x"}]})");
    EXPECT_EQ(body.size(), 2u);
    EXPECT_FALSE(body.isOne());
    const std::string longText(1'000'000, 'x');
    body.read(R"({"to": "3", "text": ")" + longText + "\"}");
    body.read(R"({"to": "4", "text": "x"})");
    EXPECT_EQ(body.size(), 1u);
    EXPECT_TRUE(body.isOne());
    EXPECT_EQ(std::get<MessageRequest>(body.messageAt(0, 1)).to.address, "4");
    EXPECT_THROW(body.read("{"), Problem);
    EXPECT_EQ(body.size(), 0u);
}

}  // namespace
}  // namespace router
