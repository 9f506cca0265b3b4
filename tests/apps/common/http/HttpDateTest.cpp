#include "common/http/HttpDate.h"

#include <gtest/gtest.h>

namespace {

std::string dateOf(std::time_t seconds) {
    return std::string(apps::httpDate(std::chrono::system_clock::from_time_t(seconds)));
}

TEST(HttpDate, IsWhatRfc9110Says) {
    EXPECT_EQ(dateOf(784'111'777), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(dateOf(784'111'777), "Sun, 06 Nov 1994 08:49:37 GMT");
    EXPECT_EQ(dateOf(784'111'778), "Sun, 06 Nov 1994 08:49:38 GMT");
    EXPECT_EQ(dateOf(0), "Thu, 01 Jan 1970 00:00:00 GMT");
    EXPECT_EQ(dateOf(951'782'400), "Tue, 29 Feb 2000 00:00:00 GMT");
}

}  // namespace
