#include <nio/connection/ReadGate.h>

#include <gtest/gtest.h>

namespace nio {
namespace {

using Reason = ReadGate::Reason;

constexpr Reason everyReason[] = {Reason::application, Reason::highMark,   Reason::memoryBudget,
                                  Reason::revisit,     Reason::readBudget, Reason::stage};

TEST(ReadGateTest, IsOpenWithoutAReason) {
    const ReadGate gate;
    EXPECT_TRUE(gate.isOpen());
    EXPECT_TRUE(gate.allowsDelivery());
}

TEST(ReadGateTest, EachReasonClosesAndOpensIt) {
    for (const Reason reason : everyReason) {
        ReadGate gate;
        gate.set(reason, true);
        EXPECT_FALSE(gate.isOpen());
        for (const Reason other : everyReason) EXPECT_EQ(gate.has(other), other == reason);
        gate.set(reason, false);
        EXPECT_TRUE(gate.isOpen());
    }
}

TEST(ReadGateTest, OpensWhenTheLastReasonGoes) {
    ReadGate gate;
    for (const Reason reason : everyReason) gate.set(reason, true);
    for (const Reason reason : everyReason) {
        EXPECT_FALSE(gate.isOpen());
        gate.set(reason, false);
    }
    EXPECT_TRUE(gate.isOpen());
}

TEST(ReadGateTest, AReasonGivenTwiceGoesAtOnce) {
    ReadGate gate;
    gate.set(Reason::application, true);
    gate.set(Reason::application, true);
    gate.set(Reason::application, false);
    EXPECT_TRUE(gate.isOpen());
}

TEST(ReadGateTest, OutputAndProtocolStopDelivery) {
    for (const Reason reason : everyReason) {
        ReadGate gate;
        gate.set(reason, true);
        const bool byOutput = reason == Reason::highMark || reason == Reason::memoryBudget;
        EXPECT_EQ(gate.isPausedByOutput(), byOutput);
        const bool byProtocol = reason == Reason::application || reason == Reason::stage;
        EXPECT_EQ(gate.isPausedByProtocol(), byProtocol);
        EXPECT_EQ(gate.allowsDelivery(), !byOutput && !byProtocol);
    }
}

}  // namespace
}  // namespace nio
