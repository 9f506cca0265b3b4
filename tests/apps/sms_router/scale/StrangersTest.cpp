// Peers that never authenticate: what they cost is bounded, and they keep no customer out.
#include <gtest/gtest.h>

#include <algorithm>

#include "apps/sms_router/scale/CleanScene.h"
#include "apps/sms_router/scale/ProcessFigures.h"
#include "apps/sms_router/scale/RawPeer.h"
#include "apps/sms_router/scenarios/AdminClient.h"
#include "nio-tls/Certificates.h"
#include "support/Sanitized.h"

namespace router::scenarios {
namespace {

// Of the router's metrics.
std::size_t metric(const AdminClient& admin, const std::string& name) {
    const std::string text = admin.get("/metrics").body;
    const std::size_t found = text.find("\n" + name + " ");
    return found == std::string::npos ? 0 : std::stoul(text.substr(found + name.size() + 2));
}

// The first `octets` of a record with a ClientHello that announces far more.
nio::Bytes halfRecord(std::size_t octets) {
    nio::Bytes record = hex("16 0301 4000 01 00FDE8 0303");
    record.resize(octets);
    return record;
}

std::string tlsOf(const nio::TlsServerFiles& files) {
    return "tls = { certificate = \"" + files.certificate + "\", key = \"" + files.key + "\" }\n";
}

TEST(RouterStrangers, HalfHandshakesStayWithinTheBudget) {
    support::Authority authority("authority");
    CleanScene scene({.router = "memory_budget = \"16Mi\"",
                      .timers = "session_init = \"60s\"",
                      .listener = tlsOf(authority.issue("router")),
                      .admin = true});
    const AdminClient admin(scene.router.adminAddress());
    const pid_t pid = scene.router.process().pid();
    const long before = anonymousKiB(pid);
    const nio::Bytes half = halfRecord(16'005);
    std::vector<RawPeer> peers;
    for (int i = 0; i < 1000; ++i) {
        (void)peers.emplace_back(scene.router.address()).send(half);
    }
    // They would hold more than the budget.
    const nio::TimePoint end = nio::Clock::after(patience);
    long most = 0;
    while (metric(admin, "nio_memory_budget_dropped_total") == 0 && nio::Clock::now() < end) {
        most = std::max(most, anonymousKiB(pid));
    }
    EXPECT_GT(metric(admin, "nio_memory_budget_dropped_total"), 0U);
    EXPECT_GT(metric(admin, "nio_memory_budget_used_bytes"), 8U << 20);
    most = std::max(most, anonymousKiB(pid));
    if (support::sanitized) return;
    // The slack: receive buffers, and what a connection costs that says nothing (some 4 KiB each).
    constexpr long budget = 16 * 1024;
    constexpr long slack = 32 * 1024;
    EXPECT_LT(most - before, budget + slack);
}

TEST(RouterStrangers, TlsClientsThatSayNothingCostLittle) {
    support::Authority authority("authority");
    CleanScene scene({.timers = "session_init = \"60s\"",
                      .listener = tlsOf(authority.issue("router")),
                      .admin = true});
    const AdminClient admin(scene.router.adminAddress());
    const pid_t pid = scene.router.process().pid();
    const long before = anonymousKiB(pid);
    constexpr std::size_t count = 500;
    std::vector<RawPeer> peers;
    for (std::size_t i = 0; i < count; ++i) peers.emplace_back(scene.router.address());
    const nio::TimePoint end = nio::Clock::after(patience);
    while (metric(admin, "sms_router_connections") < count && nio::Clock::now() < end) {
    }
    EXPECT_GE(metric(admin, "sms_router_connections"), count);
    EXPECT_EQ(metric(admin, "nio_memory_budget_used_bytes"), 0U);
    if (support::sanitized) return;
    EXPECT_LT(anonymousKiB(pid) - before, static_cast<long>(count) * 12);
}

TEST(RouterStrangers, AnUnboundPeerMayNotSendALongPdu) {
    CleanScene scene({.router = "max_pdu_bytes = \"16Mi\""});
    SmppPeer stranger = scene.router.connected();
    nio::Bytes begun = hex("01000000 00000009 00000000 00000011");
    begun.resize(16 * 1024);
    stranger.send(begun);
    const OwnedPdu answer = stranger.next();
    EXPECT_EQ(answer.command(), Command::genericNack);
    EXPECT_EQ(answer.status(), Status::invCmdLen);
    EXPECT_EQ(answer.sequence(), 0x11u);
    EXPECT_TRUE(stranger.closedByPeer());
    SmppPeer bound = scene.router.bound();
    bound.submit({.tlvs = {{Tag::messagePayload, std::string(60'000, 'x')}}});
    EXPECT_EQ(scene.smsc.nextSubmit().message().size(), 60'000u);
}

TEST(RouterStrangers, TheUnboundAreEvictedBeforeTheBound) {
    support::Authority authority("authority");
    const nio::SocketAddress tls = freeAddress();
    CleanScene scene({.router = "memory_budget = \"1Mi\"",
                      .timers = "session_init = \"60s\"",
                      .more = "[listener.tls]\nhost = \"" + tls.host() + "\"\nport = " +
                              std::to_string(tls.port()) + "\n" + tlsOf(authority.issue("router")),
                      .admin = true});
    const AdminClient admin(scene.router.adminAddress());
    // The largest holder of all: most of a message.
    SmppPeer bound = scene.router.bound();
    const nio::Bytes message =
        submitSm(7, {.tlvs = {{Tag::messagePayload, std::string(65'000, 'x')}}});
    bound.send(nio::ByteView(message).first(64'000));
    const nio::Bytes half = halfRecord(16'005);
    std::vector<RawPeer> peers;
    const nio::TimePoint end = nio::Clock::after(patience);
    while (metric(admin, "nio_memory_budget_dropped_total") == 0 && nio::Clock::now() < end) {
        if (peers.size() < 100) (void)peers.emplace_back(tls).send(half);
    }
    EXPECT_GT(metric(admin, "nio_memory_budget_dropped_total"), 0U);
    bound.send(nio::ByteView(message).subspan(64'000));
    EXPECT_EQ(scene.smsc.nextSubmit().message().size(), 65'000u);
}

TEST(RouterStrangers, SilentConnectionsKeepNoCustomerOut) {
    CleanScene scene({.timers = "session_init = \"60s\"", .listener = "max_connections = 10"});
    SmppPeer before = scene.router.bound("esme1");
    std::vector<RawPeer> silent;
    for (int i = 0; i < 100; ++i) silent.emplace_back(scene.router.address());
    std::vector<SmppPeer> customers;
    for (int i = 0; i < 5; ++i) customers.push_back(scene.router.bound("esme2"));
    EXPECT_TRUE(before.nothingArrives());
    for (SmppPeer& customer : customers) EXPECT_TRUE(customer.nothingArrives());
}

TEST(RouterStrangers, ASourceMayHaveALimitOfItsOwn) {
    OneSmsc scene({.listener = "max_connections_per_source = 2"});
    SmppPeer first = scene.router.bound("esme1");
    SmppPeer second = scene.router.bound("esme1");
    SmppPeer third = scene.router.connected();
    EXPECT_TRUE(third.closedByPeer());
    EXPECT_TRUE(first.nothingArrives());
    scene.router.setup().listener = "";
    scene.router.writeConfig();
    scene.router.reload();
    SmppPeer fourth = scene.router.bound("esme1");
}

}  // namespace
}  // namespace router::scenarios
