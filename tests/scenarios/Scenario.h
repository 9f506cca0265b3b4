// What the scenarios share: each runs on every engine, with 1, 2 and 4 dispatchers, all turned by
// the test's own thread, so that nothing depends on time.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "support/Engines.h"
#include "support/TestServer.h"

namespace scenarios {

struct Setting {
    nio::SelectorKind selector;
    std::size_t dispatchers;
};

inline std::string nameOf(const ::testing::TestParamInfo<Setting>& info) {
    return std::string(nio::nameOf(info.param.selector)) + std::to_string(info.param.dispatchers);
}

inline auto everySetting() {
    std::vector<Setting> settings;
    for (const nio::SelectorKind engine : support::everyEngine()) {
        for (const std::size_t dispatchers : {1, 2, 4}) settings.push_back({engine, dispatchers});
    }
    return ::testing::ValuesIn(settings);
}

// For onPacket: more than small buffers hold.
inline void answerMuchAndClose(support::PacketChannel& channel, std::string_view) {
    for (int i = 0; i < 20; ++i) {
        channel.send(std::string(50'000, 'x'));
    }
    channel.closeAfterFlush();
}

class Scenario : public ::testing::TestWithParam<Setting> {
  protected:
    using End = support::TestClient::End;

    Scenario() {
        setup.dispatchers = GetParam().dispatchers;
        setup.thread.selector.kind = GetParam().selector;
    }

    // The hooks show things of the test that are gone now; the server's end is told to nobody.
    void TearDown() override {
        if (!setup.ownThreads) listener->forgetHooks();
        server_.reset();
    }

    // Makes the server from `setup` and `listener`; call it once both are as the test wants them.
    support::TestServer& serve(support::DecoderMaker makeDecoder = support::lineDecoder) {
        server_ = std::make_unique<support::TestServer>(setup, listener, std::move(makeDecoder));
        return *server_;
    }
    support::TestServer& server() { return *server_; }
    // Of a server with small buffers: a client that asks, and takes nothing of a large answer.
    support::TestClient& askAndTakeNothing() {
        setup.sendBufferBytes = 8 * 1024;
        listener->onPacket = answerMuchAndClose;
        serve();
        support::TestClient& client = server().connect({.receiveBufferBytes = 8 * 1024});
        client.stopReading();
        client.send("question\n");
        return client;
    }

    static std::string numberedLines(std::size_t count) {
        std::string lines;
        for (std::size_t i = 0; i < count; ++i) lines += "line " + std::to_string(i) + "\n";
        return lines;
    }

    support::ServerSetup setup;
    const std::shared_ptr<support::ScriptedListener> listener =
        std::make_shared<support::ScriptedListener>();

  private:
    std::unique_ptr<support::TestServer> server_;
};

}  // namespace scenarios

// Declares a group of scenarios: SCENARIOS(Drain); TEST_P(Drain, …) { … }
#define SCENARIOS(name)                         \
    class name : public scenarios::Scenario {}; \
    INSTANTIATE_TEST_SUITE_P(Sockets, name, scenarios::everySetting(), scenarios::nameOf)
