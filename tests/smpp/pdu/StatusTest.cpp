#include <gtest/gtest.h>

#include <smpp/pdu/Status.h>

namespace smpp {
namespace {

struct KnownStatus {
    std::uint32_t number;
    std::string_view name;
};

// SMPP 3.4, table 5-2.
constexpr KnownStatus knownStatuses[] = {
    {0x00, "ESME_ROK"},
    {0x01, "ESME_RINVMSGLEN"},
    {0x02, "ESME_RINVCMDLEN"},
    {0x03, "ESME_RINVCMDID"},
    {0x04, "ESME_RINVBNDSTS"},
    {0x05, "ESME_RALYBND"},
    {0x06, "ESME_RINVPRTFLG"},
    {0x07, "ESME_RINVREGDLVFLG"},
    {0x08, "ESME_RSYSERR"},
    {0x0A, "ESME_RINVSRCADR"},
    {0x0B, "ESME_RINVDSTADR"},
    {0x0C, "ESME_RINVMSGID"},
    {0x0D, "ESME_RBINDFAIL"},
    {0x0E, "ESME_RINVPASWD"},
    {0x0F, "ESME_RINVSYSID"},
    {0x11, "ESME_RCANCELFAIL"},
    {0x13, "ESME_RREPLACEFAIL"},
    {0x14, "ESME_RMSGQFUL"},
    {0x15, "ESME_RINVSERTYP"},
    {0x33, "ESME_RINVNUMDESTS"},
    {0x34, "ESME_RINVDLNAME"},
    {0x40, "ESME_RINVDESTFLAG"},
    {0x42, "ESME_RINVSUBREP"},
    {0x43, "ESME_RINVESMCLASS"},
    {0x44, "ESME_RCNTSUBDL"},
    {0x45, "ESME_RSUBMITFAIL"},
    {0x48, "ESME_RINVSRCTON"},
    {0x49, "ESME_RINVSRCNPI"},
    {0x50, "ESME_RINVDSTTON"},
    {0x51, "ESME_RINVDSTNPI"},
    {0x53, "ESME_RINVSYSTYP"},
    {0x54, "ESME_RINVREPFLAG"},
    {0x55, "ESME_RINVNUMMSGS"},
    {0x58, "ESME_RTHROTTLED"},
    {0x61, "ESME_RINVSCHED"},
    {0x62, "ESME_RINVEXPIRY"},
    {0x63, "ESME_RINVDFTMSGID"},
    {0x64, "ESME_RX_T_APPN"},
    {0x65, "ESME_RX_P_APPN"},
    {0x66, "ESME_RX_R_APPN"},
    {0x67, "ESME_RQUERYFAIL"},
    {0xC0, "ESME_RINVOPTPARSTREAM"},
    {0xC1, "ESME_ROPTPARNOTALLWD"},
    {0xC2, "ESME_RINVPARLEN"},
    {0xC3, "ESME_RMISSINGOPTPARAM"},
    {0xC4, "ESME_RINVOPTPARAMVAL"},
    {0xFE, "ESME_RDELIVERYFAILURE"},
    {0xFF, "ESME_RUNKNOWNERR"},
};

TEST(Status, HasTheNumberAndTheNameOfTheSpecification) {
    for (const KnownStatus& each : knownStatuses) {
        EXPECT_EQ(nameOf(static_cast<Status>(each.number)), each.name);
        EXPECT_EQ(statusNamed(each.name), static_cast<Status>(each.number)) << each.name;
    }
}

TEST(Status, IsShownAsANumberWhereItHasNoName) {
    EXPECT_EQ(nameOf(static_cast<Status>(0x412)), "0x00000412");
    EXPECT_EQ(nameOf(static_cast<Status>(0xFFFFFFFF)), "0xFFFFFFFF");
}

TEST(Status, IsFoundByNameWithOrWithoutPrefixAndInAnyCase) {
    EXPECT_EQ(statusNamed("RTHROTTLED"), Status::throttled);
    EXPECT_EQ(statusNamed("esme_rThrottled"), Status::throttled);
    EXPECT_EQ(statusNamed("rx_t_appn"), Status::xTAppn);
}

TEST(Status, IsFoundByNumber) {
    EXPECT_FALSE(statusNamed("rthrottled~"));
    EXPECT_FALSE(statusNamed("rthrottle{"));
    EXPECT_EQ(statusNamed("0x58"), Status::throttled);
    EXPECT_EQ(statusNamed("0X58"), Status::throttled);
    EXPECT_EQ(statusNamed("88"), Status::throttled);
    EXPECT_EQ(statusNamed("0x412"), static_cast<Status>(0x412));
    EXPECT_EQ(statusNamed("4294967295"), static_cast<Status>(0xFFFFFFFF));
}

TEST(Status, IsNotFoundInAnythingElse) {
    for (std::string_view name : {"", "ESME_", "ESME_RNOSUCH", "0x", "0x1g", "-1", "58 ", " 58",
                                  "4294967296", "0x100000000", "1.5"}) {
        EXPECT_EQ(statusNamed(name), std::nullopt) << name;
    }
}

}  // namespace
}  // namespace smpp
