#include "sms_router/admin/Alarms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/sms_router/admin/SomeSnapshot.h"

namespace {

using namespace std::chrono_literals;
using router::Alarm;
using router::Alarms;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr nio::TimePoint begin{1h};

std::vector<std::string> textsOf(const std::vector<Alarm>& alarms) {
    std::vector<std::string> texts;
    for (const Alarm& alarm : alarms) texts.push_back(alarm.text);
    return texts;
}

// When it has stayed so for a while.
std::vector<std::string> textsOf(const router::Snapshot& snapshot) {
    Alarms alarms;
    (void)alarms.judge(snapshot, begin);
    return textsOf(alarms.judge(snapshot, begin + Alarms::lasts));
}

// One connector that is bound, and nothing to complain of.
struct Quiet {
    router::Snapshot snapshot;
    router::ConnectorRow& north;
    Alarms alarms;

    explicit Quiet(const router::AlarmConfig& bounds = {})
        : north(snapshot.connectors.emplace_back()), alarms(bounds) {
        north.name = "north";
        north.live = true;
        north.binds.emplace_back().state = "BOUND_TRX";
        snapshot.taken = std::chrono::system_clock::from_time_t(1'700'000'000);
    }
    std::vector<std::string> at(nio::Clock::duration time) {
        return textsOf(alarms.judge(snapshot, begin + time));
    }
};

TEST(Alarms, AConnectorThatIsDownIsOneButNotAStoppedOne) {
    router::Snapshot snapshot = routertest::someSnapshot();
    EXPECT_THAT(textsOf(snapshot),
                ElementsAre("The certificate of listener outer expires on 2023-11-14.",
                            "Connector north has 1 of 2 binds.",
                            "Connector south is down: connect: Connection refused"));
    snapshot.certificates.clear();
    snapshot.connectors[1].bindError.clear();
    snapshot.connectors[0].binds.pop_back();
    EXPECT_THAT(textsOf(snapshot), ElementsAre("Connector south is down."));
    snapshot.connectors[1].stopped = true;
    EXPECT_THAT(textsOf(snapshot), IsEmpty());
}

TEST(Alarms, AMissingBindIsAnAlarmAReceiveOnlyConnectorIsNot) {
    router::Snapshot snapshot;
    router::ConnectorRow& connector = snapshot.connectors.emplace_back();
    connector.name = "mo";
    connector.binds.resize(2);
    connector.binds[0].state = connector.binds[1].state = "BOUND_RX";
    EXPECT_THAT(textsOf(snapshot), IsEmpty());
    connector.binds[1].state = "connecting";
    EXPECT_THAT(textsOf(snapshot), ElementsAre("Connector mo has 1 of 2 binds."));
    connector.binds[0].state = "waiting 2 s";
    EXPECT_THAT(textsOf(snapshot), ElementsAre("Connector mo is down."));
}

TEST(Alarms, AStoreThatCannotWriteIsOne) {
    router::Snapshot snapshot;
    snapshot.store.alarm = true;
    EXPECT_THAT(textsOf(snapshot),
                ElementsAre("The store cannot write: submits are refused until it recovers."));
}

TEST(Alarms, AnAccessLogThatCannotBeWrittenIsOne) {
    router::Snapshot snapshot;
    snapshot.records.alarm = true;
    EXPECT_THAT(
        textsOf(snapshot),
        ElementsAre(
            "The message records cannot be written: records are lost until this recovers."));
}

TEST(Alarms, AQueueOverItsBoundIsOne) {
    Quiet quiet({.queue = 20});
    quiet.north.queued = 20;
    EXPECT_THAT(quiet.at(0s), IsEmpty());
    quiet.north.queued = 21;
    EXPECT_THAT(quiet.at(1s),
                ElementsAre("Connector north has more than 20 requests in its queue."));
    quiet.alarms.use({.queue = 0});
    EXPECT_THAT(quiet.at(2s), IsEmpty());
}

TEST(Alarms, AQueueIsOneUntilItIsBelowHalfOfItsBound) {
    Quiet quiet({.queue = 20});
    quiet.north.queued = 10;
    EXPECT_THAT(quiet.at(0s), IsEmpty());
    for (const std::size_t queued : {21U, 20U, 10U, 21U}) {
        quiet.north.queued = queued;
        EXPECT_THAT(quiet.at(1s), testing::SizeIs(1)) << queued;
    }
    quiet.north.queued = 9;
    EXPECT_THAT(quiet.at(2s), IsEmpty());
    quiet.north.queued = 20;
    EXPECT_THAT(quiet.at(3s), IsEmpty());
}

TEST(Alarms, AConnectorIsDownWhenItStaysSo) {
    Quiet quiet;
    std::string& state = quiet.north.binds[0].state;
    for (const auto time : {0s, 10s, 20s}) {
        state = "connecting";
        EXPECT_THAT(quiet.at(time), IsEmpty()) << "for a moment";
        state = "BOUND_TRX";
        EXPECT_THAT(quiet.at(time + 5s), IsEmpty());
    }
    state = "connecting";
    EXPECT_THAT(quiet.at(30s), IsEmpty());
    EXPECT_THAT(quiet.at(34s), ElementsAre("Connector north is down."));
    quiet.north.binds.emplace_back().state = "BOUND_TRX";
    EXPECT_THAT(quiet.at(35s), ElementsAre("Connector north has 1 of 2 binds."));
    quiet.north.binds[1].state = "connecting";
    EXPECT_THAT(quiet.at(36s), ElementsAre("Connector north has 0 of 2 binds."));
    EXPECT_THAT(quiet.at(40s), ElementsAre("Connector north is down."));
}

TEST(Alarms, OfBindsNameAnErrorOfBinds) {
    Quiet quiet;
    quiet.north.binds[0].state = "connecting";
    quiet.north.lastError = "receipt of unknown message '4711'";
    quiet.north.bindError = "bind refused: ESME_RINVPASWD";
    (void)quiet.at(0s);
    EXPECT_THAT(quiet.at(5s), ElementsAre("Connector north is down: bind refused: ESME_RINVPASWD"));
}

TEST(Alarms, ARateThatStaysCutIsOne) {
    Quiet quiet({.throttledFor = 90s});
    quiet.north.throttledUntil.emplace();
    EXPECT_THAT(quiet.at(0s), IsEmpty());
    EXPECT_THAT(quiet.at(89s), IsEmpty());
    EXPECT_THAT(quiet.at(90s), ElementsAre("Connector north sends less than it should: the SMSC "
                                           "has throttled it for more than 90 s."));
    quiet.north.throttledUntil.reset();
    EXPECT_THAT(quiet.at(91s), IsEmpty());
    quiet.north.throttledUntil.emplace();
    EXPECT_THAT(quiet.at(92s), IsEmpty()) << "it counts anew";
    quiet.alarms.use({.throttledFor = 0ms});
    EXPECT_THAT(quiet.at(1h), IsEmpty());
}

TEST(Alarms, MissingReceiptsAreOneOnlyWhileMessagesFlow) {
    Quiet quiet({.noReceiptsFor = 10min});
    EXPECT_THAT(quiet.at(0s), IsEmpty());
    quiet.north.receipts.wanted = 1;
    EXPECT_THAT(quiet.at(1min), IsEmpty());
    EXPECT_THAT(quiet.at(20min), IsEmpty()) << "one message may have met a phone that is off";
    quiet.north.receipts.wanted = 2;
    EXPECT_THAT(quiet.at(51min), IsEmpty());
    quiet.north.receipts.wanted = 3;
    EXPECT_THAT(quiet.at(1h), IsEmpty());
    quiet.north.receipts.wanted = 4;
    const std::string text =
        "Connector north has delivered no receipt for more than 10 min, although accepted "
        "messages ask for them.";
    EXPECT_THAT(quiet.at(1h + 1min), ElementsAre(text));
    EXPECT_THAT(quiet.at(1h + 2min), ElementsAre(text));
    quiet.north.receipts.found = 1;
    EXPECT_THAT(quiet.at(2h + 1min), IsEmpty());
    quiet.north.receipts.wanted = 5;
    EXPECT_THAT(quiet.at(2h + 2min), IsEmpty());
    quiet.north.receipts.wanted = 6;
    EXPECT_THAT(quiet.at(2h + 11min), IsEmpty());
    quiet.north.receipts.wanted = 7;
    EXPECT_THAT(quiet.at(2h + 12min), ElementsAre(text));
    quiet.north.stopped = true;
    EXPECT_THAT(quiet.at(2h + 13min), IsEmpty());
}

TEST(Alarms, OfMissingReceiptsEndsWhenTrafficEnds) {
    Quiet quiet({.noReceiptsFor = 10min});
    for (const auto time : {0min, 5min, 10min, 15min}) {
        ++quiet.north.receipts.wanted;
        (void)quiet.at(time);
    }
    EXPECT_THAT(quiet.at(24min), testing::SizeIs(1));
    EXPECT_THAT(quiet.at(25min), IsEmpty());
}

TEST(Alarms, ASlowStoreIsOne) {
    Quiet quiet({.storeSlow = 100ms});
    router::Snapshot& now = quiet.snapshot;
    const std::string text =
        "The store is slow: a commit takes more than 100 ms, and submits are answered after it.";
    now.store.commits = 10;
    now.store.commitTime = 1s;
    EXPECT_THAT(quiet.at(0s), IsEmpty());
    now.store.commits = 12;
    now.store.commitTime = 1300ms;
    EXPECT_THAT(quiet.at(1s), ElementsAre(text)) << "by what was since the last look";
    EXPECT_THAT(quiet.at(2s), ElementsAre(text)) << "nothing has ended since";
    EXPECT_THAT(quiet.at(11s), IsEmpty()) << "nothing is committed";
    now.store.commits = 13;
    now.store.commitTime = 1500ms;
    EXPECT_THAT(quiet.at(12s), ElementsAre(text));
    now.store.commitOpen = 50ms;
    EXPECT_THAT(quiet.at(30s), ElementsAre(text)) << "the next may be as slow";
    now.store.commits = 20;
    now.store.commitTime = 1600ms;
    EXPECT_THAT(quiet.at(33s), IsEmpty());
    now.store.commitOpen = 101ms;
    EXPECT_THAT(quiet.at(34s), ElementsAre(text)) << "one that does not end";
    quiet.alarms.use({.storeSlow = 0ms});
    EXPECT_THAT(quiet.at(35s), IsEmpty());
}

TEST(Alarms, ACertificateThatExpiresSoonIsOne) {
    Quiet quiet;
    quiet.snapshot.certificates = {{"late", quiet.snapshot.taken + 15 * 24h},
                                   {"soon", quiet.snapshot.taken + 13 * 24h},
                                   {"over", quiet.snapshot.taken - 1s}};
    EXPECT_THAT(quiet.at(0s),
                ElementsAre("The certificate of listener soon expires on 2023-11-27.",
                            "The certificate of listener over expired on 2023-11-14."));
    quiet.alarms.use({.certificate = 0s});
    EXPECT_THAT(quiet.at(1s), IsEmpty());
}

TEST(Alarms, ACertificateOfAConnectorIsOneOfItsOwn) {
    Quiet quiet;
    quiet.snapshot.certificates = {{"a", quiet.snapshot.taken + 13 * 24h},
                                   {"a", quiet.snapshot.taken - 1s, true}};
    EXPECT_THAT(quiet.at(0s), ElementsAre("The certificate of listener a expires on 2023-11-27.",
                                          "The certificate of connector a expired on 2023-11-14."));
}

TEST(Alarms, OfConnectorsStayWhileADispatcherHangs) {
    Quiet quiet;
    quiet.north.binds[0].state = "connecting";
    (void)quiet.at(0s);
    EXPECT_THAT(quiet.at(5s), ElementsAre("Connector north is down."));
    quiet.snapshot.silent = {"smpp-1"};
    quiet.snapshot.connectors.clear();
    EXPECT_THAT(quiet.at(6s), ElementsAre("Connector north is down."));
}

TEST(Alarms, OnlyBoundBindsAreCountedAsBound) {
    EXPECT_EQ(router::boundCount(routertest::someAccount("x").binds), 1U);
}

TEST(Alarms, AWebhookThatFailsForMinutesIsOne) {
    Quiet quiet;
    router::AccountRow& shop = quiet.snapshot.accounts.emplace_back();
    shop.systemId = "shop";
    EXPECT_THAT(quiet.at(0s), IsEmpty());
    shop.webhook = {"shop.example:443", 9, 0, "answered with status 500", 299s};
    EXPECT_THAT(quiet.at(5s), IsEmpty());
    shop.webhook->failsFor = 300s;
    const std::string text =
        "The webhook of account shop has failed for more than 5 min: answered with status 500";
    EXPECT_THAT(quiet.at(10s), ElementsAre(text));
    quiet.snapshot.silent = {"smpp-1"};
    quiet.snapshot.accounts.clear();
    EXPECT_THAT(quiet.at(15s), ElementsAre(text));
    quiet.snapshot.silent.clear();
    EXPECT_THAT(quiet.at(20s), IsEmpty());
}

}  // namespace
