#include <smpp/text/MessageIdKey.h>

#include <vector>

#include <gtest/gtest.h>

namespace smpp {
namespace {

using Keys = std::vector<std::string>;

Keys alternatives(std::string_view id) {
    const AlternativeKeys keys = alternativeKeys(id);
    return {keys.begin(), keys.end()};
}

TEST(MessageIdKey, IsLowerCaseWithoutLeadingZeros) {
    EXPECT_EQ(exactKey("00AB12cd"), "ab12cd");
    EXPECT_EQ(exactKey("12345"), "12345");
    EXPECT_EQ(exactKey("100"), "100");
}

TEST(MessageIdKey, OfZerosAloneIsOneZero) {
    EXPECT_EQ(exactKey("0"), "0");
    EXPECT_EQ(exactKey("0000"), "0");
}

TEST(MessageIdKey, OfNothingIsNothing) {
    EXPECT_EQ(exactKey(""), "");
    EXPECT_TRUE(alternativeKeys("").empty());
}

TEST(MessageIdKey, KeepsTheDashesOfAUuid) {
    EXPECT_EQ(exactKey("F47AC10B-58CC-4372-A567-0E02B2C3D479"),
              "f47ac10b-58cc-4372-a567-0e02b2c3d479");
    EXPECT_TRUE(alternativeKeys("f47ac10b-58cc-4372-a567-0e02b2c3d479").empty());
}

TEST(MessageIdKey, LeavesOutWhatIsWrittenAroundTheId) {
    for (const char* id :
         {"4711 ", " 4711", "4711\r\n", "\"4711\"", "'4711'", "<4711>", "[4711]", "4711.", "+4711",
          "0x4711", "0X004711", " [0x4711].", "(4711)", "#4711", "*4711*", "`4711`"})
        EXPECT_EQ(exactKey(id), "4711") << id;
    EXPECT_EQ(exactKey("a.b+c=="), "a.b+c==");
    EXPECT_EQ(exactKey("0x"), "x");
    EXPECT_EQ(exactKey("..."), "...");
}

TEST(MessageIdKey, LeavesOutTheBlanksInTheId) {
    for (const char* id : {"47 11", "4 7 1 1", "47\t11", "00 47 11", "<47 11>"})
        EXPECT_EQ(exactKey(id), "4711") << id;
}

TEST(MessageIdKey, OfAKeyIsTheKeyItself) {
    for (const char* id :
         {"0 x 5", "5 0x", "1 .", "0[5", "[00<0x5", "0 0 5", "0x[5", "000", "0.", "[["}) {
        EXPECT_EQ(exactKey(exactKey(id)), exactKey(id)) << id;
    }
}

TEST(MessageIdKey, WithHexadecimalMarkIsNoDecimalNumber) {
    EXPECT_EQ(alternatives("0x12"), (Keys{"18"}));
    EXPECT_EQ(alternatives("12 "), (Keys{"c", "18"}));
}

TEST(MessageIdKey, OfADecimalNumberMayHaveBeenKeptInHexadecimal) {
    EXPECT_EQ(alternatives("4096"), (Keys{"1000", "16534"}));
    EXPECT_EQ(alternatives("0000004096"), (Keys{"1000", "16534"}));
}

TEST(MessageIdKey, OfAHexadecimalNumberMayHaveBeenKeptInDecimal) {
    EXPECT_EQ(alternatives("1A2b"), (Keys{"6699"}));
}

TEST(MessageIdKey, OfANumberUnderTenIsTheSameEitherWay) {
    EXPECT_EQ(alternatives("0009"), Keys{});
    EXPECT_EQ(alternatives("0010"), (Keys{"a", "16"}));
    EXPECT_EQ(alternatives("a"), (Keys{"10"}));
}

TEST(MessageIdKey, TakesNumbersUpTo64Bits) {
    EXPECT_EQ(alternatives("18446744073709551615"), (Keys{"ffffffffffffffff"}));
    EXPECT_EQ(alternatives("FFFFFFFFFFFFFFFF"), (Keys{"18446744073709551615"}));
    EXPECT_EQ(alternatives("18446744073709551616"), Keys{});
    EXPECT_EQ(alternatives("10000000000000000f"), Keys{});
}

TEST(MessageIdKey, OfWhatIsNoNumberHasNoAlternatives) {
    EXPECT_EQ(alternatives("-12"), Keys{});
    EXPECT_EQ(alternatives("0x1g"), Keys{});
    EXPECT_EQ(alternatives("msg12"), Keys{});
}

// An answer had the one, the receipt has the other.
TEST(MessageIdKey, OfAnIdWithASuffixIsWithoutItTheOther) {
    EXPECT_EQ(alternatives("0017-1"), Keys{"17"});
    EXPECT_EQ(alternatives("AB-C-023"), Keys{"ab-c"});
    for (const char* id : {"17.1", "17_1", "17/1", "17:1"})
        EXPECT_EQ(alternatives(id), Keys{"17"}) << id;
    for (const char* id : {"17-", "-1", "17-1234", "17-a", "17-1 2"}) {
        EXPECT_EQ(alternatives(id), Keys{}) << id;
    }
}

TEST(MessageIdKey, FindsAnIdThatIsWrittenDifferently) {
    const auto finds = [](std::string_view answered, std::string_view receipted) {
        const std::string kept = exactKey(answered);
        if (exactKey(receipted) == kept) return true;
        for (const std::string& key : alternativeKeys(receipted))
            if (key == kept) return true;
        return false;
    };
    EXPECT_TRUE(finds("75BCD15", "0123456789"));
    EXPECT_TRUE(finds("075bcd15", "123456789"));
    EXPECT_TRUE(finds("123456789", "075BCD15"));
    EXPECT_TRUE(finds("0000000042", "42"));
    EXPECT_FALSE(finds("75BCD15", "123456788"));
}

}  // namespace
}  // namespace smpp
