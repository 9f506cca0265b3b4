// The table as a whole is compared with Java's by the oracle test; here is its form.
#include "echo_client/report/LoadReport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace load {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;

TEST(Hgrm, IsATableOfMillisecondsAndAFooter) {
    LatencyHistogram histogram;
    histogram.recordTimes(1ms, 3);
    histogram.record(2ms);
    EXPECT_EQ(toHgrm(histogram),
              "       Value     Percentile TotalCount 1/(1-Percentile)\n"
              "\n"
              "       1.000 0.000000000000          3           1.00\n"
              "       1.000 0.100000000000          3           1.11\n"
              "       1.000 0.200000000000          3           1.25\n"
              "       1.000 0.300000000000          3           1.43\n"
              "       1.000 0.400000000000          3           1.67\n"
              "       1.000 0.500000000000          3           2.00\n"
              "       1.000 0.550000000000          3           2.22\n"
              "       1.000 0.600000000000          3           2.50\n"
              "       1.000 0.650000000000          3           2.86\n"
              "       1.000 0.700000000000          3           3.33\n"
              "       1.000 0.750000000000          3           4.00\n"
              "       2.000 0.775000000000          4           4.44\n"
              "       2.000 1.000000000000          4\n"
              "#[Mean    =        1.250, StdDeviation   =        0.433]\n"
              "#[Max     =        2.000, Total count    =            4]\n"
              "#[Buckets =           26, SubBuckets     =         2048]\n");
}

TEST(Hgrm, EndsWithTheLongestLatencyExactly) {
    LatencyHistogram histogram;
    histogram.record(100s);
    EXPECT_THAT(toHgrm(histogram), HasSubstr("  100000.000 1.000000000000          1\n"));
}

TEST(Hgrm, LeavesOutPercentilesBeyondTheRange) {
    LatencyHistogram histogram;
    histogram.record(60s);
    histogram.record(61s);
    histogram.record(100s);
    EXPECT_THAT(toHgrm(histogram),
                HasSubstr("   60000.000 0.300000000000          1           1.43\n"
                          "  100000.000 1.000000000000          3\n"));
}

TEST(Hgrm, HasNoLinesWithoutLatencies) {
    EXPECT_THAT(toHgrm({}), EndsWith("1/(1-Percentile)\n\n"
                                     "#[Mean    =        0.000, StdDeviation   =        0.000]\n"
                                     "#[Max     =        0.000, Total count    =            0]\n"
                                     "#[Buckets =           26, SubBuckets     =         2048]\n"));
}

}  // namespace
}  // namespace load
