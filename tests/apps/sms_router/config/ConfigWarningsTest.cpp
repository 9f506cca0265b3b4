// What is allowed in a configuration, and hardly meant.
#include "apps/sms_router/config/ConfigTesting.h"
#include "sms_router/config/ConfigReader.h"

namespace router {
namespace {

using namespace configtesting;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST(ConfigWarnings, AreGivenOfWhatIsAllowedButOdd) {
    EXPECT_THAT(readConfig(rest, {}).warnings, ElementsAre(HasSubstr("no route is configured")));
    EXPECT_THAT(readConfig("[listener.x]\n", {}).warnings,
                ElementsAre(HasSubstr("no ESME can bind"), HasSubstr("no connector")));
    const char* const routes = "[[route]]\nconnector='one'\n[[route]]\nconnector='two'\n";
    EXPECT_THAT(readConfig(std::string(routes) + rest, {}).warnings,
                ElementsAre(HasSubstr("line 1: route 'route-1' matches everything")));
}

TEST(ConfigWarnings, AreGivenOfAnAuthorityWithoutHttps) {
    const std::string authority = "url_authority='/dev/null'\n";
    for (const char* const url : {"", "url='http://a'\n"}) {
        EXPECT_THAT(readConfig("[alarms]\n" + authority + url + rest, {}).warnings,
                    testing::Contains(HasSubstr("alarms.url_authority: is used with an https://")));
    }
    EXPECT_THAT(readConfig("[alarms]\n" + authority + "url='https://a'\n" + rest, {}).warnings,
                testing::Not(testing::Contains(HasSubstr("url_authority"))));
}

TEST(ConfigWarnings, AreGivenOfAnMoRuleThatHidesTheOthers) {
    const char* const rules =
        "[connector.one]\nhost='h'\nsystem_id='x'\n[listener.x]\n[account.a]\npassword='x'\n"
        "[[mo]]\naccount='a'\n[[mo]]\naccount='a'\ndestinations=['41*']\n";
    EXPECT_THAT(readConfig(rules, {}).warnings,
                ElementsAre(HasSubstr("mo 'mo-1' matches everything: later ones are never used")));
}

TEST(ConfigWarnings, AreGivenOfARouteToReceiversOnly) {
    const std::string receiver =
        "[connector.rx]\nhost='h'\nsystem_id='x'\nreceivers=1\n[account.a]\npassword='x'\n";
    EXPECT_THAT(
        readConfig("[listener.x]\n" + receiver, {}).warnings,
        ElementsAre(HasSubstr("route 'default' has only connectors without a transmitting bind")));
    const std::string group = "[group.all]\nmembers=['rx']\n[[route]]\ngroup='all'\n";
    EXPECT_THAT(readConfig("[listener.x]\n" + receiver + group, {}).warnings,
                ElementsAre(HasSubstr("has only connectors without a transmitting bind")));
    const std::string sender = "[connector.tx]\nhost='h'\nsystem_id='y'\ntransmitters=1\n";
    const std::string both = "[group.all]\nmembers=['rx','tx']\n[[route]]\ngroup='all'\n";
    EXPECT_THAT(readConfig("[listener.x]\n" + receiver + sender + both, {}).warnings, IsEmpty());
}

TEST(ConfigWarnings, AreGivenOfOneSystemIdWithoutSmsc) {
    const auto warnings = [](const std::string& one, const std::string& other) {
        return readConfig(
                   "[listener.x]\n[account.a]\npassword='x'\n[[route]]\nconnector='one'\n"
                   "[connector.one]\nhost='h'\nsystem_id='x'\n" +
                       one + "[connector.two]\nhost='g'\nsystem_id='x'\n" + other,
                   {})
            .warnings;
    };
    const auto told =
        testing::Contains(HasSubstr("connector.two.system_id: connector 'one' has the same"));
    EXPECT_THAT(warnings("", ""), told);
    EXPECT_THAT(warnings("smsc='s'\n", ""), told);
    EXPECT_THAT(warnings("smsc='s'\n", "smsc='s'\n"), IsEmpty());
}

TEST(ConfigWarnings, AreGivenOfWhatIsOfNoUseToWhoIsCalled) {
    const std::string called =
        "[listener.x]\n[account.a]\npassword='x'\n"
        "[connector.x]\nsystem_id='x'\noutbind_listen='127.0.0.1:2770'\n";
    EXPECT_THAT(readConfig(called + "port=2\nreconnect_max='1m'\n", {}).warnings,
                ElementsAre(HasSubstr("connector.x.port: is not used with outbind_listen"),
                            HasSubstr("connector.x.reconnect_max: is not used")));
    EXPECT_THAT(readConfig(called + "connect_timeout='1s'\n", {}).warnings, IsEmpty())
        << "so long messages wait for binds that a reload makes anew";
}

TEST(ConfigWarnings, AreGivenOfAPasswordOfMoreThan16Octets) {
    const auto warnings = [](std::size_t ofAccount, std::size_t ofConnector) {
        return readConfig("[listener.x]\n[account.a]\npassword='" + std::string(ofAccount, 'p') +
                              "'\n[connector.c]\nhost='h'\nsystem_id='x'\npassword='" +
                              std::string(ofConnector, 'p') + "'\n",
                          {})
            .warnings;
    };
    EXPECT_THAT(warnings(16, 16), IsEmpty());
    const std::string why = ".password: is longer than 16 octets: many implementations refuse that";
    EXPECT_THAT(warnings(17, 16), ElementsAre(HasSubstr("account.a" + why)));
    EXPECT_THAT(warnings(64, 64),
                UnorderedElementsAre(HasSubstr("account.a" + why), HasSubstr("connector.c" + why)));
}

TEST(ConfigWarnings, AreGivenOfAShortTokenOffLoopback) {
    const auto warnings = [](const std::string& host, const std::string& token) {
        return readConfig("[[route]]\nconnector='one'\n[admin]\nhost='" + host + "'\ntoken='" +
                              token + "'\n" + rest,
                          {})
            .warnings;
    };
    EXPECT_THAT(warnings("0.0.0.0", "fifteen-letters"),
                ElementsAre(HasSubstr("line 5: admin.token: '0.0.0.0' is reachable")));
    EXPECT_THAT(warnings("0.0.0.0", "sixteen-letters-"), IsEmpty());
    EXPECT_THAT(warnings("127.0.0.1", "x"), IsEmpty());
    EXPECT_THAT(warnings("::1", "x"), IsEmpty());
}

TEST(ConfigWarnings, AreGivenOfCertificatesThatAreNotVerified) {
    const auto warnings = [](const std::string& tls) {
        return readConfig(
                   "[listener.x]\n[account.a]\npassword='x'\n[connector.c]\nhost='h'\n"
                   "system_id='x'\ntls=" +
                       tls + "\n",
                   {})
            .warnings;
    };
    EXPECT_THAT(warnings("{verify=false}"),
                ElementsAre(HasSubstr("connector.c.tls.verify: is off")));
    EXPECT_THAT(warnings("{verify=true}"), IsEmpty());
    EXPECT_THAT(warnings("true"), IsEmpty());
}

}  // namespace
}  // namespace router
