#include "sms_router/core/Breakage.h"

#include <gtest/gtest.h>

namespace {

using router::Breakage;

TEST(Breakage, IsNothingUntilItIsReported) {
    const Breakage none;
    EXPECT_FALSE(none.isThere());
    EXPECT_NO_THROW(none.raise());
}

TEST(Breakage, SaysTheFirstThingThatWasReportedInOneLine) {
    Breakage breakage;
    breakage.put("listener main", std::make_error_code(std::errc::no_space_on_device));
    breakage.put("admin", std::make_error_code(std::errc::not_enough_memory));
    EXPECT_TRUE(breakage.isThere());
    try {
        breakage.raise();
        FAIL() << "it says nothing";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "listener main: No space left on device");
    }
}

}  // namespace
