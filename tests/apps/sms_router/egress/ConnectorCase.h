// A connector whose SMSC is in the hands of a test: it dials, and the test answers.
//
// Thread: that of the test, which makes the turns.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "apps/sms_router/support/EsmeBench.h"
#include "sms_router/egress/SmscConnector.h"

namespace router {

inline constexpr std::string_view bindRequest =
    "00000023 00000009 00000000 00000001 'router' 00 'secret' 00 00 34 00 00 00";
inline constexpr std::string_view smscBound = "00000015 80000009 00000000 00000001 'smsc' 00";

class ConnectorCase : public ::testing::Test {
  protected:
    explicit ConnectorCase(Durability durability = Durability::memory)
        : bench({durability, folder.file("router.db")}) {
        bench.config.connectors.resize(1);
        dialing->config.name = "a";
        dialing->config.host = "127.0.0.1";
        dialing->config.port = listener->address().port();
        dialing->config.bind.systemId = "router";
        dialing->config.bind.password = "secret";
        dialing->config.timers.reconnectFirst = std::chrono::milliseconds(1);
        dialing->config.timers.reconnectMax = std::chrono::milliseconds(2);
        dialing->pduLimits = {10'000};
        session->side = smpp::Side::esme;
        session->window = 1000;
        dialing->config.window = session->window;
        dialing->session = session;
    }
    // The connector must outlive its connections.
    ~ConnectorCase() override {
        bench.dispatcher->requestClose({std::chrono::milliseconds(0)});
        while (bench.dispatcher.turn()) {
        }
    }
    void start() {
        bench.start();
        connector.emplace(SmscConnector::Identity{0, 1}, bench.shards[0], bench.board[0],
                          IdMap::Limits());
        bench.gates = {&*connector};
        bench.use();
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            connector->useNow(dialing);
        });
    }
    // The next connection that the connector makes.
    RawSmpp accept() {
        pollfd entry{listener->fd(), POLLIN, 0};
        EXPECT_TRUE(bench.dispatcher.turnUntil([&] {
            return nio::kernel::waitPoll({&entry, 1}, std::chrono::milliseconds(0)).orThrow() > 0;
        }));
        return RawSmpp(support::Peer(listener->acceptOne()), bench.dispatcher);
    }
    RawSmpp acceptAndBind() {
        RawSmpp smsc = accept();
        EXPECT_EQ(smsc.next(), written(bindRequest));
        smsc.send(smscBound);
        EXPECT_TRUE(bench.dispatcher.turnUntil([&] { return bench.board[0].live.load(); }));
        return smsc;
    }
    void switchOff() {
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            connector->switchNow(false);
        });
    }
    ConnectorRow row() {
        ConnectorRow row;
        bench.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            row = connector->describeNow();
        });
        return row;
    }

    nio::kerneltest::TemporaryFolder folder;
    std::optional<nio::kerneltest::Listener> listener{std::in_place,
                                                      nio::SocketAddress::Family::ipv4, folder};
    const std::shared_ptr<smpp::SessionOptions> session = std::make_shared<smpp::SessionOptions>();
    const std::shared_ptr<SmscDialing> dialing = std::make_shared<SmscDialing>();
    EsmeBench bench;
    std::optional<SmscConnector> connector;
};

}  // namespace router
