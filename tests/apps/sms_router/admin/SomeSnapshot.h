// A router as tests like to see it: two accounts, three connectors, all figures different.
//
// Thread: any.
#pragma once

#include "sms_router/model/Snapshot.h"

namespace routertest {

inline router::BindRow someBind(std::uint64_t number, const std::string& state) {
    router::BindRow bind;
    bind.number = number;
    bind.kind = "transceiver";
    bind.state = state;
    bind.peer = "192.0.2.7:4000" + std::to_string(number);
    bind.dispatcher = "io-1";
    bind.age = std::chrono::seconds(3725);
    bind.outstandingIn = 3;
    bind.outstandingOut = 5;
    bind.window = 10;
    bind.tls = number % 2 == 0;
    return bind;
}

inline router::AccountRow someAccount(const std::string& name) {
    router::AccountRow account;
    account.systemId = name;
    account.binds = {someBind(1, "BOUND_TRX"), someBind(2, "OPEN")};
    account.maxBinds = 10;
    account.counters = {1000, 900, 100, 40, 7, 800};
    account.kept = 12;
    account.keptBytes = 3456;
    account.keptDropped = 2;
    account.waiting = 14;
    account.malformed = {{smpp::Status::invMsgLen, 6}};
    account.refusedBy.of(smpp::Command::submitSm).of(smpp::Status::throttled) += 40;
    account.refusedBy.of(smpp::Command::submitSm).of(smpp::Status::invDstAdr) += 60;
    account.lastError = "wrong password from 192.0.2.9";
    return account;
}

inline router::ConnectorRow someConnector(const std::string& name) {
    router::ConnectorRow connector;
    connector.name = name;
    connector.address = "smsc.example:2775";
    connector.live = true;
    connector.binds = {someBind(3, "BOUND_TRX"), someBind(4, "waiting 4 s")};
    connector.queued = 17;
    connector.outstanding = 6;
    connector.allowedPerSecond = 250.5;
    connector.counters = {1100, 950, 150, 60, 9, 850};
    connector.refusedBy.of(smpp::Command::submitSm).of(static_cast<smpp::Status>(0x412)) += 150;
    connector.refusedDeliveries.of(smpp::Status::xPAppn) += 70;
    connector.receipts.ids = 4242;
    connector.receipts.held = 1;
    connector.receipts.unmatched = 8;
    connector.malformed = {{smpp::Status::invParLen, 5}};
    return connector;
}

inline router::Snapshot someSnapshot() {
    router::Snapshot snapshot;
    snapshot.version = "0.1.0";
    snapshot.taken =
        std::chrono::system_clock::time_point(std::chrono::milliseconds(1700000000123));
    snapshot.uptime = std::chrono::seconds(93784);
    snapshot.connections = 8;
    snapshot.httpConnections = 9;
    snapshot.accounts = {someAccount("esme1"), someAccount("esme2")};
    snapshot.accounts[1].httpAnswers = {0, 0, 34, 0, 35, 0};
    snapshot.accounts[1].webhook = {"shop.example:443", 36, 4, "answered with status 500",
                                    std::chrono::seconds(37)};
    snapshot.connectors = {someConnector("north"), someConnector("south"), someConnector("spare")};
    snapshot.connectors[0].throttledUntil = snapshot.taken + std::chrono::seconds(15);
    snapshot.connectors[1].live = false;
    snapshot.connectors[1].binds[0].state = "connecting";
    snapshot.connectors[1].lastError = "connect: Connection refused";
    snapshot.connectors[1].bindError = "connect: Connection refused";
    snapshot.connectors[2].stopped = true;
    snapshot.connectors[2].live = false;
    snapshot.logins.refusedBinds[router::BindRefusal::account] = 1;
    snapshot.logins.refusedBinds[router::BindRefusal::password] = 20;
    snapshot.logins.refusedTokens = 32;
    snapshot.malformed = 22;
    snapshot.logins.passwordsHashed = 30;
    snapshot.logins.passwordsRefused = 31;
    snapshot.duplicateReceipts = 23;
    snapshot.unmatchedReceipts = 24;
    snapshot.store.durable = true;
    snapshot.store.commits = 25;
    snapshot.store.failedCommits = 26;
    snapshot.store.queued = 27;
    snapshot.records.dropped = 28;
    snapshot.records.failed = 29;
    router::Stages& stages = snapshot.connectors[0].stages;
    stages.windowWait.counts[0] = 2;
    stages.windowWait.counts[4] = 1;
    stages.windowWait.sumMicroseconds = 10;
    stages.smsc.counts[router::LatencyBuckets::count - 1] = 2;
    stages.smsc.sumMicroseconds = 80'000'000;
    snapshot.connectors[0].refusedStages.of(smpp::Status::throttled).smsc.counts[3] = 5;
    snapshot.connectors[1].stages.windowWait.counts[0] = 1;
    snapshot.alarms = {
        {router::Alarm::Kind::bindsMissing, "north", "Connector north has 1 of 2 binds."},
        {router::Alarm::Kind::connectorDown, "south",
         "Connector south is down: connect: Connection refused"}};
    snapshot.certificates = {{"outer", std::chrono::system_clock::from_time_t(1'700'000'500)}};
    snapshot.noticesLost = 33;
    return snapshot;
}

}  // namespace routertest
