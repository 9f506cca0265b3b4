#include "common/Units.h"

#include <gtest/gtest.h>

namespace apps {
namespace {

using namespace std::chrono_literals;

TEST(Units, KeepThreeDigits) {
    EXPECT_EQ(withUnit(0ns), "0 ns");
    EXPECT_EQ(withUnit(999ns), "999 ns");
    EXPECT_EQ(withUnit(1us), "1.00 µs");
    EXPECT_EQ(withUnit(31'250ns), "31.2 µs");
    EXPECT_EQ(withUnit(123'456ns), "123 µs");
    EXPECT_EQ(withUnit(999'600ns), "1.00 ms");
    EXPECT_EQ(withUnit(2500ms), "2.50 s");
    EXPECT_EQ(withUnit(3600s), "3600 s");
}

}  // namespace
}  // namespace apps
