// What is said of those who guess names, passwords and tokens, and of what the administrator does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/sms_router/scenarios/AdminClient.h"
#include "apps/sms_router/scenarios/OneSmsc.h"

namespace router::scenarios {

namespace {

using testing::MatchesRegex;

constexpr const char* peerPattern = "127\\.0\\.0\\.1:[0-9]+";

// Each is the first of its source, or would have no line.
std::string lineOf(const Binding& binding) {
    OneSmsc scene({.esme1 = "bind_types = [\"transceiver\"]"});
    EXPECT_NE(scene.router.connected().bind(binding), Status::ok);
    return scene.router.logLine();
}

std::string refusal(const std::string& name, const std::string& why) {
    return "sms-router: warning: bind of '" + name + "' from " + peerPattern + " refused: " + why;
}

}  // namespace

TEST(RouterGuessing, ARefusedBindIsInTheLogWithItsReason) {
    EXPECT_THAT(lineOf({.systemId = "no\x1b[2J"}),
                MatchesRegex(refusal("no\\?\\[2J", "unknown account")));
    EXPECT_THAT(lineOf({.password = "guess"}), MatchesRegex(refusal("esme1", "wrong password")));
    EXPECT_THAT(lineOf({.kind = Command::bindReceiver}),
                MatchesRegex(refusal("esme1", "bind type not allowed")));
}

TEST(RouterGuessing, AWrongTokenIsInTheLogAndCounted) {
    OneSmsc scene({.admin = true, .adminSettings = "token = \"secret\""});
    const AdminClient guesses(scene.router.adminAddress(), "guess");
    EXPECT_EQ(guesses.get("/metrics").status, 401);
    EXPECT_THAT(scene.router.logLine(),
                MatchesRegex(std::string("sms-router: warning: admin: wrong token from ") +
                             peerPattern + " refused"));
    const AdminClient knows(scene.router.adminAddress(), "secret");
    EXPECT_THAT(knows.get("/metrics").body,
                testing::HasSubstr("\nsms_router_refused_tokens_total 1\n"));
}

TEST(RouterGuessing, TheAdministratorsSwitchIsInTheLog) {
    OneSmsc scene({.admin = true});
    const AdminClient admin(scene.router.adminAddress());
    const std::string begin = "sms-router: info: connector 'smsc' is ";
    EXPECT_EQ(admin.post("/connectors/smsc/stop").status, 200);
    EXPECT_EQ(scene.router.logLine(), begin + "stopped by the administrator");
    EXPECT_EQ(admin.post("/connectors/smsc/start").status, 200);
    EXPECT_EQ(scene.router.logLine(), begin + "started by the administrator");
}

}  // namespace router::scenarios
