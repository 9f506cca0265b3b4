// Receipts in the forms of other people's SMSCs.
#include <smpp/text/Receipt.h>

#include "TextTesting.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

constexpr std::string_view usual =
    "id:0123456789 sub:001 dlvrd:001 stat:DELIVRD err:000 text:Hello";

Receipt readForm(std::string_view text, std::uint8_t coding = 0, std::uint8_t esmClass = 0x04) {
    const TextSample sample(0x05, esmClass, coding, text);
    const auto found = receiptOf(sample.pdu());
    EXPECT_TRUE(found) << text;
    return found.value_or(Receipt());
}

// Empty: no receipt.
std::string idIn(std::string_view text, std::string_view tlvs, std::uint8_t esmClass = 0x04) {
    const TextSample sample(0x05, esmClass, 0, text, tlvs);
    return std::string(receiptOf(sample.pdu()).value_or(Receipt()).id());
}

bool isNoReceipt(std::string_view text, std::uint8_t esmClass) {
    return !receiptOf(TextSample(0x05, esmClass, 0, text).pdu());
}

TEST(ReceiptForms, MayBeOneByItsTextOnly) {
    for (const unsigned esmClass : {0x00u, 0x08u}) {
        EXPECT_FALSE(readForm(usual, 0, static_cast<std::uint8_t>(esmClass)).isMarked);
    }
    for (const char* text :
         {"id:7 sub:001 dlvrd:001", "id:7 sub:001 stat:FAILED", "id:7 stat:BUFFRED err:000",
          "id:7 submit date:2001010101 done date:2001010101", "id:7 sub:1 stat:2"}) {
        EXPECT_EQ(readForm(text, 0, 0x00).textId.view(), "7") << text;
        EXPECT_FALSE(readForm(text, 0, 0x00).isMarked) << text;
    }
    for (const char* text :
         {"id:7", "stat:DELIVRD", "id:7 stat:hungry", "see you at 5:30",
          "id:7 text:sub:001 stat:DELIVRD", "sub:001 stat:FAILED", "my id: 7. Call me at 5:30",
          "room#7 at 5", "sub#1 stat#2", "see http://x.example/a?id=7&state=CA&error=1",
          "Ticket id: 7, error: no paper, error: no ink", "id:7 status:ok err code:1",
          "id:7 err:1 err:2"})
        EXPECT_TRUE(isNoReceipt(text, 0x00)) << text;
}

TEST(ReceiptForms, HaveAnyPunctuationBetweenFields) {
    for (const std::string& between :
         {"."s, "#"s, "~"s, "^"s, "*"s, "-"s, "+"s, "/"s, "!"s, "||"s, " - "s, " | "s, "><"s}) {
        const std::string text =
            "id:17" + between + "sub:001" + between + "stat:DELIVRD" + between + "err:003";
        const Receipt found = readForm(text);
        EXPECT_EQ(found.textId.view(), "17") << text;
        EXPECT_EQ(text.substr(found.idOffset, found.idSize), "17") << text;
        EXPECT_EQ(found.state, MessageState::delivered) << text;
        EXPECT_EQ(found.error.view(), "003") << text;
    }
    for (const char* text :
         {"<id:17><status:DELIVRD>", "id:17/state:DELIVRD", "id:17/submitdate:1/stat:DELIVRD",
          "id:17/donedate:1/stat:DELIVRD", "stat:DELIVRD/msgid:17", "id#17 stat#DELIVRD",
          "id#17#stat#DELIVRD", "id%3A17+sub%3A001+stat%3ADELIVRD",
          "<id>17</id><stat>DELIVRD</stat>",
          "<?xml version=\"1.0\"?><dlr><id>17</id><status>DELIVRD</status></dlr>"}) {
        const Receipt found = readForm(text);
        EXPECT_EQ(found.textId.view(), "17") << text;
        EXPECT_EQ(std::string_view(text).substr(found.idOffset, found.idSize), "17") << text;
        EXPECT_EQ(found.state, MessageState::delivered) << text;
    }
    for (const char* id : {"17.5", "17#5", "a-b*c", "A(7)", "x/y.z~", "5-id", "a.status"})
        EXPECT_EQ(readForm("id:" + std::string(id) + " stat:DELIVRD").textId.view(), id);
    EXPECT_EQ(readForm("id:A(7),stat:DELIVRD").textId.view(), "A(7)");
}

