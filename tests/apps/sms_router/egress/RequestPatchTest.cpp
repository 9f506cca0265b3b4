#include "sms_router/egress/RequestPatch.h"

#include <gtest/gtest.h>

#include "smpp/pdu/Octets.h"

namespace router {
namespace {

using smpp::smpptest::pduOf;
using smpp::smpptest::shown;

constexpr std::string_view ourId = "'0010000000000001' 00";
constexpr std::string_view statusAndSequence = "00000000 00000007";

Submission cancelOf(std::string_view id) {
    Submission made;
    made.pdu = pduOf("00000008" + std::string(statusAndSequence) + "00" + std::string(id) +
                     "01 01 'A' 00 01 01 'B' 00");
    return made;
}

TEST(RequestPatch, NamesTheMessageAsTheSmscDoes) {
    Submission cancel = cancelOf(ourId);
    IdEntry entry;
    entry.smscId = "42";
    ASSERT_TRUE(nameToSmsc(cancel, entry));
    EXPECT_EQ(shown(cancel.pdu), shown(cancelOf("'42' 00").pdu));
}

TEST(RequestPatch, ARewrittenDestinationIsLeftOutOfACancel) {
    Submission cancel = cancelOf(ourId);
    IdEntry entry;
    entry.smscId = "42";
    entry.otherDestination = true;
    ASSERT_TRUE(nameToSmsc(cancel, entry));
    EXPECT_EQ(shown(cancel.pdu), shown(pduOf("00000008" + std::string(statusAndSequence) +
                                             "00 '42' 00 01 01 'A' 00 00 00 00")));
}

// The SMSC would cancel all messages from its source to its destination.
TEST(RequestPatch, AMessageWithoutAnIdCannotBeNamed) {
    Submission cancel = cancelOf(ourId);
    EXPECT_FALSE(nameToSmsc(cancel, IdEntry()));
    EXPECT_EQ(shown(cancel.pdu), shown(cancelOf(ourId).pdu));
}

}  // namespace
}  // namespace router
