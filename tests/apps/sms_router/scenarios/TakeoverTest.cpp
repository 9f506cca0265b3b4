// A new router takes the listeners of the running one over, which drains. NIO_TAKEOVER_ROUNDS: how
// often, 3 by default.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include <nio/channel/ServerSocketChannel.h>

#include "apps/sms_router/scenarios/RouterProcess.h"
#include "apps/sms_router/scenarios/TestSmsc.h"
#include "nio/sys/KernelTesting.h"
#include "support/Process.h"

namespace router::scenarios {

namespace {

using support::Process;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* drained =
    "sms-router stopped: 0 binds left open, 0 requests unanswered, 0 deliveries unacknowledged";

// Has one bind at a time, and answers all that comes.
class BusySmsc {
  public:
    std::uint16_t port() const { return smsc_.port(); }
    int rudeEnds() const { return rudeEnds_; }
    int accepted() const { return accepted_; }
    ~BusySmsc() {
        if (thread_.joinable()) stop();
    }
    void stop() {
        stopped_ = true;
        const nio::UniqueFd wakes = connectTo(nio::SocketAddress::loopback4(port()));
        thread_.join();
    }

  private:
    void serve() {
        for (;;) {
            SmppPeer connection = smsc_.acceptConnection();
            if (stopped_) return;
            SmscBind bind = acceptBind(std::move(connection));
            if (!answersUntilUnbind(bind)) ++rudeEnds_;
        }
    }
    bool answersUntilUnbind(SmscBind& bind) {
        while (const std::optional<OwnedPdu> pdu = bind.nextOrEnd()) {
            if (pdu->command() == Command::submitSm) {
                bind.answer(*pdu, std::to_string(++accepted_));
            } else {
                bind.answer(*pdu);
            }
            if (pdu->command() == Command::unbind) return bind.closedByPeer();
        }
        return false;
    }

    TestSmsc smsc_;
    std::atomic<bool> stopped_{false};
    std::atomic<int> rudeEnds_{0};
    std::atomic<int> accepted_{0};
    std::thread thread_{[this] { serve(); }};
};

struct Counts {
    std::atomic<int> binds{0};
    std::atomic<int> accepted{0};    // submits
    std::atomic<int> turnedAway{0};  // binds and submits that a drain refused, as it should
    std::atomic<int> refusedConnects{0};
    std::atomic<int> droppedBinds{0};
    std::atomic<int> lostAnswers{0};
};

// Binds, has submits outstanding all the time, and binds again when it is unbound.
class BusyEsme {
  public:
    BusyEsme(const nio::SocketAddress& address, std::string account, Counts& counts)
        : address_(address), account_(std::move(account)), counts_(counts), thread_([this] {
              while (!stopped_) connectAndServe();
          }) {}
    ~BusyEsme() {
        if (thread_.joinable()) stop();
    }
    void stop() {
        stopped_ = true;
        thread_.join();
    }

  private:
    void connectAndServe() {
        nio::UniqueFd connection;
        try {
            connection = connectTo(address_);
        } catch (const std::exception&) {
            ++counts_.refusedConnects;
            return;
        }
        SmppPeer peer(plainStream(std::move(connection)));
        if (binds(peer)) serve(peer);
    }
    // A connection that the draining router accepted last is closed, or its bind refused.
    bool binds(SmppPeer& peer) {
        try {
            const std::string password = "secret" + account_.substr(account_.size() - 1);
            if (peer.bind({.systemId = account_, .password = password}) == Status::ok) {
                ++counts_.binds;
                return true;
            }
        } catch (const std::runtime_error&) {
            // As if it were refused.
        }
        ++counts_.turnedAway;
        return false;
    }
    void serve(SmppPeer& peer) {
        std::set<std::uint32_t> outstanding;
        if (!servesUntilUnbind(peer, outstanding)) ++counts_.droppedBinds;
        counts_.lostAnswers += static_cast<int>(outstanding.size());
    }
    bool servesUntilUnbind(SmppPeer& peer, std::set<std::uint32_t>& outstanding) try {
        std::optional<OwnedPdu> unbind;
        while (!unbind || !outstanding.empty()) {
            const bool sends = !stopped_ && !unbind;
            while (sends && outstanding.size() < 8) outstanding.insert(peer.submit({.text = "x"}));
            if (outstanding.empty()) return peer.unbind(), true;
            const std::optional<OwnedPdu> pdu = peer.nextOrEnd();
            if (!pdu) return unbind.has_value();
            if (pdu->command() == Command::unbind) unbind = pdu;
            if (outstanding.erase(pdu->sequence()) == 0) continue;
            ++(pdu->status() == Status::ok ? counts_.accepted : counts_.turnedAway);
        }
        peer.answer(*unbind);
        return true;
    } catch (const std::runtime_error&) {
        return false;
    }