TEST(ReceiptForms, HaveTheirErrorUnderOtherNames) {
    for (const char* name : {"err", "error", "errcode", "err_code", "error_code", "Error-Code",
                             "err code", "Error Code", "ERROR%20CODE"}) {
        EXPECT_EQ(readForm("id:7 " + std::string(name) + ":012").error.view(), "012") << name;
        EXPECT_EQ(readForm("id:7/" + std::string(name) + ":012").textId.view(), "7") << name;
    }
}

TEST(ReceiptForms, HaveTheirDoneDateInManyForms) {
    const std::pair<const char*, const char*> texts[] = {
        {"done date:2001-01-01 01:02:03 stat:DELIVRD", "2001-01-01 01:02:03"},
        {"done date:2001-01-01T01:02:03.000+01:00 stat:DELIVRD", "2001-01-01T01:02:03.000+01:00"},
        {"done date:01 Jan 2001 01:02 stat:DELIVRD", "01 Jan 2001 01:02"},
        {"done date:010101 010203,stat:DELIVRD", "010101 010203"},
        {"done_date:0101010102 stat:DELIVRD", "0101010102"},
        {"done-date:0101010102 stat:DELIVRD", "0101010102"},
        {"Done_Date: 0101010102 stat:DELIVRD", "0101010102"},
        {"done date : 0101010102 stat:DELIVRD", "0101010102"},
        {"done%20date%3A0101010102%20stat%3ADELIVRD", "0101010102"},
        {"submit date:1 done  date:2 stat:DELIVRD", "2"},
        {"<done_date>2001-01-01 01:02:03</done_date><stat>DELIVRD</stat>", "2001-01-01 01:02:03"},
        {"done date:0101010102 text:7 at 8", "0101010102"},
    };
    for (const auto& [text, date] : texts) {
        EXPECT_EQ(readForm("id:7 "s + text).doneDate.view(), date) << text;
        EXPECT_EQ(readForm(wide("id:7 "s + text), 8).doneDate.view(), date) << text;
    }
}

TEST(ReceiptForms, HaveTheirFieldsInEitherText) {
    const std::string payload = "\4\x24\0\5Hello"s;
    const TextSample sample(0x05, 0x04, 0, "id:7 done date:1 stat:DELIVRD err:5", payload);
    const Receipt found = receiptOf(sample.pdu()).value_or(Receipt());
    EXPECT_EQ(found.id(), "7");
    EXPECT_EQ(found.doneDate.view(), "1");
    EXPECT_EQ(found.error.view(), "5");
}

TEST(ReceiptForms, KnowsOtherNamesOfTheIdAndOtherDividers) {
    for (const char* text :
         {"message_id:A7 stat:DELIVRD", "MessageId:A7 stat:DELIVRD", "msgid=A7&stat=DELIVRD",
          "id:A7|sub:001|stat:DELIVRD|err:000", "smsid:A7;stat:DELIVRD", "SMS ID:A7 stat:DELIVRD",
          "msg id: A7 stat:DELIVRD"}) {
        EXPECT_EQ(readForm(text).textId.view(), "A7") << text;
        EXPECT_EQ(readForm(text).state, MessageState::delivered) << text;
    }
}

TEST(ReceiptForms, AllowsABlankBeforeTheColonAndQuotesAroundAll) {
    for (const char* text :
         {"id :A7 stat :DELIVRD", "id : A7 stat : DELIVRD", "\"id:A7 stat:DELIVRD\"",
          "{\"id\":\"A7\",\"stat\":\"DELIVRD\"}", "{\"stat\": \"DELIVRD\", \"id\": \"A7\"}",
          "'id:A7 stat:DELIVRD'", "id:'A7' stat:'DELIVRD'", "id:A7/stat:DELIVRD",
          "id:A7:stat:DELIVRD", "id:A7 Status:delivered", "id:A7, state: DELIVRD"}) {
        const Receipt found = readForm(text);
        EXPECT_EQ(found.textId.view(), "A7") << text;
        EXPECT_EQ(std::string_view(text).substr(found.idOffset, found.idSize), "A7") << text;
        EXPECT_EQ(found.state, MessageState::delivered) << text;
    }
    EXPECT_EQ(readForm("id:a/b:c stat:DELIVRD").textId.view(), "a/b:c");
    EXPECT_TRUE(isNoReceipt("text :id:A7 stat:DELIVRD", 0x00));
}

