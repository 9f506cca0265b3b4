#include "echo_client/figures/LoadErrors.h"

#include <gtest/gtest.h>

namespace load {
namespace {

TEST(LoadErrors, AreNoneAtFirst) {
    EXPECT_EQ(LoadErrors().total(), 0u);
    EXPECT_EQ(LoadErrors().toString(), "none");
}

TEST(LoadErrors, AreCountedByKindTheGravestFirst) {
    LoadErrors errors;
    errors.connectFailed(nio::Error(std::errc::connection_refused, "connect to 127.0.0.1:1"));
    errors.connectFailed(nio::Error(std::errc::connection_refused, "connect to 127.0.0.1:1"));
    errors.ended(nio::Error(std::errc::connection_reset, "receive"));
    errors.ended(nio::Error(std::errc::broken_pipe, "send"));
    errors.ended(nio::Error(std::errc::timed_out, "receive"));
    errors.closedEarly = 4;
    errors.timedOut = 5;
    errors.lost = 6;
    errors.duplicated = 7;
    errors.reordered = 8;
    errors.corrupted = 9;
    EXPECT_EQ(errors.toString(),
              "6 lost, 7 duplicated, 8 reordered, 9 corrupted, 2 connect: Connection refused, "
              "2 reset, 4 closed early, 5 timed out, 1 receive: Connection timed out");
    EXPECT_EQ(errors.wrongAnswers(), 30u);
    EXPECT_EQ(errors.connectsFailed(), 2u);
    EXPECT_EQ(errors.total(), 44u);
}

TEST(LoadErrors, TakeBytesThatBreakTheFramingForACorruptedAnswer) {
    for (const nio::Errc code : {nio::Errc::malformedPacket, nio::Errc::packetTooLong}) {
        LoadErrors errors;
        errors.ended(nio::Error(code, "connection 3"));
        EXPECT_EQ(errors.corrupted, 1u);
        EXPECT_EQ(errors.total(), 1u);
        EXPECT_EQ(errors.wrongAnswerExample, nio::Error(code, "connection 3").message());
    }
}

TEST(LoadErrors, NameWhatAnEncodingSaysAndNoMore) {
    LoadErrors errors;
    errors.ended(nio::Error(nio::Errc::encodingFailed, "TLS handshake: certificate verify failed"));
    EXPECT_EQ(errors.toString(), "1 TLS handshake: certificate verify failed");
}

TEST(LoadErrors, SumUpOverWorkersAndKeepTheFirstExamples) {
    LoadErrors one;
    one.connectFailed(nio::Error(std::errc::connection_refused, "first"));
    one.ended(nio::Error(nio::Errc::outputLimit));
    one.reset = 1;
    one.closedEarly = 2;
    one.timedOut = 3;
    one.lost = 4;
    one.duplicated = 5;
    one.reordered = 6;
    one.corrupted = 7;
    LoadErrors other = one;
    other.connectExample = "second";
    other.wrongAnswerExample = "that";
    other.badFrame = "00";

    LoadErrors sum;
    sum.merge(one);
    sum.merge(other);
    EXPECT_EQ(sum.connectsFailed(), 2u);
    EXPECT_EQ(sum.total(), 2 * one.total());
    EXPECT_EQ(sum.reset, 2u);
    EXPECT_EQ(sum.closedEarly, 4u);
    EXPECT_EQ(sum.timedOut, 6u);
    EXPECT_EQ(sum.lost, 8u);
    EXPECT_EQ(sum.duplicated, 10u);
    EXPECT_EQ(sum.reordered, 12u);
    EXPECT_EQ(sum.corrupted, 14u);
    EXPECT_EQ(sum.connectExample, "first: Connection refused");
    EXPECT_EQ(sum.wrongAnswerExample, "that");
    EXPECT_EQ(sum.badFrame, "00");
}

TEST(LoadErrors, KeepABoundedNumberOfReasonsAndCountTheRest) {
    LoadErrors sum;
    for (int i = 0; i < 300; ++i) {
        LoadErrors one;
        one.other["reason " + std::to_string(i)] = one.connect["why " + std::to_string(i)] = 1;
        sum.merge(one);
        sum.merge(one);
    }
    EXPECT_EQ(sum.total(), 1200u);
    for (const auto& reasons : {sum.other, sum.connect}) {
        EXPECT_EQ(reasons.size(), LoadErrors::mostReasons + 1);
        EXPECT_EQ(reasons.at("other reasons"), 2 * (300 - LoadErrors::mostReasons));
    }
}

}  // namespace
}  // namespace load
