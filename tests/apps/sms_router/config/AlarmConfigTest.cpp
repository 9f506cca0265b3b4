// [alarms]: see RouterConfig.h.
#include "apps/sms_router/config/ConfigTesting.h"

namespace router {
namespace {

using configtesting::read;
using namespace std::chrono_literals;

TEST(AlarmConfig, HasBoundsAndAUrl) {
    const AlarmConfig usual = read("").alarms;
    EXPECT_EQ(usual.queue, 1000u);
    EXPECT_EQ(usual.throttledFor, 1min);
    EXPECT_EQ(usual.noReceiptsFor, 15min);
    EXPECT_EQ(usual.storeSlow, 1s);
    EXPECT_EQ(usual.certificate, 14 * 24h);
    EXPECT_TRUE(usual.url.host.empty());
    EXPECT_EQ(usual.urlAuthority, "");
    EXPECT_EQ(usual.urlTimeout, 10s);
    EXPECT_EQ(usual.urlAttempts, 4u);
    EXPECT_EQ(usual.urlQueue, 100u);
    const AlarmConfig set = read(R"(
[alarms]
queue = 50
throttled_for = "5s"
no_receipts_for = "1h"
store_slow = "50ms"
certificate = "30d"
url = "https://hooks.example/a?b=c"
url_authority = "/dev/null"
url_timeout = "2s"
url_attempts = 2
url_queue = 7
)")
                                .alarms;
    EXPECT_EQ(set.queue, 50u);
    EXPECT_EQ(set.throttledFor, 5s);
    EXPECT_EQ(set.noReceiptsFor, 1h);
    EXPECT_EQ(set.storeSlow, 50ms);
    EXPECT_EQ(set.certificate, 30 * 24h);
    EXPECT_EQ(set.url, (HttpUrl{"hooks.example", 443, "/a?b=c", true}));
    EXPECT_EQ(set.urlAuthority, "/dev/null");
    EXPECT_EQ(set.urlTimeout, 2s);
    EXPECT_EQ(set.urlAttempts, 2u);
    EXPECT_EQ(set.urlQueue, 7u);
}

}  // namespace
}  // namespace router
