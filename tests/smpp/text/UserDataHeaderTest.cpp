#include <vector>

#include <smpp/text/UserDataHeader.h>

#include "TextTesting.h"

namespace smpp {

namespace {

using namespace smpp::smpptest;

std::vector<std::pair<int, std::string>> elementsOf(std::string_view message) {
    std::vector<std::pair<int, std::string>> elements;
    for (const UserDataElement& element : UserDataHeader(nio::asBytes(message)))
        elements.emplace_back(element.identifier, nio::asText(element.value));
    return elements;
}

using Elements = std::vector<std::pair<int, std::string>>;

TEST(UserDataHeader, GivesItsElementsInTheirOrder) {
    EXPECT_EQ(elementsOf("\x08\x24\x01\x01\x00\x03\x07\x02\x01rest"s),
              (Elements{{0x24, "\x01"}, {0x00, "\x07\x02\x01"}}));
}

TEST(UserDataHeader, HasElementsWithoutAValue) {
    EXPECT_EQ(elementsOf("\x04\x70\x00\x71\x00"s), (Elements{{0x70, ""}, {0x71, ""}}));
}

TEST(UserDataHeader, EndsAtAnElementThatDoesNotFit) {
    EXPECT_EQ(elementsOf("\x06\x24\x01\x01\x00\x09\x07rest of it"s), (Elements{{0x24, "\x01"}}));
    EXPECT_EQ(elementsOf("\x04\x24\x01\x01\x00rest"s), (Elements{{0x24, "\x01"}}));
}

TEST(UserDataHeader, OfNoOctetsHasNoElements) {
    EXPECT_EQ(elementsOf(""), Elements{});
    EXPECT_EQ(elementsOf("\0rest"s), Elements{});
}

TEST(UserDataHeader, CountsItsLengthOctet) {
    EXPECT_EQ(UserDataHeader(nio::asBytes("\x03\x24\x01\x01rest"s)).size(), 4u);
    EXPECT_EQ(UserDataHeader(nio::asBytes("\0rest"s)).size(), 1u);
}

TEST(UserDataHeader, LongerThanTheMessageIsNone) {
    const std::string message = "\x05\x24\x01\x01\x00"s;
    EXPECT_EQ(UserDataHeader(nio::asBytes(message)).size(), 0u);
    EXPECT_EQ(elementsOf(message), Elements{});
}

TEST(UserDataHeader, IsThereOnlyIfEsmClassSaysSo) {
    const std::string message = "\x03\x24\x01\x01rest"s;
    EXPECT_EQ(UserDataHeader(TextSample(0x05, 0x40, 0, message).pdu()).size(), 4u);
    EXPECT_EQ(UserDataHeader(TextSample(0x05, 0x44, 0, message).pdu()).size(), 4u);
    EXPECT_EQ(UserDataHeader(TextSample(0x05, 0x04, 0, message).pdu()).size(), 0u);
}

}  // namespace

namespace {

using namespace smpp::smpptest;

std::optional<Concatenation> ofUdh(std::string_view message, std::uint8_t esmClass = 0x40) {
    return concatenationOf(TextSample(0x04, esmClass, 0, message).pdu());
}

std::optional<Concatenation> ofTlvs(std::string_view tlvs) {
    return concatenationOf(TextSample(0x04, 0, 0, "text", tlvs).pdu());
}

void expectPart(const std::optional<Concatenation>& found, std::uint32_t reference, unsigned total,
                unsigned part) {
    ASSERT_TRUE(found);
    EXPECT_EQ(found->reference, reference);
    EXPECT_EQ(found->total, total);
    EXPECT_EQ(found->part, part);
}

TEST(Concatenation, IsReadFromAReferenceOfEightBits) {
    expectPart(ofUdh("\x05\x00\x03\xA7\x03\x02text"s), 0xA7, 3, 2);
}

TEST(Concatenation, IsReadFromAReferenceOfSixteenBits) {
    expectPart(ofUdh("\x06\x08\x04\x12\x34\xFF\x01text"s), 0x1234, 255, 1);
}

TEST(Concatenation, IsNotReadFromAnElementOfAnotherLength) {
    EXPECT_FALSE(ofUdh("\x05\x08\x03\x12\x34\x01text"s));
    EXPECT_FALSE(ofUdh("\x06\x00\x04\x12\x34\x02\x01text"s));
}

TEST(Concatenation, IsFoundBehindOtherElements) {
    // Ports first, then the reference.
    expectPart(ofUdh("\x0B\x05\x04\x0B\x84\x23\xF0\x00\x03\x01\x02\x02text"s), 1, 2, 2);
}

TEST(Concatenation, OfSeveralTheLastCounts) {
    expectPart(ofUdh("\x0A\x00\x03\x01\x02\x02\x00\x03\x09\x04\x03text"s), 9, 4, 3);
}

TEST(Concatenation, IsNoneWithoutTheIndicator) {
    EXPECT_FALSE(ofUdh("\x05\x00\x03\xA7\x03\x02text"s, 0x00));
}

TEST(Concatenation, IsNoneWithSenselessParts) {
    EXPECT_FALSE(ofUdh("\x05\x00\x03\xA7\x03\x00text"s));
    EXPECT_FALSE(ofUdh("\x05\x00\x03\xA7\x03\x04text"s));
    EXPECT_FALSE(ofUdh("\x05\x00\x03\xA7\x00\x00text"s));
}

TEST(Concatenation, IsNoneInAHeaderThatIsCut) {
    EXPECT_FALSE(ofUdh(""));
    EXPECT_FALSE(ofUdh("\x05"s));
    EXPECT_FALSE(ofUdh("\x05\x00\x03\xA7\x03"s));
    EXPECT_FALSE(ofUdh("\x04\x00\x03\xA7\x03\x02"s));
    EXPECT_FALSE(ofUdh("\x05\x00\x02\xA7\x03\x02"s));
    EXPECT_FALSE(ofUdh("\xFF\x00\x03\xA7\x03\x02text"s));
}

TEST(Concatenation, IsReadFromTheSarParametersInAnyOrder) {
    expectPart(ofTlvs("\x02\x0C\x00\x02\x12\x34\x02\x0E\x00\x01\x03\x02\x0F\x00\x01\x02"s), 0x1234,
               3, 2);
    expectPart(ofTlvs("\x02\x0F\x00\x01\x01\x02\x0E\x00\x01\x02\x02\x0C\x00\x02\x00\x07"s), 7, 2,
               1);
}

TEST(Concatenation, IsReadFromSarParametersOfOtherLengths) {
    expectPart(ofTlvs("\x02\x0C\x00\x01\x12\x02\x0E\x00\x01\x03\x02\x0F\x00\x01\x02"s), 0x12, 3, 2);
    const std::string reference = "\x02\x0C\x00\x04\x01\x02\x03\x04"s;
    const std::string parts = "\x02\x0E\x00\x02\x00\x03\x02\x0F\x00\x04\x00\x00\x00\x02"s;
    expectPart(ofTlvs(reference + parts), 0x01020304, 3, 2);
    EXPECT_FALSE(ofTlvs("\x02\x0C\x00\x00\x02\x0E\x00\x01\x03\x02\x0F\x00\x01\x02"s));
    EXPECT_FALSE(ofTlvs("\x02\x0C\x00\x01\x07\x02\x0E\x00\x02\x01\x00\x02\x0F\x00\x01\x02"s));
}

TEST(Concatenation, NeedsAllThreeSarParameters) {
    EXPECT_FALSE(ofTlvs("\x02\x0C\x00\x02\x12\x34\x02\x0E\x00\x01\x03"s));
    EXPECT_FALSE(ofTlvs("\x02\x0E\x00\x01\x03\x02\x0F\x00\x01\x02"s));
    EXPECT_FALSE(ofTlvs("\x02\x0C\x00\x02\x12\x34\x02\x0F\x00\x01\x02"s));
    EXPECT_FALSE(ofTlvs(""));
}

TEST(Concatenation, IsReadFromTheHeaderInAMessagePayload) {
    const std::string payload = "\x04\x24\x00\x0A\x05\x00\x03\xA7\x03\x02text"s;
    expectPart(concatenationOf(TextSample(0x103, 0x40, 0, "", payload).pdu()), 0xA7, 3, 2);
}

}  // namespace

}  // namespace smpp
