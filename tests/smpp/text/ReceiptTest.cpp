#include <smpp/text/Receipt.h>

#include "TextTesting.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

constexpr std::uint32_t deliverSm = 0x05;
constexpr std::uint32_t dataSm = 0x103;
constexpr std::uint8_t receipt = 0x04;

constexpr std::string_view byTheBook =
    "id:0123456789 sub:001 dlvrd:001 submit date:0902051200 done date:0902051201 stat:DELIVRD "
    "err:000 text:Hello";

Receipt read(std::string_view text, std::uint8_t coding = 0, std::uint8_t esmClass = receipt) {
    const TextSample sample(deliverSm, esmClass, coding, text);
    const auto found = receiptOf(sample.pdu());
    if (!found) {
        ADD_FAILURE() << "no receipt: " << text;
        return {};
    }
    return *found;
}

bool isNone(std::string_view text, std::uint8_t esmClass = receipt) {
    return !receiptOf(TextSample(deliverSm, esmClass, 0, text).pdu());
}

TEST(Receipt, IsReadAsAppendixBWritesIt) {
    const Receipt found = read(byTheBook);
    EXPECT_EQ(found.textId.view(), "0123456789");
    EXPECT_EQ(found.id(), "0123456789");
    EXPECT_EQ(found.idOffset, 3u);
    EXPECT_EQ(found.idSize, 10u);
    EXPECT_EQ(found.form, Receipt::Form::octets);
    EXPECT_EQ(found.state, MessageState::delivered);
    EXPECT_TRUE(found.final);
    EXPECT_EQ(found.error.view(), "000");
    EXPECT_TRUE(found.tlvId.empty());
}

TEST(Receipt, TakesKeywordsInAnyCaseAndOrder) {
    const Receipt found = read("STAT:expired Err:12 Sub:1 ID:aB-7 Text:x");
    EXPECT_EQ(found.textId.view(), "aB-7");
    EXPECT_EQ(found.idOffset, 29u);
    EXPECT_EQ(found.state, MessageState::expired);
    EXPECT_EQ(found.error.view(), "12");
}

TEST(Receipt, DoesWithoutAnyOfTheOtherParts) {
    const Receipt found = read("id:7");
    EXPECT_EQ(found.textId.view(), "7");
    EXPECT_FALSE(found.state);
    EXPECT_FALSE(found.final);
    EXPECT_TRUE(found.error.empty());
}

TEST(Receipt, TakesOnlyTheFirstOfTwoErrors) {
    EXPECT_EQ(read("id:7 err:012 err:034").error.view(), "012");
}

TEST(Receipt, CutsWordsThatAreTooLong) {
    const Receipt found = read("id:7 stat:DELIVRDWITHALOTOFLETTERSBEHIND err:1234567890123456789");
    EXPECT_EQ(found.state, MessageState::delivered);
    EXPECT_EQ(found.error.view(), std::string_view("1234567890123456789", found.error.maximum));
}

TEST(Receipt, EndsAnIdAtAnyBlank) {
    for (const char* text : {"id:77\tsub:1", "id:77\r\nsub:1", " id:77\nsub:1", "\r\nid:77"})
        EXPECT_EQ(read(text).textId.view(), "77") << text;
    EXPECT_EQ(read("id:77\0sub:1"s).textId.view(), "77");
}

TEST(Receipt, EndsAnIdAtACommaOrASemicolon) {
    for (const char* text : {"id:77,sub:001,stat:DELIVRD,err:000", "id:77;sub:001;stat:DELIVRD;",
                             "sub:001, id:77, stat:DELIVRD"}) {
        const Receipt found = read(text);
        EXPECT_EQ(found.textId.view(), "77") << text;
        EXPECT_EQ(std::string_view(text).substr(found.idOffset, found.idSize), "77");
        EXPECT_EQ(found.state, MessageState::delivered) << text;
    }
}