    const nio::SocketAddress address_;
    const std::string account_;
    Counts& counts_;
    std::atomic<bool> stopped_{false};
    std::thread thread_;
};

class RouterTakeover : public testing::Test {
  protected:
    std::unique_ptr<Process> started(const std::vector<std::string>& more = {}) {
        std::vector<std::string> command{support::bin("sms-router"),
                                         "--config",
                                         config,
                                         "--takeover",
                                         folder.file("takeover"),
                                         "--set",
                                         "listener.esme.port=" + std::to_string(address.port())};
        command.insert(command.end(), more.begin(), more.end());
        return std::make_unique<Process>(command);
    }
    void startFirst() {
        RouterSetup setup;
        setup.connectors = {{"smsc", smsc.port()}};
        setup.durability = "commit";
        std::ofstream(config) << setup.text(folder.file("router.db"), "");
        router = started();
        const std::string line = router->readLine();
        const std::string before = "sms-router listening on ";
        ASSERT_THAT(line, StartsWith(before)) << router->errors();
        address =
            nio::SocketAddress::parse(line.substr(before.size(), line.find(" (") - before.size()))
                .orThrow();
    }
    void takeOver() {
        auto next = started();
        EXPECT_THAT(next->readLine(), StartsWith("sms-router listening on " + address.toString()));
        EXPECT_EQ(next->readLine(), "sms-router has taken over");
        EXPECT_EQ(router->readLine(), drained);
        EXPECT_EQ(router->wait(), 0);
        router = std::move(next);
    }
    void stop() {
        router->signal(SIGTERM);
        EXPECT_EQ(router->wait(), 0);
    }

    const nio::kerneltest::TemporaryFolder folder;
    const std::string config = folder.file("router.toml");
    nio::SocketAddress address = nio::SocketAddress::loopback4(0);
    BusySmsc smsc;
    std::unique_ptr<Process> router;
};

int rounds() {
    const char* given = std::getenv("NIO_TAKEOVER_ROUNDS");
    return given == nullptr ? 3 : std::atoi(given);
}

void awaitMore(const std::atomic<int>& count, int more) {
    const nio::TimePoint end = nio::Clock::after(patience);
    for (const int wanted = count + more; count < wanted; std::this_thread::yield()) {
        ASSERT_LT(nio::Clock::now(), end);
    }
}

}  // namespace

TEST_F(RouterTakeover, NoBindIsDroppedAndNoAnswerLost) {
    ASSERT_NO_FATAL_FAILURE(startFirst());
    Counts counts;
    BusyEsme one(address, "esme1", counts);
    BusyEsme two(address, "esme2", counts);
    for (int round = 0; round < rounds(); ++round) {
        awaitMore(counts.accepted, 50);
        takeOver();
    }
    awaitMore(counts.accepted, 50);
    one.stop();
    two.stop();
    stop();
    smsc.stop();
    std::cout << rounds() << " takeovers: " << counts.binds << " binds, " << counts.accepted
              << " submits accepted, " << counts.turnedAway << " refused in a drain; "
              << counts.refusedConnects << " connects refused, " << counts.droppedBinds
              << " binds dropped, " << counts.lostAnswers << " answers lost\n";
    EXPECT_EQ(counts.refusedConnects, 0);
    EXPECT_EQ(counts.droppedBinds, 0);
    EXPECT_EQ(counts.lostAnswers, 0);
    EXPECT_EQ(smsc.rudeEnds(), 0);
    EXPECT_EQ(smsc.accepted(), counts.accepted);
}

TEST_F(RouterTakeover, OneThatCannotStartLeavesTheOldOneServing) {
    ASSERT_NO_FATAL_FAILURE(startFirst());
    SmppPeer esme(address);
    ASSERT_EQ(esme.bind(), Status::ok);
    const auto taken = nio::ServerSocketChannel::open(nio::SocketAddress::loopback4(0)).orThrow();
    const std::string port = std::to_string(taken.localAddress().orThrow().port());
    const auto wrong = started({"--set", "router.no_such_key=1"});
    EXPECT_EQ(wrong->wait(), 2);
    const auto occupied = started({"--set", "admin.port=" + port});
    EXPECT_EQ(occupied->wait(), 1);
    EXPECT_THAT(occupied->errors(), HasSubstr("127.0.0.1:" + port + ": Address already in use"));
    const std::uint32_t sent = esme.submit({.text = "still here"});
    EXPECT_EQ(esme.expectAnswer(sent).status(), Status::ok);
}

TEST_F(RouterTakeover, ListenersOfAReloadAreTakenOver) {
    ASSERT_NO_FATAL_FAILURE(startFirst());
    const std::string more = freeAddress().toString();
    const std::size_t colon = more.find(':');
    std::ofstream(config, std::ios::app) << "\n[listener.more]\nhost = \"" << more.substr(0, colon)
                                         << "\"\nport = " << more.substr(colon + 1) << "\n";
    router->signal(SIGHUP);
    for (std::string line; line.find("reloaded") == std::string::npos;) {
        line = router->readErrorLine();
        ASSERT_NE(line, "");
    }
    auto next = started();
    EXPECT_THAT(next->readLine(), HasSubstr(more));
    EXPECT_EQ(next->readLine(), "sms-router has taken over") << next->errors();
    EXPECT_EQ(router->readLine(), drained);
}

}  // namespace router::scenarios
