#include <nio/base/Guarded.h>

#include <gtest/gtest.h>

#include <stdexcept>

namespace nio {
namespace {

TEST(Failure, SaysWhoWhatAndWhy) {
    const Failure failure{"nio-1", "EchoHandler", "handleRead",
                          std::make_exception_ptr(std::runtime_error("too bad"))};
    EXPECT_EQ(failure.what(), "too bad");
    EXPECT_EQ(failure.toString(), "dispatcher nio-1: EchoHandler::handleRead: too bad");
}

TEST(Failure, HasWordsForWhatIsNoStandardException) {
    const Failure failure{"nio-1", "task", "invokeLater", std::make_exception_ptr(5)};
    EXPECT_EQ(failure.what(), "an exception not derived from std::exception");
}

}  // namespace
}  // namespace nio