TEST(Receipt, KnowsACommaWithinAnIdFromOneBehindIt) {
    EXPECT_EQ(read("id:12;1 sub:001").textId.view(), "12;1");
    EXPECT_EQ(read("id:12,ab,stat:DELIVRD").textId.view(), "12,ab");
    EXPECT_EQ(read("id:12,submit date:2401010000").textId.view(), "12");
    EXPECT_EQ(read("id:12,destaddr:491700000001,stat:DELIVRD").textId.view(), "12");
    EXPECT_EQ(read("id:12,dest_addr=491700000001,stat:DELIVRD").textId.view(), "12");
    EXPECT_EQ(read("id:12,,stat:DELIVRD").textId.view(), "12");
    for (const char* id : {"12,ab", "12,{ab:c}", "12,=123"})
        EXPECT_EQ(read(std::string("id:") + id).textId.view(), id);
}

TEST(Receipt, TakesNoKeywordForAValue) {
    EXPECT_TRUE(isNone("id= sub:001"));
    EXPECT_TRUE(isNone("id: sub=001"));
}

TEST(Receipt, TakesAValueOutOfItsQuotes) {
    const Receipt found = read("id:\"77\" stat:\"DELIVRD\" err:\"012\"");
    EXPECT_EQ(found.textId.view(), "77");
    EXPECT_EQ(found.idOffset, 4u);
    EXPECT_EQ(found.idSize, 2u);
    EXPECT_EQ(found.state, MessageState::delivered);
    EXPECT_EQ(found.error.view(), "012");
    const Receipt two = read(wide("id: \"77\",stat:DELIVRD"), 8);
    EXPECT_EQ(two.textId.view(), "77");
    EXPECT_EQ(two.idOffset, 10u);
    EXPECT_EQ(two.idSize, 4u);
    EXPECT_EQ(read("id:\"77").textId.view(), "\"77") << "an id that begins with a quote";
    EXPECT_TRUE(isNone("id:\"\" stat:DELIVRD"));
}

TEST(Receipt, AllowsAnEqualsSignForAColon) {
    const Receipt found = read("id=77 stat=EXPIRED err=9 text=id=8");
    EXPECT_EQ(found.textId.view(), "77");
    EXPECT_EQ(found.idOffset, 3u);
    EXPECT_EQ(found.state, MessageState::expired);
    EXPECT_EQ(found.error.view(), "9");
    EXPECT_EQ(read("id: aGk= stat: DELIVRD").textId.view(), "aGk=");
    EXPECT_TRUE(isNone("id= sub=001"));
}

TEST(Receipt, AllowsABlankBehindTheColon) {
    const Receipt found = read("id: 77 stat: REJECTD err:");
    EXPECT_EQ(found.textId.view(), "77");
    EXPECT_EQ(found.idOffset, 4u);
    EXPECT_EQ(found.idSize, 2u);
    EXPECT_EQ(found.state, MessageState::rejected);
}

TEST(Receipt, DoesNotTakeTheNextKeywordForAnEmptyId) {
    EXPECT_TRUE(isNone("id: sub:001 stat:DELIVRD"));
    EXPECT_TRUE(isNone("id:"));
}

TEST(Receipt, DoesNotLookAtWhatAUserWrote) {
    const Receipt found = read("id:7 stat:DELIVRD text:id:8 stat:EXPIRED err:9");
    EXPECT_EQ(found.textId.view(), "7");
    EXPECT_EQ(found.state, MessageState::delivered);
    EXPECT_TRUE(found.error.empty());
    EXPECT_FALSE(found.isQuoted);
    EXPECT_TRUE(isNone("stat:DELIVRD text:id:8", 0));
    EXPECT_TRUE(isNone("TEXT: id:8 stat:DELIVRD", 0));
}

TEST(Receipt, TakesOnlyTheFirstOfTwoIds) {
    EXPECT_EQ(read("id:7 id:8").textId.view(), "7");
}

TEST(Receipt, TakesAKeywordOnlyWhereAWordBegins) {
    EXPECT_EQ(read("paid:5 id:7").textId.view(), "7");
    EXPECT_TRUE(isNone("paid:5 void:6"));
}

TEST(Receipt, TakesAnIdAsLongAsAShortMessage) {
    const std::string longest(251, 'a');
    EXPECT_EQ(read("id:" + longest).textId.view(), longest);
}

TEST(Receipt, OfNoIdIsNone) {
    EXPECT_TRUE(isNone(""));
    EXPECT_TRUE(isNone("Hello"));
    EXPECT_TRUE(isNone("stat:DELIVRD"));
}

