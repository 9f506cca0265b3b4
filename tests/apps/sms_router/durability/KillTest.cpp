// kill -9 under load, again and again, on one store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <list>
#include <random>

#include "apps/sms_router/durability/LoadEsme.h"
#include "apps/sms_router/durability/LoadPoster.h"
#include "apps/sms_router/durability/LoadSmsc.h"
#include "apps/sms_router/scenarios/RouterProcess.h"
#include "sms_router/config/ApiKey.h"
#include "support/Sanitized.h"

namespace router::scenarios {
namespace {

using testing::IsEmpty;

class KilledRouter {
  public:
    explicit KilledRouter(unsigned seed)
        : random_(seed),
          smsc_(random_),
          router_({.connectors = {{"smsc", smsc_.port()}},
                   .router = "threads = 3",
                   .esme1 = "api_keys = [\"" + apiKeyDigest(key_) + "\"]\n",
                   .durability = "commit",
                   .more = "[http]\nport = 0\n"}) {
        smsc_.sendMessagesTo({"12345", "54321"});
        begin();
    }

    // All that is owed arrives, while nothing new is submitted.
    void settle() {
        bind("esme1", Command::bindTransceiver);
        bind("esme2", Command::bindReceiver);
        smsc_.sendMessagesTo({});
        turnUntil([this] { return smsc_.isDone() && missing().empty(); });
        EXPECT_THAT(missing(), IsEmpty()) << smsc_.describe();
        EXPECT_TRUE(smsc_.isDone()) << smsc_.describe();
        esmes_.clear();
        smsc_.sendMessagesTo({"12345", "54321"});
    }
    // Load, and SIGKILL somewhere in it. One account has no receiving bind meanwhile.
    void killUnderLoad() {
        bind("esme1", Command::bindTransceiver);
        bind("esme1", Command::bindTransceiver);
        bind("esme2", Command::bindTransmitter);
        for (LoadEsme& esme : esmes_) esme.submit();
        for (int i = 0; i < 2; ++i) posters_.emplace_back(door_, "esme1", key_, ledger_);
        const std::size_t enough = random_() % 600;
        EXPECT_TRUE(turnUntil([&] { return answered() >= enough; })) << answered() << " answers";
        kill();
    }
    // SIGKILL somewhere in settle().
    void killWhileItRecovers() {
        bind("esme1", Command::bindTransceiver);
        bind("esme2", Command::bindReceiver);
        const std::size_t enough = ledger_.receipts() + random_() % 100;
        turnUntil([&] { return ledger_.receipts() >= enough || smsc_.isDone(); });
        kill();
    }
    bool isHeads() { return random_() % 2 == 0; }
    const Ledger& ledger() const { return ledger_; }
    const LoadSmsc& smsc() const { return smsc_; }

  private:
    // The router is ready once its SMSC is bound.
    void begin() {
        ASSERT_TRUE(turnUntil([this] { return smsc_.isBound(); }));
        router_.address();
        door_ = router_.nextHttpAddress();
    }
    void bind(const std::string& account, Command kind) {
        LoadEsme& esme = esmes_.emplace_back(router_.address(), account, kind, random_, ledger_);
        ASSERT_TRUE(turnUntil([&] { return esme.isBound(); })) << account << " is not bound";
    }
    // What the router has sent before its end still counts.
    void kill() {
        router_.kill();
        turnUntil([this] { return esmes_.empty() && posters_.empty() && !smsc_.isBound(); });
        router_.startAgain();
        begin();
    }
    std::size_t answered() const {
        std::size_t sum = 0;
        for (const LoadEsme& esme : esmes_) sum += esme.answered();
        for (const LoadPoster& poster : posters_) sum += poster.answered();
        return sum;
    }
    std::vector<std::string> missing() const {
        std::vector<std::string> names = ledger_.missing();
        for (const std::string& name : smsc_.acknowledged()) {
            if (name.starts_with("mo-") && !ledger_.hasMessage(name)) names.push_back(name);
        }
        return names;
    }

    bool turnUntil(const std::function<bool()>& done) {
        const nio::TimePoint end = nio::Clock::after(patience);
        while (!done()) {
            if (nio::Clock::now() > end) return false;
            turn();
        }
        return true;
    }
    void turn() {
        std::vector<pollfd> interests;
        smsc_.addInterests(interests);
        for (const LoadEsme& esme : esmes_) interests.push_back(esme.interest());
        for (const LoadPoster& poster : posters_) interests.push_back(poster.interest());
        (void)nio::kernel::waitPoll(interests, std::chrono::milliseconds(1)).orThrow();
        smsc_.pump();
        esmes_.remove_if([](LoadEsme& esme) { return !esme.pump(); });
        posters_.remove_if([](LoadPoster& poster) { return !poster.pump(); });
    }

    const std::string key_ = "nio_key";
    std::mt19937 random_;
    LoadSmsc smsc_;
    RouterProcess router_;
    Ledger ledger_;
    nio::SocketAddress door_;
    std::list<LoadEsme> esmes_;
    std::list<LoadPoster> posters_;
};

// NIO_TEST_SEED repeats a run, as far as the router plays along.
unsigned seedOfRun() {
    const char* given = std::getenv("NIO_TEST_SEED");
    return given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10))
                            : std::random_device()();
}

TEST(RouterKilled, OwesNobodyAnythingAfterwards) {
    const unsigned seed = seedOfRun();
    std::printf("NIO_TEST_SEED=%u\n", seed);
    SCOPED_TRACE("NIO_TEST_SEED=" + std::to_string(seed));
    KilledRouter router(seed);
    const int rounds = support::scaled(20, 5);
    for (int round = 0; round < rounds && !testing::Test::HasFailure(); ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        router.killUnderLoad();
        if (router.isHeads()) router.killWhileItRecovers();
        router.settle();
    }
    EXPECT_GT(router.ledger().promises(), 100u);
    EXPECT_GE(router.ledger().receipts(), router.ledger().promises());
}

}  // namespace
}  // namespace router::scenarios
