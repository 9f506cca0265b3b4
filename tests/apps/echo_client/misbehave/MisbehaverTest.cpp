// What all misbehaviours have in common.
#include "echo_client/misbehave/Misbehaver.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "apps/echo_client/misbehave/Victim.h"
#include "echo_client/report/MisbehaviourReport.h"
#include "nio/sys/KernelTesting.h"
#include "support/Engines.h"

namespace {

using load::Misbehaviour;
using support::misbehaving;
using support::MisbehaviourRun;
using support::Victim;

std::ptrdiff_t openDescriptors() {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
}

struct Way {
    Misbehaviour kind;
    nio::SelectorKind selector;
};

class MisbehaverWay : public testing::TestWithParam<Way> {
  protected:
    static load::LoadOptions options() {
        load::LoadOptions options = misbehaving(GetParam().kind, 20);
        options.selector = GetParam().selector;
        options.count = 500;
        return options;
    }
};

TEST_P(MisbehaverWay, LeavesNoDescriptorAndAccountsForEveryConnection) {
    Victim victim;
    victim.echoes();
    const std::ptrdiff_t before = openDescriptors();
    load::LoadOptions bounded = options();
    bounded.duration = std::chrono::milliseconds(300);
    MisbehaviourRun run(bounded, victim.server.address());
    const auto result = victim.ended(run);
    EXPECT_EQ(openDescriptors(), before);
    EXPECT_FALSE(result.interrupted);
    EXPECT_GT(result.total.made(), 0u);
    EXPECT_EQ(result.total.made(), result.total.over);
    EXPECT_EQ(result.dispatchers, 2u);
    EXPECT_TRUE(victim.serves("is anybody there?"));
    if (GetParam().kind == Misbehaviour::rstStorm) return;
    EXPECT_EQ(result.total.made(), result.total.keptToTheEnd);
    EXPECT_EQ(result.total.made(), result.total.kept.count());
}

TEST_P(MisbehaverWay, GoesOverAUnixDomainSocketToo) {
    const nio::kerneltest::TemporaryFolder folder;
    support::ServerSetup setup;
    setup.address = nio::SocketAddress::unixPath(folder.file("server")).orThrow();
    Victim victim(apps::Framing::raw, setup);
    victim.echoes();
    MisbehaviourRun run(options(), victim.server.address());
    ASSERT_TRUE(victim.server.until([&] { return victim.listener().opened >= 20; }));
    EXPECT_TRUE(victim.serves("is anybody there?"));
    const auto result = victim.end(run);
    EXPECT_GE(result.total.made(), 20u);
    EXPECT_TRUE(result.total.errors.empty());
}

std::vector<Way> everyWay() {
    std::vector<Way> ways;
    for (const nio::SelectorKind engine : support::everyEngine()) {
        for (const Misbehaviour kind :
             {Misbehaviour::slowloris, Misbehaviour::neverRead, Misbehaviour::rstStorm,
              Misbehaviour::oneByte, Misbehaviour::halfMessage}) {
            ways.push_back({kind, engine});
        }
    }
    return ways;
}

INSTANTIATE_TEST_SUITE_P(All, MisbehaverWay, testing::ValuesIn(everyWay()), [](const auto& way) {
    std::string name = load::nameOf(way.param.kind);
    std::erase(name, '-');
    return name.append("_").append(nameOf(way.param.selector));
});

TEST(Misbehaver, DealsItsConnectionsOutToTheSourceAddresses) {
    Victim victim;
    load::LoadOptions options = misbehaving(Misbehaviour::slowloris, 4);
    for (const char* host : {"127.0.0.2", "127.0.0.3"}) {
        options.sources.push_back(nio::SocketAddress::numeric(host, 0).orThrow());
    }
    MisbehaviourRun run(options, victim.server.address());
    ASSERT_TRUE(victim.server.until([&] { return victim.peers.size() == 4; }));
    (void)victim.end(run);
    EXPECT_EQ(victim.peers,
              (std::multiset<std::string>{"127.0.0.2", "127.0.0.2", "127.0.0.3", "127.0.0.3"}));
}

TEST(Misbehaver, GivesUpWhereTheServerRefuses) {
    // Bound, so that nobody else gets it, but not listening.
    const nio::UniqueFd held =
        nio::kernel::openStreamSocket(nio::SocketAddress::Family::ipv4).orThrow();
    nio::kernel::bind(held.get(), nio::SocketAddress::loopback4(0)).orThrow();
    for (const auto& [name, kind] : load::misbehaviours()) {
        const load::LoadOptions options = misbehaving(kind, 1'000);
        MisbehaviourRun run(options, nio::kernel::localAddress(held.get()).orThrow());
        const load::MisbehaviourReport report(options, run.result());
        EXPECT_EQ(report.exitCode(), 1) << name;
        EXPECT_TRUE(report.isTotalFailure()) << name;
        EXPECT_NE(report.complaint().find("Connection refused"), std::string::npos) << name;
    }
}

// It would linger for a second.
TEST(Misbehaver, ResetsWhatIsLeftAtASecondSignal) {
    Victim victim;
    victim.listener().onFinished = [](support::PacketChannel& channel) {
        nio::onDispatcher.assertCurrent();
        channel.pauseReading();  // and never closes
    };
    MisbehaviourRun run(misbehaving(Misbehaviour::slowloris), victim.server.address());
    ASSERT_TRUE(victim.server.until([&] { return victim.open.size() == 5; }));
    run.interrupt();
    ASSERT_TRUE(victim.server.until([&] { return victim.listener().finished == 5; }));
    run.interrupt();
    ASSERT_TRUE(victim.server.until([&] { return run.isOver(); }));
    const auto result = run.result();
    EXPECT_TRUE(result.interrupted);
    EXPECT_EQ(result.total.made(), 5u);
    EXPECT_EQ(result.total.over, 5u);
    EXPECT_EQ(result.total.keptToTheEnd, 5u);
}

}  // namespace
