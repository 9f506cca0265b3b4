// The submit_sm of a message: alphabets, parts, headers.
#include "apps/sms_router/http/MessageTesting.h"

namespace router {
namespace {

using namespace messagetesting;
using scenarios::OwnedPdu;
using smpp::Alphabet;
using smpp::Field;
using smpp::Tag;
using testing::StartsWith;

MessageRequest ofText(const std::string& text, const std::string& more = "") {
    return written("{\"to\": \"1\", \"text\": " + quoted(text) + more + "}");
}

std::string hexOf(std::string_view octets) {
    std::string digits;
    for (const char c : octets) {
        digits += "0123456789abcdef"[static_cast<unsigned char>(c) >> 4];
        digits += "0123456789abcdef"[c & 0xF];
    }
    return digits;
}

TEST(MessageParts, CarryEachMember) {
    const OwnedPdu pdu = onlyPdu(written(
        R"({"from": "Shop", "to": "+41791234567", "text": "hello", "service_type": "CMT",
            "send_at": "2030-12-31T23:59:00Z", "validity": 60, "receipt": true, "priority": 2})"));
    EXPECT_EQ(pdu.command(), smpp::Command::submitSm);
    EXPECT_EQ(pdu.sequence(), 1u);
    EXPECT_EQ(pdu.text(Field::serviceType), "CMT");
    EXPECT_EQ(pdu->number(Field::sourceTon), 5);
    EXPECT_EQ(pdu->number(Field::sourceNpi), 0);
    EXPECT_EQ(pdu.text(Field::sourceAddress), "Shop");
    EXPECT_EQ(pdu->number(Field::destinationTon), 1);
    EXPECT_EQ(pdu->number(Field::destinationNpi), 1);
    EXPECT_EQ(pdu.text(Field::destinationAddress), "41791234567");
    EXPECT_EQ(pdu->number(Field::esmClass), 0);
    EXPECT_EQ(pdu->number(Field::priority), 2);
    EXPECT_EQ(pdu.text(Field::scheduleTime), "301231235900000+");
    EXPECT_EQ(pdu.text(Field::validityPeriod), "000000000100000R");
    EXPECT_EQ(pdu->number(Field::registeredDelivery), 1);
    EXPECT_EQ(pdu->number(Field::dataCoding), 0);
    EXPECT_EQ(pdu.message(), "hello");
}

TEST(MessageParts, AreOneUpTo160Characters) {
    EXPECT_EQ(onlyPdu(ofText(std::string(160, 'x'))).message(), std::string(160, 'x'));
    const auto two = pdusOf(ofText(std::string(161, 'x')));
    ASSERT_EQ(two.size(), 2u);
    // GSM packs 153 septets beside a header of six octets; the reference is the low octet of it.
    EXPECT_EQ(hexOf(two[0].message().substr(0, 6)), "050003020201");
    EXPECT_EQ(two[0].message().substr(6), std::string(153, 'x'));
    EXPECT_EQ(hexOf(two[1].message().substr(0, 6)), "050003020202");
    EXPECT_EQ(two[1].message().substr(6), std::string(8, 'x'));
    for (const OwnedPdu& part : two) EXPECT_EQ(part->number(Field::esmClass), 0x40);
}

TEST(MessageParts, AreOneUpTo70CharactersOfUcs2) {
    std::string text;
    for (int i = 0; i < 70; ++i) text += "ж";
    EXPECT_EQ(onlyPdu(ofText(text)).message().size(), 140u);
    EXPECT_EQ(onlyPdu(ofText(text))->number(Field::dataCoding), 8);
    const auto two = pdusOf(ofText(text + "ж"));
    ASSERT_EQ(two.size(), 2u);
    EXPECT_EQ(two[0].message().size(), 6 + 2 * 67u);
    EXPECT_EQ(two[1].message().size(), 6 + 2 * 4u);
}

TEST(MessageParts, AreMarkedAsTheMessageSays) {
    const std::string text(161, 'x');
    const auto long16 = pdusOf(ofText(text, R"(, "concatenation": "udh16")"));
    ASSERT_EQ(long16.size(), 2u);
    EXPECT_EQ(hexOf(long16[0].message().substr(0, 7)), "06080401020201");
    EXPECT_EQ(hexOf(long16[1].message().substr(0, 7)), "06080401020202");
    EXPECT_EQ(long16[0]->number(Field::esmClass), 0x40);

    const auto sar = pdusOf(ofText(text, R"(, "concatenation": "sar")"));
    ASSERT_EQ(sar.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(sar[i]->number(Field::esmClass), 0);
        EXPECT_EQ(hexOf(sar[i].tlv(Tag::sarMsgRefNum)), "0102");
        EXPECT_EQ(hexOf(sar[i].tlv(Tag::sarTotalSegments)), "02");
        EXPECT_EQ(hexOf(sar[i].tlv(Tag::sarSegmentSeqnum)), i == 0 ? "01" : "02");
    }
    EXPECT_EQ(sar[0].message() + sar[1].message(), text);
    EXPECT_EQ(pdusOf(ofText(text, R"(, "concatenation": "udh8")")).size(), 2u);
    EXPECT_EQ(onlyPdu(ofText("x", R"(, "concatenation": "sar")")).tlv(Tag::sarMsgRefNum),
              "(absent)");
}

TEST(MessageParts, AreMarkedInOneOfThreeWaysOnly) {
    for (const char* wrong : {"\"udh\"", "\"UDH8\""}) {
        EXPECT_EQ(wrongWith(std::string("\"concatenation\": ") + wrong),
                  "concatenation: must be \"udh8\", \"udh16\" or \"sar\"");
    }
    EXPECT_EQ(wrongWith(R"("concatenation": 8)"), "concatenation: must be a string");
}

TEST(MessageParts, HaveTheFirstAlphabetThatHasTheText) {
    const auto alphabetOf = [](const std::string& text, const std::string& encoding) {
        return ofText(text, ", \"encoding\": " + encoding).segments.alphabet;
    };
    EXPECT_EQ(alphabetOf("hello", R"(["ucs2", "gsm"])"), Alphabet::ucs2);
    EXPECT_EQ(alphabetOf("ğ", R"(["gsm", "gsm-turkish", "ucs2"])"), Alphabet::gsmTurkish);
    EXPECT_EQ(alphabetOf("á", R"("gsm-spanish")"), Alphabet::gsmSpanish);
    EXPECT_EQ(alphabetOf("ê", R"("gsm-portuguese")"), Alphabet::gsmPortuguese);
    EXPECT_EQ(alphabetOf("ÿ", R"(["gsm", "latin1"])"), Alphabet::latin1);
    EXPECT_EQ(alphabetOf("hello", "[]"), Alphabet::gsm);
    EXPECT_EQ(ofText("ж").segments.alphabet, Alphabet::ucs2);
}

TEST(MessageParts, HaveAnAlphabetThatThereIs) {
    const std::string names =
        " is none of gsm, gsm-turkish, gsm-spanish, gsm-portuguese, latin1, "
        "ucs2";
    for (const char* wrong : {"utf8", "", "GSM", "binary"}) {
        const std::string name = "'" + std::string(wrong) + "'";
        EXPECT_EQ(wrongWith("\"encoding\": " + quoted(wrong)), "encoding: " + name + names);
        EXPECT_EQ(wrongWith("\"encoding\": [\"gsm\", " + quoted(wrong) + "]"),
                  "encoding: " + name + names);
    }
    for (const char* wrong : {"1", "{}", "[1]", "[null]", "[[\"gsm\"]]", "true"}) {
        EXPECT_EQ(wrongWith(std::string("\"encoding\": ") + wrong),
                  "encoding: must be a string or an array of strings");
    }
    EXPECT_THAT(wrongIn(R"({"to": "1", "text": "ж", "encoding": "gsm"})"), StartsWith("text: "));
}

TEST(MessageParts, HaveAsManyLettersAsASecondaryAlphabetAllows) {
    const auto turkish = pdusOf(ofText("ğ", R"(, "encoding": "gsm-turkish")"));
    ASSERT_EQ(turkish.size(), 1u);
    EXPECT_EQ(turkish[0]->number(Field::esmClass), 0x40);  // its header names the language
    EXPECT_EQ(hexOf(turkish[0].message().substr(0, 4)), "03240101");
}

TEST(MessageParts, AreAtMost255) {
    EXPECT_EQ(ofText(std::string(255 * 153, 'x')).segments.parts.size(), 255u);
    EXPECT_THAT(wrongIn("{\"to\": \"1\", \"text\": \"" + std::string(255 * 153 + 1, 'x') + "\"}"),
                StartsWith("text: "));
}

TEST(MessageParts, MayBeOctets) {
    const OwnedPdu pdu = onlyPdu(written(R"({"to": "1", "data": "00fFa0"})"));
    EXPECT_EQ(hexOf(pdu.message()), "00ffa0");
    EXPECT_EQ(pdu->number(Field::dataCoding), 4);
    EXPECT_EQ(pdu->number(Field::esmClass), 0);
    const OwnedPdu push = onlyPdu(
        written(R"({"to": "1", "data": "01", "udh": "0605040B8423F0", "data_coding": 245})"));
    EXPECT_EQ(hexOf(push.message()), "0605040b8423f001");
    EXPECT_EQ(push->number(Field::dataCoding), 245);
    EXPECT_EQ(push->number(Field::esmClass), 0x40);
    EXPECT_EQ(hexOf(onlyPdu(written(R"({"to": "1", "udh": "027000"})")).message()), "027000");
    EXPECT_EQ(onlyPdu(written(R"({"to": "1", "data": ""})")).message(), "");
}

TEST(MessageParts, OfOctetsKeepTheHeaderOfEach) {
    const auto parts = pdusOf(written("{\"to\": \"1\", \"udh\": \"0605040B8423F0\", \"data\": \"" +
                                      std::string(2 * 134, '0') + "\"}"));
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(hexOf(parts[0].message().substr(0, 12)),
              "0b0003020201"
              "05040b8423f0");
    EXPECT_EQ(hexOf(parts[1].message().substr(0, 12)),
              "0b0003020202"
              "05040b8423f0");
}

TEST(MessageParts, AreOctetsInPairsOfDigits) {
    const std::string wrong = ": must be octets, two hexadecimal digits each";
    for (const char* digits : {"0", "0x", "0g", " 00", "00 ", "+1", "-1", "0x00", "ff f", "é"}) {
        EXPECT_EQ(wrongIn("{\"to\": \"1\", \"data\": " + quoted(digits) + "}"), "data" + wrong);
        EXPECT_EQ(wrongIn("{\"to\": \"1\", \"udh\": " + quoted(digits) + "}"), "udh" + wrong);
    }
    EXPECT_EQ(wrongIn(R"({"to": "1", "data": [0]})"), "data: must be a string");
    for (const char* header : {"ff", "0401", "0500030101"}) {
        EXPECT_THAT(wrongIn(R"({"to": "1", "udh": ")" + std::string(header) + "\"}"),
                    testing::AnyOf(StartsWith("data: "), StartsWith("udh: ")));
    }
}

TEST(MessageParts, AreOfTextOrOfOctets) {
    const std::string either = "a message needs either text, or data and perhaps udh";
    EXPECT_EQ(wrongIn(R"({"to": "1"})"), either);
    EXPECT_EQ(wrongWith(R"("data": "00")"), either);
    EXPECT_EQ(wrongWith(R"("udh": "00")"), either);
    EXPECT_EQ(wrongIn(R"({"to": "1", "data": "00", "encoding": "gsm"})"),
              "encoding: is for text only");
    EXPECT_EQ(wrongIn(R"({"to": "1", "text": ["x"]})"), "text: must be a string");
    EXPECT_EQ(onlyPdu(ofText("")).message(), "");
}

TEST(MessageParts, KeepANulOfTheText) {
    const OwnedPdu pdu = onlyPdu(written(R"({"to": "1", "text": "a\u0000b", "encoding": "ucs2"})"));
    EXPECT_EQ(hexOf(pdu.message()), "006100000062");
}

TEST(MessageParts, KeepACharacterOfTwoSurrogates) {
    EXPECT_EQ(hexOf(onlyPdu(written(R"({"to": "1", "text": "\uD83D\uDE00"})")).message()),
              "d83dde00");
    for (const char* lone : {R"({"to": "1", "text": "\uD83D"})", R"({"text": "\uDE00\uD83D"})"}) {
        EXPECT_FALSE(nlohmann::json::accept(lone));
    }
}

TEST(MessageParts, AreNamedByTheirAlphabet) {
    EXPECT_EQ(nameOf(Alphabet::gsm), "gsm");
    EXPECT_EQ(nameOf(Alphabet::gsmPortuguese), "gsm-portuguese");
    EXPECT_EQ(nameOf(Alphabet::octets), "binary");
    EXPECT_EQ(nameOf(Alphabet::ascii), "");
}

}  // namespace
}  // namespace router
