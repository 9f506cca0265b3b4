// Many messages at once, by several accounts, over several SMSCs and threads: none is lost, doubled
// or misrouted, whatever happens meanwhile. The ESMEs of smpp-bench check that.
#include <gtest/gtest.h>

#include <list>

#include "apps/sms_router/scale/Bench.h"
#include "apps/sms_router/scale/CleanScene.h"
#include "support/Sanitized.h"

namespace router::scenarios {
namespace {

using nlohmann::json;

const std::string messages = std::to_string(support::scaled(30'000, 3'000));
const std::string accounts = "esme1:secret1,esme2:secret2,esme3:secret3,esme4:secret4";

RouterSetup oneOfEach(const std::list<BenchSmsc>& smscs, const std::string& durability) {
    RouterSetup setup;
    setup.router = "threads = 4";
    setup.durability = durability;
    setup.esme1 = setup.esme2 = "max_binds = 100";
    for (const BenchSmsc& smsc : smscs) {
        const std::string name = "smsc" + std::to_string(setup.connectors.size());
        setup.connectors.push_back({name, smsc.port(), "transceivers = 2"});
    }
    setup.more =
        "[account.esme3]\npassword = \"secret3\"\nmax_binds = 100\n"
        "[account.esme4]\npassword = \"secret4\"\nmax_binds = 100\n"
        "[group.all]\nmembers = [\"smsc0\", \"smsc1\", \"smsc2\"]\n"
        "[[route]]\ngroup = \"all\"\n";
    return setup;
}

class RouterLoad : public testing::TestWithParam<const char*> {
  protected:
    // `more` are options of the ESMEs.
    json run(const std::vector<std::string>& ofSmscs, const std::vector<std::string>& more) {
        std::list<BenchSmsc> smscs;
        for (int i = 0; i < 3; ++i) smscs.emplace_back(ofSmscs);
        RouterProcess router(oneOfEach(smscs, GetParam()));
        std::vector<std::string> options{"--accounts", accounts, "--binds",  "16",
                                         "--messages", messages, "--settle", "500ms"};
        options.insert(options.end(), more.begin(), more.end());
        json report = BenchEsmes(router, options).report();
        expectCleanEnd(router);
        for (BenchSmsc& smsc : smscs) smscs_.push_back(smsc.counts());
        return report;
    }
    std::size_t sum(const char* name) const {
        std::size_t all = 0;
        for (const json& counts : smscs_) all += counts[name].get<std::size_t>();
        return all;
    }

    std::vector<json> smscs_;
};

TEST_P(RouterLoad, LosesDoublesAndMisroutesNothingOnSeveralThreads) {
    const json report = run({"--receipt-delay", "5ms"}, {});
    EXPECT_TRUE(report["ok"]) << report;
    EXPECT_EQ(std::to_string(report["receipts"]["complete"].get<std::size_t>()), messages);
    EXPECT_EQ(sum("accepted"), sum("receipts_acknowledged"));
    EXPECT_EQ(sum("duplicate_submits"), 0u);
    for (const json& counts : smscs_) EXPECT_GT(counts["accepted"], 0);
}

TEST_P(RouterLoad, KeepsReceiptsApartThatOutrunTheirAnswers) {
    const json report = run({"--receipt-before-response", "--latency", "2ms", "--id-form", "hex",
                             "--duplicate-receipts"},
                            {});
    EXPECT_TRUE(report["ok"]) << report;
}

// What such a connection has not answered is refused, and nothing else is.
TEST_P(RouterLoad, LosesNoReceiptToSmscsThatResetTheirConnections) {
    const json report =
        run({"--receipt-delay", "5ms", "--drop-link-every", "700"}, {"--allow-refusals"});
    EXPECT_TRUE(report["ok"]) << report;
    EXPECT_GT(sum("dropped_links"), 0u);
    EXPECT_EQ(report["unanswered"], 0);
    EXPECT_EQ(report["receipts"]["lost"], 0) << report;
}

INSTANTIATE_TEST_SUITE_P(Durability, RouterLoad, testing::Values("memory", "commit"),
                         [](const auto& durability) { return std::string(durability.param); });

TEST(RouterReload, DropsNoBindAndLosesNothingUnderLoad) {
    BenchSmsc smsc({"--receipt-delay", "5ms"});
    RouterProcess router({.connectors = {{"smsc", smsc.port()}}, .esme1 = "window = 50"});
    BenchEsmes esmes(router, {"--accounts", "esme1:secret1,esme2:secret2", "--binds", "8",
                              "--duration", support::sanitized ? "2s" : "3s"});
    const nio::TimePoint end = nio::Clock::after(std::chrono::seconds(2));
    int reloads = 0;
    for (; nio::Clock::now() < end || reloads <= 5; ++reloads) {
        // Each time another window for the account, and for the SMSC.
        router.setup().esme1 = "window = " + std::to_string(20 + reloads % 50);
        router.setup().connectors[0].settings = "window = " + std::to_string(30 + reloads % 100);
        router.writeConfig();
        EXPECT_NE(router.reload().find("info: configuration reloaded"), std::string::npos);
    }
    const json report = esmes.report();
    expectCleanEnd(router);
    EXPECT_TRUE(report["ok"]) << report;
    EXPECT_EQ(report["lost_links"], 0);
    EXPECT_EQ(report["receipts"]["complete"], report["answered"]);
    EXPECT_GT(reloads, 5);
    const json counts = smsc.counts();
    EXPECT_EQ(counts["connections"], 1);
    EXPECT_EQ(counts["receipts_acknowledged"], counts["accepted"]);
}

}  // namespace
}  // namespace router::scenarios
