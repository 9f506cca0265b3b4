#include <gtest/gtest.h>

#include <smpp/pdu/Command.h>

#include "Samples.h"

namespace smpp {
namespace {

using namespace smpp::smpptest;

struct Known {
    std::uint32_t id;
    std::string_view name;
    bool answered;
};

// SMPP 3.4, table 5-1.
constexpr Known known[] = {
    {0x80000000, "generic_nack", false},          {0x00000001, "bind_receiver", true},
    {0x80000001, "bind_receiver_resp", false},    {0x00000002, "bind_transmitter", true},
    {0x80000002, "bind_transmitter_resp", false}, {0x00000003, "query_sm", true},
    {0x80000003, "query_sm_resp", false},         {0x00000004, "submit_sm", true},
    {0x80000004, "submit_sm_resp", false},        {0x00000005, "deliver_sm", true},
    {0x80000005, "deliver_sm_resp", false},       {0x00000006, "unbind", true},
    {0x80000006, "unbind_resp", false},           {0x00000007, "replace_sm", true},
    {0x80000007, "replace_sm_resp", false},       {0x00000008, "cancel_sm", true},
    {0x80000008, "cancel_sm_resp", false},        {0x00000009, "bind_transceiver", true},
    {0x80000009, "bind_transceiver_resp", false}, {0x0000000B, "outbind", false},
    {0x00000015, "enquire_link", true},           {0x80000015, "enquire_link_resp", false},
    {0x00000021, "submit_multi", true},           {0x80000021, "submit_multi_resp", false},
    {0x00000102, "alert_notification", false},    {0x00000103, "data_sm", true},
    {0x80000103, "data_sm_resp", false},
};

TEST(Command, HasTheNumberAndTheNameOfTheSpecification) {
    for (const Known& each : known) {
        const auto command = static_cast<Command>(each.id);
        EXPECT_TRUE(isKnown(command)) << each.name;
        EXPECT_EQ(nameOf(command), each.name);
        EXPECT_EQ(isResponse(command), each.id >= 0x80000000) << each.name;
    }
}

TEST(Command, HasAResponseUnlessItIsOneOrHasNone) {
    for (const Known& each : known) {
        EXPECT_EQ(hasResponse(static_cast<Command>(each.id)), each.answered) << each.name;
    }
    EXPECT_EQ(responseTo(Command::submitMulti), Command::submitMultiResp);
    EXPECT_EQ(requestOf(Command::dataSmResp), Command::dataSm);
}

TEST(Command, IsUnknownForAllOtherNumbers) {
    for (std::uint32_t id : {0x0u, 0x0Au, 0x0Cu, 0x8000000Bu, 0x80000102u, 0x111u, 0xFFFFFFFFu}) {
        EXPECT_FALSE(isKnown(static_cast<Command>(id))) << id;
        EXPECT_EQ(nameOf(static_cast<Command>(id)), "unknown") << id;
        EXPECT_FALSE(hasResponse(static_cast<Command>(id))) << id;
    }
}

TEST(Command, IsABindForTheThreeKindsOfBindOnly) {
    for (const Known& each : known) {
        const bool bind = each.name.starts_with("bind") && !each.name.ends_with("resp");
        EXPECT_EQ(isBind(static_cast<Command>(each.id)), bind) << each.name;
    }
}

TEST(Samples, HaveOneOfEachCommand) {
    EXPECT_EQ(samples().size(), std::size(known));
    for (const Known& each : known) {
        EXPECT_EQ(sampleOf(static_cast<Command>(each.id)).command, static_cast<Command>(each.id));
    }
}

}  // namespace
}  // namespace smpp
