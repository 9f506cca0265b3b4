#include <nio/observe/CloseReason.h>

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace {

using nio::CloseReason;
using nio::closeReasonOf;
using nio::Errc;
using nio::Error;

TEST(CloseReason, IsFinishedWithoutAnError) {
    EXPECT_EQ(closeReasonOf(std::nullopt), CloseReason::finished);
}

TEST(CloseReason, FollowsFromTheError) {
    const auto of = [](auto code) { return closeReasonOf(Error(code)); };
    EXPECT_EQ(of(std::errc::connection_reset), CloseReason::reset);
    EXPECT_EQ(of(std::errc::broken_pipe), CloseReason::reset);
    EXPECT_EQ(of(std::errc::timed_out), CloseReason::timedOut);
    EXPECT_EQ(of(std::errc::host_unreachable), CloseReason::other);
    EXPECT_EQ(of(Errc::timedOut), CloseReason::timedOut);
    EXPECT_EQ(of(Errc::cancelled), CloseReason::cancelled);
    EXPECT_EQ(of(Errc::outputLimit), CloseReason::outputLimit);
    EXPECT_EQ(of(Errc::memoryBudget), CloseReason::memoryBudget);
    EXPECT_EQ(of(Errc::handlerFailed), CloseReason::failed);
    EXPECT_EQ(of(Errc::packetTooLong), CloseReason::protocol);
    EXPECT_EQ(of(Errc::malformedPacket), CloseReason::protocol);
    EXPECT_EQ(of(Errc::truncated), CloseReason::protocol);
    EXPECT_EQ(of(Errc::encodingFailed), CloseReason::protocol);
    EXPECT_EQ(of(Errc::stopped), CloseReason::other);
}

TEST(CloseReason, EachHasANameOfItsOwn) {
    std::set<std::string> names;
    for (std::size_t i = 0; i < nio::closeReasons; ++i) {
        names.emplace(toString(static_cast<CloseReason>(i)));
    }
    EXPECT_EQ(names.size(), nio::closeReasons);
    EXPECT_EQ(toString(CloseReason::other), "other");
}

}  // namespace
