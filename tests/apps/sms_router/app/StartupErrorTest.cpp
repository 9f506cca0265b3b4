#include "sms_router/app/StartupError.h"

#include <gtest/gtest.h>

namespace {

using router::StartupError;

TEST(StartupError, IsNothingUntilItIsReported) {
    const StartupError none;
    EXPECT_FALSE(none.isThere());
    EXPECT_NO_THROW(none.raise());
}

TEST(StartupError, SaysTheFirstThingThatWasReportedInOneLine) {
    StartupError startupError;
    startupError.put("listener main", std::make_error_code(std::errc::no_space_on_device));
    startupError.put("admin", std::make_error_code(std::errc::not_enough_memory));
    EXPECT_TRUE(startupError.isThere());
    try {
        startupError.raise();
        FAIL() << "it says nothing";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "listener main: No space left on device");
    }
}

}  // namespace