TEST(ReceiptForms, AllowBracketsAroundTheIdOrAField) {
    for (const char* text :
         {"<id:A7> <stat:DELIVRD>", "<id:A7><sub:001><stat:DELIVRD>", "[id:A7] [stat:DELIVRD]",
          "(id:A7)(stat:DELIVRD)", "{id:A7} {stat:DELIVRD}", "<id:A7 stat:DELIVRD>"}) {
        const Receipt found = readForm(text);
        EXPECT_EQ(found.textId.view(), "A7") << text;
        EXPECT_EQ(std::string_view(text).substr(found.idOffset, found.idSize), "A7") << text;
        EXPECT_EQ(found.state, MessageState::delivered) << text;
    }
    for (const char* text : {"id:<A7> stat:DELIVRD", "id: <A7> stat:DELIVRD"}) {
        EXPECT_EQ(readForm(text).textId.view(), "<A7>") << text;
        EXPECT_EQ(readForm(text, 0, 0x00).state, MessageState::delivered) << text;
    }
    EXPECT_EQ(readForm("id:A(7) stat:DELIVRD").textId.view(), "A(7)");
}

TEST(ReceiptForms, MayLeaveOutTheBlankBehindADigit) {
    const Receipt found = readForm("id:17sub:001dlvrd:001done date:2001010102stat:DELIVRDerr:000");
    EXPECT_EQ(found.textId.view(), "17");
    EXPECT_EQ(found.doneDate.view(), "2001010102");
    EXPECT_EQ(found.state, MessageState::delivered);
    EXPECT_EQ(readForm("id:a7status:1 stat:DELIVRD").textId.view(), "a7status:1");
}

TEST(ReceiptForms, MayLeaveOutTheBlankBehindALetter) {
    const Receipt found = readForm("id:0A1Bsub:001dlvrd:001 stat:DELIVRDerr:003");
    EXPECT_EQ(found.textId.view(), "0A1B");
    EXPECT_EQ(found.state, MessageState::delivered);
    EXPECT_EQ(found.error.view(), "003");
    EXPECT_EQ(readForm("id:uuid:0A1B stat:DELIVRD").textId.view(), "uuid:0A1B");
    EXPECT_EQ(readForm("id:aGVsbGxERR= stat:DELIVRD").textId.view(), "aGVsbGxERR=");
}

TEST(ReceiptForms, MayHaveSeveralColonsBehindAName) {
    for (const char* text : {"id::17 stat::DELIVRD", "id:=17 stat:=2"}) {
        const Receipt found = readForm(text);
        EXPECT_EQ(found.textId.view(), "17") << text;
        EXPECT_EQ(std::string_view(text).substr(found.idOffset, found.idSize), "17") << text;
    }
    EXPECT_EQ(readForm("id::17 stat::DELIVRD").state, MessageState::delivered);
}

TEST(ReceiptForms, MayHaveNoColons) {
    const std::string text = "id 17 sub 001 stat DELIVRD err 003";
    for (const bool isWide : {false, true}) {
        const Receipt found = isWide ? readForm(wide(text), 8) : readForm(text);
        EXPECT_EQ(found.textId.view(), "17");
        EXPECT_EQ(found.idOffset, isWide ? 6u : 3u);
        EXPECT_EQ(found.state, MessageState::delivered);
        EXPECT_EQ(found.error.view(), "003");
        EXPECT_TRUE(found.isQuoted) << "the words may be a user's";
    }
    EXPECT_EQ(readForm("Message id 17 stat:DELIVRD").textId.view(), "17");
    EXPECT_TRUE(isNoReceipt(text, 0x00));
    EXPECT_TRUE(isNoReceipt("text:my id 17", 0x04));
}

TEST(ReceiptForms, MayHaveAnIdOfSeveralWords) {
    const auto idIn = [](std::string_view text, std::uint8_t coding = 0) {
        EXPECT_TRUE(readForm(text, coding).mayGoOn) << text;
        const TextSample sample(0x05, 0x04, coding, text);
        const Receipt all = receiptOf(sample.pdu(), Receipt::IdWords::all).value_or(Receipt());
        EXPECT_FALSE(all.mayGoOn) << text;
        if (coding == 0) {
            EXPECT_EQ(text.substr(all.idOffset, all.idSize), all.textId.view());
        }
        return std::string(all.textId.view());
    };
    EXPECT_EQ(idIn("id:MC 70 0012 sub:001 stat:DELIVRD"), "MC 70 0012");
    EXPECT_EQ(idIn("id:70 12 submit date:2001010101 stat:DELIVRD"), "70 12");
    EXPECT_EQ(idIn("id:70 12 done date:2001010101"), "70 12");
    EXPECT_EQ(idIn("id:70\t12\tstat:DELIVRD"), "70\t12");
    EXPECT_EQ(idIn("id:70 12,sub:001,stat:DELIVRD"), "70 12");
    EXPECT_EQ(idIn("stat:DELIVRD id:70 12"), "70 12");
    EXPECT_EQ(idIn("id:\"70 12\" stat:DELIVRD"), "70 12");
    EXPECT_EQ(idIn("{\"id\":\"70 12\",\"stat\":\"DELIVRD\"}"), "70 12");
    EXPECT_EQ(idIn("<id:70 12> <stat:DELIVRD>"), "70 12");
    EXPECT_EQ(idIn("id:70 12 \"stat\":DELIVRD"), "70 12");
    EXPECT_EQ(idIn(wide("id:70 12 stat:DELIVRD"), 8), "70 12");
    EXPECT_EQ(readForm("id:70 12 stat:DELIVRD").textId.view(), "70");
    for (const char* text : {"id:70 stat:DELIVRD", "id:70, stat:DELIVRD", "id:70", "id:70 ",
                             "id:70 submit date:2001010101", "id:70|stat:DELIVRD|12",
                             "id:70 error code:5", "id:70 sms id:71"})
        EXPECT_FALSE(readForm(text).mayGoOn) << text;
}

