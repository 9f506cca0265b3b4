// A server for bad clients to be tried on: it notes what arrives, per connection, and whether it
// still serves an honest client.
//
// Thread: that of its test, which makes its turns.
#pragma once

#include <gtest/gtest.h>
#include <linux/tcp.h>
#include <netinet/in.h>

#include <map>
#include <set>
#include <string>

#include "apps/echo_client/misbehave/MisbehaviourRun.h"
#include "common/Framing.h"
#include "support/TestServer.h"

namespace support {

class Victim {
  public:
    explicit Victim(apps::Framing framing = apps::Framing::raw, ServerSetup setup = {})
        : server(setup, listener_, [framing] { return apps::makeDecoder(framing); }) {
        listener().onOpened = [this](support::PacketChannel& channel) { opened(channel); };
        listener().onPacket = [this](support::PacketChannel& channel, std::string_view packet) {
            seen[&channel] += packet;
            if (onPacket) onPacket(channel, packet);
        };
        listener().onFinished = [this](support::PacketChannel& channel) { finished(channel); };
        listener().onDisconnected = [this](support::PacketChannel& channel) {
            open.erase(&channel);
        };
        listener().onException = [this](support::PacketChannel& channel, const nio::Error& error) {
            open.erase(&channel);
            if (error.is(std::errc::connection_reset)) ++resets;
        };
    }

    ScriptedListener& listener() { return *listener_; }

    // What every packet is answered with.
    Victim& echoes() {
        onPacket = [](support::PacketChannel& channel, std::string_view packet) {
            channel.send(packet);
        };
        return *this;
    }

    // Whether somebody who behaves gets his answer; the server is to echo.
    ::testing::AssertionResult serves(std::string_view request) {
        TestClient& honest = server.connect();
        honest.send(request);
        const bool served = server.until([&] { return honest.hasReceived(request); });
        honest.close();
        if (!served) return ::testing::AssertionFailure() << "an honest client is not served";
        return ::testing::AssertionSuccess();
    }

    // Ends the run and waits until the server has seen the end of all its connections.
    load::MisbehaviourResult end(MisbehaviourRun& run) {
        run.interrupt();
        return ended(run);
    }
    // The run ends by itself.
    load::MisbehaviourResult ended(MisbehaviourRun& run) {
        EXPECT_TRUE(server.until([&] { return run.isOver(); }));
        load::MisbehaviourResult result = run.result();
        EXPECT_TRUE(
            server.until([&] { return listener().opened >= result.total.made() && open.empty(); }));
        return result;
    }

    // By connection, also those that are over.
    std::map<support::PacketChannel*, std::string> seen;
    std::set<support::PacketChannel*> open;
    std::multiset<std::string> peers;
    std::size_t resets = 0;
    std::uint64_t segments = 0;  // with data, of all connections that have finished
    std::function<void(support::PacketChannel&, std::string_view)> onPacket;

    std::size_t bytesSeen() const {
        std::size_t sum = 0;
        for (const auto& [channel, bytes] : seen) sum += bytes.size();
        return sum;
    }

  private:
    void opened(support::PacketChannel& channel) {
        open.insert(&channel);
        const auto peer = channel.channel().peerAddress();
        if (peer) peers.insert(peer.value().host());
    }

    void finished(support::PacketChannel& channel) {
        tcp_info info{};
        socklen_t size = sizeof info;
        if (::getsockopt(channel.channel().fd(), IPPROTO_TCP, TCP_INFO, &info, &size) == 0) {
            segments += info.tcpi_data_segs_in;
        }
        channel.closeAfterFlush();
    }

    // The addresses of connections that are over may come again.
    std::shared_ptr<ScriptedListener> listener_ = std::make_shared<ScriptedListener>();

  public:
    TestServer server;
};

}  // namespace support
