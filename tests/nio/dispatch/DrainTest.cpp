#include <nio/dispatch/Drain.h>

#include <gtest/gtest.h>

namespace nio {
namespace {

TEST(DrainReport, SaysWhatBecameOfTheConnections) {
    EXPECT_EQ(DrainReport{}.toString(), "0 connections drained, 0 aborted, 0 bytes lost");
    const DrainReport report{12, 3, 456, 0};
    EXPECT_EQ(report.toString(), "12 connections drained, 3 aborted, 456 bytes lost");
}

TEST(DrainReport, TellsOfUnreadBytesWhereThereAreAny) {
    const DrainReport report{1, 0, 0, 7};
    EXPECT_EQ(report.toString(), "1 connections drained, 0 aborted, 0 bytes lost, 7 bytes unread");
}

TEST(DrainReport, AddsUp) {
    DrainReport sum{1, 2, 3, 4};
    sum += DrainReport{10, 20, 30, 40};
    EXPECT_EQ(sum.drained, 11u);
    EXPECT_EQ(sum.aborted, 22u);
    EXPECT_EQ(sum.bytesLost, 33u);
    EXPECT_EQ(sum.bytesUnread, 44u);
}

}  // namespace
}  // namespace nio