TEST(ReceiptForms, OfNoIdBeforeItsTextHasTheLastOneBehind) {
    for (const char* text :
         {"text:Hello id:7 stat:DELIVRD", "text:id:8 stat:EXPIRED id:7 stat:DELIVRD",
          "sub:001 stat:DELIVRD err:000 text:Hello to all id:7", "Text: id:7 stat:DELIVRD",
          "text:id:7 stat:DELIVRD"}) {
        const Receipt found = readForm(text);
        EXPECT_TRUE(found.isQuoted) << text;
        EXPECT_EQ(found.textId.view(), "7") << text;
        EXPECT_EQ(std::string_view(text).substr(found.idOffset, found.idSize), "7") << text;
        EXPECT_EQ(found.state, MessageState::delivered) << text;
    }
    const std::string text = "text:Hello id:7 stat:DELIVRD";
    EXPECT_EQ(readForm(wide(text), 8).idOffset, 28u);
    EXPECT_EQ(readForm(wide(text).substr(1) + '\0', 8).idOffset, 28u) << "little-endian";
}

TEST(ReceiptForms, OfAnIdInItsParameterQuotesNoOther) {
    const TextSample other(0x05, 0x04, 0, "text:Hello id:8 stat:DELIVRD", "\0\x1E\0\2"s + "7\0"s);
    const auto found = receiptOf(other.pdu());
    ASSERT_TRUE(found);
    EXPECT_EQ(found->id(), "7");
    EXPECT_FALSE(found->hasTextId());
    const TextSample same(0x05, 0x04, 0, "text:Hello id:7 stat:DELIVRD", "\0\x1E\0\2"s + "7\0"s);
    EXPECT_TRUE(receiptOf(same.pdu())->hasTextId()) << "so that ours is put in both places";
}

TEST(ReceiptForms, MayBeWrittenAsInAUrl) {
    for (const char* text :
         {"id%3AA7 stat%3ADELIVRD", "id%3aA7%20sub%3a001%20stat%3aDELIVRD",
          "sub%3A001%20id%3AA7%20stat%3ADELIVRD%20text%3Aid%3A8", "id:A7%20stat:DELIVRD"}) {
        const Receipt found = readForm(text);
        EXPECT_EQ(found.textId.view(), "A7") << text;
        EXPECT_EQ(std::string_view(text).substr(found.idOffset, found.idSize), "A7") << text;
        EXPECT_EQ(found.state, MessageState::delivered) << text;
    }
    EXPECT_EQ(readForm("id:50%3 stat:DELIVRD").textId.view(), "50%3");
}

TEST(ReceiptForms, MayBeginWithAnotherField) {
    const Receipt found = readForm("sub:001 dlvrd:001 stat:DELIVRD err:000 id:A7 text:Hello");
    EXPECT_EQ(found.textId.view(), "A7");
    EXPECT_FALSE(found.isQuoted);
}

TEST(ReceiptForms, StepsOverAByteOrderMark) {
    std::string littleEndian = "\xFF\xFE";
    for (const char letter : "id:A7 stat:DELIVRD"s) littleEndian += {letter, '\0'};
    const std::string header = "\5\0\3\1\2\1"s;
    const std::string utf8 = "\xEF\xBB\xBFid:A7 stat:DELIVRD";
    for (const std::uint8_t coding : {std::uint8_t{0}, std::uint8_t{8}}) {
        EXPECT_EQ(readForm("\xFE\xFF" + wide("id:A7 stat:DELIVRD"), coding).idOffset, 8u);
        EXPECT_EQ(readForm(littleEndian, coding).idOffset, 8u);
        EXPECT_EQ(readForm(utf8, coding).idOffset, 6u);
        EXPECT_EQ(readForm(utf8, coding, 0x44).idOffset, 6u) << "it has no header";
        EXPECT_EQ(readForm(header + utf8, coding, 0x44).idOffset, 12u);
    }
}