TEST(Receipt, KnowsTheWordsOfAllStates) {
    struct Row {
        std::string word;
        MessageState state;
        bool final;
    };
    const Row rows[] = {
        {"ENROUTE", static_cast<MessageState>(1), false},
        {"DELIVRD", static_cast<MessageState>(2), true},
        {"EXPIRED", static_cast<MessageState>(3), true},
        {"DELETED", static_cast<MessageState>(4), true},
        {"UNDELIV", static_cast<MessageState>(5), true},
        {"ACCEPTD", static_cast<MessageState>(6), false},
        {"UNKNOWN", static_cast<MessageState>(7), true},
        {"REJECTD", static_cast<MessageState>(8), true},
    };
    for (const Row& row : rows) {
        const Receipt found = read("id:1 stat:" + row.word);
        EXPECT_EQ(found.state, row.state) << row.word;
        EXPECT_EQ(found.final, row.final) << row.word;
        EXPECT_EQ(nameOf(row.state), row.word);
    }
}

TEST(Receipt, KnowsStatesThatAreSpelledOut) {
    EXPECT_EQ(messageStateNamed("Delivered"), MessageState::delivered);
    EXPECT_EQ(messageStateNamed("undeliverable"), MessageState::undeliverable);
    EXPECT_EQ(messageStateNamed("accepted"), MessageState::accepted);
    EXPECT_EQ(messageStateNamed("rejected"), MessageState::rejected);
    EXPECT_FALSE(messageStateNamed("BUFFERED"));
    EXPECT_FALSE(messageStateNamed("DEL"));
    EXPECT_FALSE(messageStateNamed(""));
}

TEST(Receipt, IsReadInUcs2) {
    const Receipt found = read(wide("id:A7 stat:UNDELIV err:5 text:id:9"), 8);
    EXPECT_EQ(found.textId.view(), "A7");
    EXPECT_EQ(found.form, Receipt::Form::ucs2);
    EXPECT_EQ(found.idOffset, 6u);
    EXPECT_EQ(found.idSize, 4u);
    EXPECT_EQ(found.state, MessageState::undeliverable);
    EXPECT_EQ(found.error.view(), "5");
}

TEST(Receipt, IsReadInUcs2OfAnOddNumberOfOctets) {
    EXPECT_EQ(read(wide("id:A7") + '\0', 8).textId.view(), "A7");
    EXPECT_EQ(read(wide("id:A7") + "\x04\x12"s + wide(" x"), 8).textId.view(), "A7\x7F");
}

TEST(Receipt, IsReadWhereDataCodingIsWrong) {
    const Receipt ascii = read(byTheBook, 8);
    EXPECT_EQ(ascii.form, Receipt::Form::octets);
    EXPECT_EQ(ascii.idOffset, 3u);
    EXPECT_EQ(ascii.state, MessageState::delivered);
    const Receipt ucs2 = read(wide("id:A7 stat:EXPIRED"), 0);
    EXPECT_EQ(ucs2.form, Receipt::Form::ucs2);
    EXPECT_EQ(ucs2.idOffset, 6u);
    EXPECT_EQ(ucs2.state, MessageState::expired);
}

TEST(Receipt, CountsAUserDataHeaderInTheOffset) {
    const Receipt found = read("\x05\x00\x03\x01\x02\x01id:A7 stat:DELIVRD"s, 0, 0x44);
    EXPECT_EQ(found.textId.view(), "A7");
    EXPECT_EQ(found.idOffset, 9u);
}

TEST(Receipt, MaySayThatItHasAUserDataHeaderAndHaveNone) {
    const Receipt found = read(byTheBook, 0, 0x44);
    EXPECT_EQ(found.textId.view(), "0123456789");
    EXPECT_EQ(found.idOffset, 3u);
    EXPECT_EQ(found.state, MessageState::delivered);
    const Receipt later = read(std::string("sub:001 ") + std::string(byTheBook), 0, 0x44);
    EXPECT_EQ(later.idOffset, 11u);
    EXPECT_EQ(read(wide("id:A7 stat:EXPIRED"), 8, 0x44).idOffset, 6u);
}

