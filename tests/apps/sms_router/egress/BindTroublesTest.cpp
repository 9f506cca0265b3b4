#include "sms_router/egress/BindTroubles.h"

#include <gtest/gtest.h>

#include "support/LogCapture.h"

namespace router {
namespace {

ConnectorConfig dialed() {
    ConnectorConfig config;
    config.name = "smsc";
    config.host = "127.0.0.1";
    config.port = 2775;
    return config;
}

TEST(BindTroubles, EachIsLoggedOnceUntilABindIsUp) {
    const support::LogCapture log;
    BindTroubles troubles;
    troubles.bound(dialed());
    for (int i = 0; i < 2; ++i) troubles.note(dialed(), ": ", "connection refused", true);
    troubles.note(dialed(), ": ", "bind refused", true);
    troubles.bound(dialed());
    troubles.note(dialed(), ": ", "connection refused", true);
    const std::string name = "connector 'smsc' (127.0.0.1:2775)";
    EXPECT_EQ(log.lines(),
              (std::vector<std::string>{name + ": connection refused", name + ": bind refused",
                                        name + " is bound", name + ": connection refused"}));
    EXPECT_EQ(troubles.last().text, "connection refused");
}

TEST(BindTroubles, AreRememberedThoughNotLogged) {
    const support::LogCapture log;
    BindTroubles troubles;
    troubles.note(dialed(), ": ", "connection refused", false);
    EXPECT_EQ(troubles.last().text, "connection refused");
    EXPECT_TRUE(log.lines().empty());
}

TEST(BindTroubles, AreLoggedUpToALimit) {
    const support::LogCapture log;
    BindTroubles troubles;
    for (std::size_t i = 0; i <= BindTroubles::most; ++i) {
        troubles.note(dialed(), ": ", std::to_string(i), true);
    }
    EXPECT_EQ(log.lines().size(), BindTroubles::most);
}

TEST(BindTroubles, NameThePortForOutbinds) {
    const support::LogCapture log;
    BindTroubles troubles;
    ConnectorConfig config = dialed();
    config.outbindListen = "0.0.0.0:2776";
    troubles.note(config, " cannot listen for outbinds: ", "address in use", true);
    EXPECT_EQ(log.count("connector 'smsc' (0.0.0.0:2776) cannot listen for outbinds: address in "
                        "use"),
              1u);
}

}  // namespace
}  // namespace router