TEST(ReceiptForms, MayBeInLittleEndianUcs2) {
    std::string text;
    for (const char letter : "id:A7 stat:EXPIRED"s) text += {letter, '\0'};
    const Receipt found = readForm(text, 8);
    EXPECT_EQ(found.textId.view(), "A7");
    EXPECT_EQ(found.idOffset, 6u);
    EXPECT_EQ(nio::asText(idOctets("A7", found.form)),
              "A\0"
              "7\0"s);
}

TEST(ReceiptForms, ReadsParametersOfOtherLengths) {
    const auto with = [](std::string_view tlvs) {
        const TextSample sample(0x05, 0x04, 0, "id:7", tlvs);
        return receiptOf(sample.pdu()).value_or(Receipt());
    };
    for (const std::string& state :
         {"\4\x27\0\4\0\0\0\5"s, "\4\x27\0\4\5\0\0\0"s, "\4\x27\0\x8UNDELIV\0"s,
          "\4\x27\0\1"
          "5"s,
          "\4\x27\0\2"
          "5\0"s,
          "\4\x27\0\2"
          "05"s}) {
        EXPECT_EQ(with(state).state, MessageState::undeliverable) << state;
    }
    EXPECT_EQ(with("\4\x23\0\2\3\1"s).error.view(), "769");
    EXPECT_EQ(with("\4\x23\0\4\0\0\3\1"s).error.view(), "769");
    EXPECT_EQ(with("\4\x23\0\7"s + "003000\0"s).error.view(), "003000");
    const TextSample padded(0x05, 0x04, 0, "id:7", "\0\x1E\0\4"s + "9 \0\0"s);
    EXPECT_EQ(receiptOf(padded.pdu()).value_or(Receipt()).id(), "9");
    const TextSample blank(0x05, 0x04, 0, "id:7", "\0\x1E\0\6"s + " \t9 \r\n");
    EXPECT_EQ(receiptOf(blank.pdu()).value_or(Receipt()).id(), "9");
    const TextSample behindNuls(0x05, 0x04, 0, "id:7", "\0\x1E\0\4"s + "\0\0"s + "9\0"s);
    EXPECT_EQ(receiptOf(behindNuls.pdu()).value_or(Receipt()).id(), "9");
    const TextSample empty(0x05, 0x04, 0, "id:7", "\0\x1E\0\0"s);
    EXPECT_EQ(receiptOf(empty.pdu()).value_or(Receipt()).textId.view(), "7");
}

TEST(ReceiptForms, TakeNoOctetsForAnId) {
    const std::string number = "\0\x1E\0\4\0\1\xE2\x40"s;
    EXPECT_EQ(idIn("id:123456", number), "123456");
    EXPECT_EQ(idIn("stat:DELIVRD", number), "");
    const std::string wideId = "\0\x1E\0\6"s + wide("179");
    EXPECT_EQ(idIn("stat:DELIVRD", wideId), "179");
    EXPECT_EQ(idIn("stat:DELIVRD text:to ID CARD office", wideId), "179");
    const TextSample twoIds(0x05, 0x04, 0, "id:179", wideId);
    EXPECT_EQ(receiptOf(twoIds.pdu()).value_or(Receipt()).idOffset, 3u);
    const std::string littleEndian = "\0\x1E\0\x8"s +
                                     "1\0"
                                     "7\0"
                                     "9\0"
                                     "\0\0"s;
    EXPECT_EQ(idIn("stat:DELIVRD", littleEndian), "179");
    EXPECT_EQ(idIn("stat:DELIVRD", "\0\x1E\0\6"s + "17\0xyz"s), "17");
}

TEST(ReceiptForms, MayBeOneByItsTextAndAParameter) {
    const std::string id = "\0\x1E\0\3"s + "17\0"s;
    const TextSample sample(0x05, 0x00, 0, "stat:DELIVRD err:000", id);
    const Receipt found = receiptOf(sample.pdu()).value_or(Receipt());
    EXPECT_EQ(found.id(), "17");
    EXPECT_FALSE(found.isMarked);
    EXPECT_EQ(found.state, MessageState::delivered);
    EXPECT_EQ(idIn("id:18 stat:EXPIRED", id, 0x00), "17");
    EXPECT_EQ(idIn("Yes, please", id, 0x00), "");
    EXPECT_EQ(idIn("", id, 0x00), "");
}

}  // namespace
}  // namespace smpp