TEST(Receipt, WithoutItsAnnouncedHeaderEndsBeforeUserText) {
    const Receipt found = read(std::string(byTheBook) + " to all id:77 stat:EXPIRED", 0, 0x44);
    EXPECT_EQ(found.textId.view(), "0123456789");
    EXPECT_EQ(found.state, MessageState::delivered);
}

TEST(Receipt, PrefersTheParametersToTheText) {
    const std::string tlvs =
        "\x00\x1E\x00\x04"s + "1A2\0"s + "\x04\x27\x00\x01\x05"s + "\x04\x23\x00\x03\x03\x01\x02"s;
    const TextSample sample(deliverSm, receipt, 0, "id:418 stat:DELIVRD err:7", tlvs);
    const auto found = receiptOf(sample.pdu());
    ASSERT_TRUE(found);
    EXPECT_EQ(found->tlvId, "1A2");
    EXPECT_EQ(found->id(), "1A2");
    EXPECT_EQ(found->textId.view(), "418");
    EXPECT_EQ(found->state, MessageState::undeliverable);
    EXPECT_EQ(found->error.view(), "7");
}

TEST(Receipt, DecidesBetweenContradictingStates) {
    struct Row {
        std::optional<int> parameter;
        std::string word;
        std::optional<int> state;
        bool final;
    };
    const Row rows[] = {
        {std::nullopt, "", std::nullopt, false},
        {std::nullopt, "DELIVRD", 2, true},
        {std::nullopt, "ENROUTE", 1, false},
        {std::nullopt, "BUFFRED", std::nullopt, false},
        {2, "", 2, true},
        {2, "ENROUTE", 2, true},  // a final parameter counts
        {2, "UNDELIV", 2, true},  // so it does where both are final
        {5, "DELIVRD", 5, true},
        {8, "ACCEPTD", 8, true},
        {2, "FAILED", 2, true},
        {1, "DELIVRD", 2, true},  // a final text before what is not
        {1, "EXPIRED", 3, true},
        {1, "UNKNOWN", 7, true},
        {6, "UNDELIV", 5, true},
        {6, "REJECTD", 8, true},
        {1, "ACCEPTD", 1, false},  // neither is final
        {6, "ENROUTE", 6, false},
        {1, "FAILED", 1, false},  // no state that SMPP knows
        {0, "", 0, false},
        {0, "ACCEPTD", 6, false},  // 0 says nothing
        {0, "ENROUTE", 1, false},
        {0, "UNDELIV", 5, true},
        {0, "DELIVRD", 2, true},
        {10, "DELIVRD", 2, true},  // nor does what no version knows
        {99, "ENROUTE", 1, false},
        {255, "FAILED", 255, false},
        {9, "ENROUTE", 9, true},  // SKIPPED, of 5.0
    };
    for (const Row& row : rows) {
        const std::string text = "id:7" + (row.word.empty() ? "" : " stat:" + row.word);
        const std::string tlv =
            row.parameter ? "\x04\x27\x00\x01"s + static_cast<char>(*row.parameter) : "";
        const auto found = receiptOf(TextSample(deliverSm, receipt, 0, text, tlv).pdu());
        ASSERT_TRUE(found);
        const std::string where = std::to_string(row.parameter.value_or(-1)) + " " + row.word;
        EXPECT_EQ(found->state,
                  row.state ? std::optional(static_cast<MessageState>(*row.state)) : std::nullopt)
            << where;
        EXPECT_EQ(found->final, row.final) << where;
    }
}

TEST(Receipt, ReadsTheDoneDate) {
    EXPECT_EQ(read(byTheBook).doneDate.view(), "0902051201");
    EXPECT_EQ(read("id:7 submitdate:1 donedate:200101010000 stat:X").doneDate.view(),
              "200101010000");
    EXPECT_EQ(read("ID:7 SUBMIT DATE:1\r\nDONE DATE: 200101010000012+ x").doneDate.view(),
              "200101010000012+");
    EXPECT_EQ(read("id:7;submit date:1;done date:2;stat:DELIVRD").doneDate.view(), "2");
    EXPECT_EQ(read("id:7 submit date:1").doneDate.view(), "");
    EXPECT_EQ(read("id:7 text:done date:1").doneDate.view(), "");
}

