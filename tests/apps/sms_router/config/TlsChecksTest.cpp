#include "sms_router/config/TlsChecks.h"

#include "apps/sms_router/config/ConfigTesting.h"
#include "nio-tls/Certificates.h"

namespace router {
namespace {

using namespace configtesting;
using testing::HasSubstr;

TEST(TlsChecks, FindNothingWrongWithFilesThatFit) {
    support::Authority authority("here");
    const nio::TlsServerFiles files = authority.issue("server");
    const std::string file = authority.write(
        "good.toml", "[listener.x]\nport=1\ntls={certificate='" + files.certificate + "',key='" +
                         files.key + "'}\n[connector.c]\nhost='h'\nport=1\nsystem_id='x'\n" +
                         "tls={authority='" + authority.file() + "'}\n");
    EXPECT_TRUE(readConfigFile(file, {}).config) << mistakesOf(readConfigFile(file, {}));
}

TEST(TlsChecks, NameTheListenerAndTheConnectorWhoseFilesAreOfNoUse) {
    support::Authority authority("here");
    const nio::TlsServerFiles one = authority.issue("one");
    const nio::TlsServerFiles two = authority.issue("two");
    const std::string file = authority.write(
        "bad.toml", "[listener.x]\nport=1\ntls={certificate='" + one.certificate + "',key='" +
                        two.key + "'}\n[connector.c]\nhost='h'\nport=1\nsystem_id='x'\n" +
                        "tls={authority='" + one.key + "'}\n");
    const ConfigReading reading = readConfigFile(file, {});
    EXPECT_FALSE(reading.config);
    ASSERT_EQ(reading.mistakes.size(), 2u) << mistakesOf(reading);
    EXPECT_THAT(reading.mistakes[0].what, HasSubstr("listener.x.tls: "));
    EXPECT_THAT(reading.mistakes[1].what, HasSubstr("connector.c.tls: "));
}

TEST(TlsChecks, NameEachFileOfClientCertificatesThatIsOfNoUse) {
    support::Authority authority("here");
    const nio::TlsServerFiles one = authority.issue("one");
    const nio::TlsServerFiles two = authority.issue("two");
    const std::string text = authority.write("text", "no certificate\n");
    const std::string file = authority.write(
        "bad.toml", "[listener.x]\nport=1\ntls={certificate='" + one.certificate + "',key='" +
                        one.key + "',client_ca='" + text + "'}\n[connector.c]\nhost='h'\n" +
                        "port=1\nsystem_id='x'\ntls={certificate='" + one.certificate + "',key='" +
                        two.key + "'}\n");
    const ConfigReading reading = readConfigFile(file, {});
    EXPECT_FALSE(reading.config);
    ASSERT_EQ(reading.mistakes.size(), 2u) << mistakesOf(reading);
    EXPECT_THAT(reading.mistakes[0].what,
                HasSubstr("listener.x.tls: certificate authority " + text));
    EXPECT_THAT(reading.mistakes[1].what, HasSubstr("connector.c.tls: key " + two.key));
}

TEST(TlsChecks, NameTheWebhookWhoseAuthorityIsOfNoUse) {
    support::Authority authority("here");
    const std::string text = authority.write("text", "no certificate\n");
    const std::string alarms = std::string(rest) + "[alarms]\nurl='https://a'\nurl_authority='";
    const std::string bad = authority.write("bad.toml", alarms + text + "'\n");
    const ConfigReading reading = readConfigFile(bad, {});
    EXPECT_FALSE(reading.config);
    EXPECT_THAT(mistakesOf(reading), HasSubstr("alarms.url: certificate authority " + text));
    const std::string good = authority.write("good.toml", alarms + authority.file() + "'\n");
    EXPECT_TRUE(readConfigFile(good, {}).config) << mistakesOf(readConfigFile(good, {}));
}

TEST(TlsChecks, WantACertificateAndItsKeyTogether) {
    support::Authority authority("here");
    const nio::TlsServerFiles files = authority.issue("one");
    const std::string connector =
        "[listener.x]\nport=1\n[connector.c]\nhost='h'\nport=1\nsystem_id='x'\n";
    for (const std::string& tls :
         {"certificate='" + files.certificate + "'", "key='" + files.key + "'"}) {
        const std::string file = authority.write("half.toml", connector + "tls={" + tls + "}\n");
        const ConfigReading reading = readConfigFile(file, {});
        EXPECT_FALSE(reading.config);
        ASSERT_EQ(reading.mistakes.size(), 1u) << mistakesOf(reading);
        EXPECT_THAT(reading.mistakes[0].what, HasSubstr("needs "));
    }
}

}  // namespace
}  // namespace router
