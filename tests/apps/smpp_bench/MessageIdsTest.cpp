#include "smpp_bench/MessageIds.h"

#include <gtest/gtest.h>

namespace {

using smppbench::IdForm;
using smppbench::idForms;
using smppbench::readId;
using smppbench::writeId;

TEST(MessageIds, HaveTheFormsOfRealMessageCentres) {
    constexpr std::uint64_t number = 0x1A2B3C;
    EXPECT_EQ(writeId(number, IdForm::decimal), "1715004");
    EXPECT_EQ(writeId(number, IdForm::hex), "1a2b3c");
    EXPECT_EQ(writeId(number, IdForm::hexUpper), "1A2B3C");
    EXPECT_EQ(writeId(number, IdForm::padded), "00000000000001715004");
    EXPECT_EQ(writeId(number, IdForm::uuid), "00000000-0000-4000-8000-0000001a2b3c");
}

TEST(MessageIds, AreReadBackInEveryForm) {
    for (const auto& [name, form] : idForms()) {
        EXPECT_EQ(readId(writeId(0x19873C2D5BB, form), form), 0x19873C2D5BBu) << name;
    }
}

TEST(MessageIds, OfAnotherFormAreNotRead) {
    EXPECT_EQ(readId("1a2b", IdForm::decimal), std::nullopt);
    EXPECT_EQ(readId("12 ", IdForm::decimal), std::nullopt);
    EXPECT_EQ(readId("", IdForm::hex), std::nullopt);
    EXPECT_EQ(readId("1a2b3c", IdForm::uuid), std::nullopt);
}

}  // namespace