TEST(Receipt, KeepsTheWordOfItsState) {
    EXPECT_EQ(read("id:7 stat:BUFFRED").stateWord.view(), "BUFFRED");
    EXPECT_EQ(read("id:7 stat:x stat:DELIVRD stat:EXPIRED").stateWord.view(), "DELIVRD");
}

TEST(Receipt, IsReadFromTheParametersAloneInADataSm) {
    const std::string tlvs =
        "\x00\x1E\x00\x04"s + "1A2\0"s + "\x04\x27\x00\x01\x02"s + "\x04\x23\x00\x03\x03\x01\x02"s;
    const TextSample sample(dataSm, receipt, 0, "", tlvs);
    const auto found = receiptOf(sample.pdu());
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->hasTextId());
    EXPECT_EQ(found->id(), "1A2");
    EXPECT_EQ(found->state, MessageState::delivered);
    EXPECT_TRUE(found->final);
    EXPECT_EQ(found->error.view(), "258");
}

TEST(Receipt, IsReadFromAMessagePayload) {
    const std::string payload = "\x04\x24\x00\x05id:A7"s;
    const auto found = receiptOf(TextSample(deliverSm, receipt, 0, "", payload).pdu());
    ASSERT_TRUE(found);
    EXPECT_EQ(found->textId.view(), "A7");
    EXPECT_EQ(found->idOffset, 3u);
}

TEST(Receipt, OfAnIntermediateNotificationIsNotFinal) {
    const Receipt found = read("id:7 stat:UNDELIV", 0, 0x20);
    EXPECT_EQ(found.state, MessageState::undeliverable);
    EXPECT_FALSE(found.final);
}

TEST(Receipt, NeedsEsmClassOrBothParameters) {
    const std::string id = "\x00\x1E\x00\x04"s + "1A2\0"s, state = "\x04\x27\x00\x01\x05"s;
    EXPECT_FALSE(isReceipt(TextSample(deliverSm, 0, 0, "id:7", id).pdu()));
    EXPECT_FALSE(isReceipt(TextSample(deliverSm, 0, 0, "id:7", state).pdu()));
    for (const unsigned esmClass : {0x00u, 0x08u, 0x0Cu, 0x10u, 0x18u, 0x40u}) {
        const auto type = static_cast<std::uint8_t>(esmClass);
        const TextSample sample(deliverSm, type, 0, "id:7", id + state);
        const bool isAcknowledgement = (type & 0x3C) != 0;
        EXPECT_EQ(isReceipt(sample.pdu()), !isAcknowledgement) << esmClass;
        EXPECT_EQ(receiptOf(sample.pdu()).has_value(), !isAcknowledgement) << esmClass;
    }
}

TEST(Receipt, OfAStateThatNobodyKnowsKeepsItsNumber) {
    const auto found =
        receiptOf(TextSample(deliverSm, receipt, 0, "id:7", "\x04\x27\x00\x01\x63"s).pdu());
    ASSERT_TRUE(found && found->state);
    EXPECT_EQ(static_cast<int>(*found->state), 99);
    EXPECT_EQ(nameOf(*found->state), "UNKNOWN");
}

TEST(Receipt, IsWhatEsmClassSaysIs) {
    for (unsigned esmClass = 0; esmClass < 256; ++esmClass) {
        const TextSample sample(deliverSm, static_cast<std::uint8_t>(esmClass), 0, "\0id:7"s);
        const unsigned type = esmClass & 0x3C;
        EXPECT_EQ(isReceipt(sample.pdu()), type == 0x04 || type == 0x20 || type == 0x24)
            << esmClass;
    }
    EXPECT_FALSE(isReceipt(TextSample(0x04, receipt, 0, "id:7").pdu()));
    EXPECT_TRUE(read(byTheBook).isMarked);
}

TEST(Receipt, WritesAnIdInTheFormOfItsText) {
    EXPECT_EQ(idOctets("A7", Receipt::Form::octets), octetsOf({0x41, 0x37}));
    EXPECT_EQ(idOctets("A7", Receipt::Form::ucs2), octetsOf({0x00, 0x41, 0x00, 0x37}));
}

}  // namespace
}  // namespace smpp
