// Two connections for a relay, with a peer of the test at each end.
//
// Thread: that of the test.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include <nio/codec/LineDecoder.h>
#include <nio/codec/RawDecoder.h>
#include <nio/codec/StxEtxDecoder.h>
#include <nio/connection/Pipe.h>
#include <nio/loop/SelectorThread.h>

#include "support/BareListener.h"
#include "support/Engines.h"
#include "support/PumpUntil.h"
#include "support/ScriptedListener.h"
#include "support/TestClient.h"

namespace pipetest {

using nio::Errc;
using nio::Interest;
using support::PacketChannel;
using support::ScriptedListener;
using support::TestClient;

constexpr std::size_t KiB = 1024;
constexpr std::size_t MiB = KiB * KiB;

// No two places of it are alike for as long as matters.
inline std::string noise(std::size_t bytes, unsigned seed) {
    std::string text(bytes, '\0');
    for (char& each : text) {
        seed = seed * 1664525u + 1013904223u;
        each = static_cast<char>(seed >> 24);
    }
    return text;
}

inline nio::StreamOptions smallMarks() {
    nio::StreamOptions options;
    options.outputHighMark = 64 * KiB;
    options.outputLimit = MiB;
    options.lingerTimeout = std::chrono::milliseconds(200);
    return options;
}

// A connection with its two ends.
struct Side {
    support::BareListener listening;
    // Small buffers: what is under way is mostly the relay's.
    TestClient peer{listening.address, {.receiveBufferBytes = 16384, .sendBufferBytes = 16384}};
    std::shared_ptr<ScriptedListener> listener = std::make_shared<ScriptedListener>();
    PacketChannel* channel = nullptr;  // while it lives
    std::function<std::unique_ptr<nio::ProtocolDecoder>()> framing = nio::raw();

    std::unique_ptr<PacketChannel> makeHandler(const nio::StreamOptions& options) {
        nio::kernel::Accepted accepted = nio::kernel::accept(listening.fd.get());
        for (; !accepted.result.isDone(); accepted = nio::kernel::accept(listening.fd.get())) {
            std::this_thread::yield();
        }
        nio::kernel::setSendBufferBytes(accepted.fd.get(), 16384).orThrow();
        auto handler =
            support::makeChannel(nio::SocketChannel(std::move(accepted.fd)), framing(), listener,
                                 std::make_shared<const nio::StreamOptions>(options));
        channel = handler.get();
        listener->onDisconnected = [this](PacketChannel&) { channel = nullptr; };
        listener->onException = [this](PacketChannel&, const nio::Error&) { channel = nullptr; };
        return handler;
    }
};

class PipeCase : public testing::TestWithParam<nio::SelectorKind> {
  protected:
    static nio::SelectorThreadOptions threadOptions() {
        nio::SelectorThreadOptions options = support::with(GetParam());
        options.onFailure = [](const nio::Failure&) {};
        return options;
    }

    void now(const std::function<void()>& task) {
        ASSERT_TRUE(thread.invokeLater([&] { task(); }));
        turn();
    }
    bool turn() { return thread.turn(std::chrono::nanoseconds::zero()); }
    void registerBoth(const nio::StreamOptions& options = smallMarks()) {
        now([&] {
            for (Side* side : {&a, &b}) {
                thread.registerChannelNow(side->makeHandler(options), Interest::read).orThrow();
            }
        });
    }
    void pipeThem() {
        now([&] { nio::pipe(*a.channel, *b.channel).orThrow(); });
    }
    void begin() {
        registerBoth();
        pipeThem();
    }
    // Turns and pumps until it is so; false when patience is over.
    bool until(const std::function<bool()>& condition) {
        return support::pumpUntil({&a.peer, &b.peer}, [&] {
            turn();
            return condition();
        });
    }
    // Until no byte moves any more.
    void untilStuck() {
        std::size_t before = SIZE_MAX;
        for (int idle = 0; idle < 50;) {
            for (int i = 0; i < 10; ++i) {
                turn();
                a.peer.pump();
                b.peer.pump();
            }
            const std::size_t moved = a.peer.sentBytes() + b.peer.sentBytes() +
                                      a.peer.received().size() + b.peer.received().size();
            idle = moved == before ? idle + 1 : 0;
            before = moved;
        }
    }
    bool bothHaveEnded() {
        return until([&] {
            return a.channel == nullptr && b.channel == nullptr && thread.connectionCount() == 0;
        });
    }
    void expectOrderly() {
        ASSERT_TRUE(bothHaveEnded());
        for (Side* side : {&a, &b}) {
            EXPECT_EQ(side->listener->disconnected, 1u);
            EXPECT_EQ(side->listener->failed, 0u);
            EXPECT_EQ(side->listener->packets, 0u);
        }
    }

    nio::SelectorThread thread{threadOptions()};
    Side a;
    Side b;
};

}  // namespace pipetest
