#include "smpp_bench/Stamp.h"

#include <gtest/gtest.h>

namespace {

using smppbench::SeenStamps;
using smppbench::Stamp;

TEST(Stamp, IsReadBackFromTheFirstOctetsOfAText) {
    nio::Bytes text(Stamp::octets + 5, nio::Byte{'x'});
    const Stamp stamp{0xC0FFEE, 4711};
    stamp.writeTo(text);
    EXPECT_EQ(nio::asText(text), "nio-bench 00c0ffee 00001267xxxxx");
    EXPECT_EQ(Stamp::read(text), stamp);
}

TEST(Stamp, IsNotSeenInOtherTexts) {
    for (const char* text : {"", "nio-bench 00c0ffee 0000126", "nio-bench 00c0ffee 0000126g",
                             "no stamp at all, but long enough"}) {
        EXPECT_EQ(Stamp::read(nio::asBytes(text)), std::nullopt) << text;
    }
}

TEST(SeenStamps, AreNewOnceInEachRun) {
    SeenStamps seen;
    EXPECT_TRUE(seen.add({1, 7}));
    EXPECT_FALSE(seen.add({1, 7}));
    EXPECT_TRUE(seen.add({1, 0}));
    EXPECT_TRUE(seen.add({2, 7}));
    EXPECT_FALSE(seen.add({1, 0}));
}

}  // namespace
