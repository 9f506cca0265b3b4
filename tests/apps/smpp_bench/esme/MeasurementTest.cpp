#include "smpp_bench/esme/Measurement.h"

#include <gtest/gtest.h>

#include <unistd.h>

namespace {

using smppbench::EsmeFigures;
using smppbench::Measurement;

TEST(Measurement, CountsWhatComesAfterItsBeginning) {
    Measurement measurement;
    EsmeFigures figures;
    figures.answered = 10;
    measurement.begin(figures, 5, std::nullopt);
    EXPECT_TRUE(measurement.isOn());
    figures.answered = 13;
    measurement.end(figures, 7);
    EXPECT_FALSE(measurement.isOn());
    EXPECT_EQ(figures.measured.answered, 3u);
    EXPECT_EQ(figures.measured.receipts, 2u);
    figures.answered = 15;
    measurement.charge(figures, 9);
    EXPECT_EQ(figures.charged.answered, 5u);
    EXPECT_EQ(figures.charged.receipts, 4u);
    EXPECT_GE(figures.charged.time, figures.measured.time);
    EXPECT_FALSE(figures.serverCpu);
}

TEST(Measurement, IsEmptyIfTheRunEndsInTheWarmUp) {
    Measurement measurement;
    EsmeFigures figures;
    figures.answered = 10;
    measurement.end(figures, 5);
    measurement.charge(figures, 5);
    EXPECT_EQ(figures.measured.answered, 0u);
    EXPECT_EQ(figures.charged.answered, 0u);
}

TEST(Measurement, ChargesTheServersCpuTime) {
    Measurement measurement;
    EsmeFigures figures;
    measurement.begin(figures, 0, static_cast<int>(getpid()));
    measurement.charge(figures, 0);
    EXPECT_TRUE(figures.serverCpu);
}

}  // namespace
