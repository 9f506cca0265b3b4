#include <smpp/text/UserDataHeader.h>

#include <vector>

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
}  // namespace smpp
