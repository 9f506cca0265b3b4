#include "sms_router/delivery/AccountDesk.h"

#include <gtest/gtest.h>

#include "sms_router/config/RouterConfig.h"

namespace router {
namespace {

TEST(KeptLimits, AreThoseOfAnAccountThatSaysNothing) {
    const KeptLimits limits;
    const AccountConfig account;
    EXPECT_EQ(limits.messages, account.keepMessages);
    EXPECT_EQ(limits.bytes, account.keepBytes);
    EXPECT_EQ(limits.time, account.keepFor);
}

}  // namespace
}  // namespace router
