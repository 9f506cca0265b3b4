// Refusals of an ESME's requests are counted, by the connection and by its session.
#include <gtest/gtest.h>

#include "apps/sms_router/support/EsmeBench.h"

namespace router {
namespace {

using smpp::Command;
using smpp::Status;

class EsmeLinkRefusalsTest : public ::testing::Test {
  protected:
    EsmeLinkRefusalsTest() { bench.start(); }
    std::uint64_t refused(Command request, Status status) {
        std::uint64_t count = 0;
        bench.inTurn([&] {
            const auto& counts = bench.refusedOf(request).counts();
            const auto found = counts.find(status);
            count = found == counts.end() ? 0 : found->second;
        });
        return count;
    }

    EsmeBench bench;
};

TEST_F(EsmeLinkRefusalsTest, RequestsAboutMessagesAreCounted) {
    const auto esme = bench.bind();
    esme->send("00000015 00000003 00000000 00000002 '7' 00 00 00 00");
    EXPECT_EQ(esme->next(), written("00000010 80000003 0000000C 00000002"));
    esme->send("00000019 00000008 00000000 00000003 00 '7' 00 000000 000000");
    EXPECT_EQ(esme->next(), written("00000010 80000008 0000000C 00000003"));
    EXPECT_EQ(refused(Command::querySm, Status::invMsgId), 1u);
    EXPECT_EQ(refused(Command::cancelSm, Status::invMsgId), 1u);
    EXPECT_EQ(bench.known.figures().refused, 0u) << "they are no messages";
}

TEST_F(EsmeLinkRefusalsTest, WhatTheSessionRefusesIsCounted) {
    const auto receiver = bench.bind("00000001");
    receiver->send(
        "00000024 00000004 00000000 00000002 00 01 01 'A' 00 01 01 'B' 00"
        "00 00 00 00 00 01 00 00 00 01 'x'");
    EXPECT_EQ(receiver->next(), written("00000010 80000004 00000004 00000002"));
    receiver->send("00000023 00000009 00000000 00000003 'esme1' 00 'secret1' 00 00 34 00 00 00");
    EXPECT_EQ(receiver->next(), written("00000010 80000009 00000005 00000003"));
    EXPECT_EQ(refused(Command::submitSm, Status::invBndSts), 1u);
    EXPECT_EQ(refused(Command::bindTransceiver, Status::alyBnd), 1u);
    EXPECT_EQ(bench.known.figures().submitted, 1u);
    EXPECT_EQ(bench.known.figures().refused, 1u);
}

}  // namespace
}  // namespace router
