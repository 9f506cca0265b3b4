// Two dispatchers with one memory budget, and connections whose peers read nothing unless the test
// says so.
//
// Thread: one at a time.
#pragma once

#include <gtest/gtest.h>

#include <list>
#include <memory>
#include <string>

#include "support/TestDispatcher.h"

#include <nio/connection/StreamHandler.h>
#include <nio/memory/MemoryBudget.h>

namespace support {

inline constexpr std::size_t KiB = 1024;
inline constexpr std::size_t MiB = 1024 * KiB;

// Keeps what arrived, and how it ended.
class KeepingStream final : public nio::StreamHandler {
  public:
    struct Seen {
        std::string arrived;
        bool ended = false;
        std::optional<nio::Error> reason;
    };

    KeepingStream(nio::SocketChannel channel, const nio::StreamOptions& options)
        : StreamHandler(std::move(channel), std::make_shared<nio::StreamOptions>(options)) {}

    const std::shared_ptr<Seen> seen = std::make_shared<Seen>();

  protected:
    void bytesArrived(nio::ByteView bytes) override { seen->arrived += nio::asText(bytes); }
    void connectionClosed(const std::optional<nio::Error>& reason) override {
        seen->ended = true;
        seen->reason = reason;
    }
};

// A connection, its peer, who reads nothing unless the test says so, and what became of it.
struct SilentConnection {
    Peer peer;
    KeepingStream* stream;
    std::shared_ptr<KeepingStream::Seen> seen;
};

class MemoryTesting : public testing::Test {
  protected:
    static nio::MemoryBudgetOptions budgetOptions() {
        nio::MemoryBudgetOptions options;
        options.bytes = 10 * MiB;
        options.lookInterval = std::chrono::milliseconds(1);
        return options;
    }
    static nio::StreamOptions roomy() {
        nio::StreamOptions options;
        options.outputHighMark = 64 * MiB;
        options.outputLimit = 64 * MiB;
        options.movable = true;
        return options;
    }
    static nio::SelectorThreadOptions with(std::shared_ptr<nio::MemoryBudget> budget) {
        nio::SelectorThreadOptions options;
        options.memoryBudget = std::move(budget);
        return options;
    }

    // Before the first use of a dispatcher.
    void begin(const nio::MemoryBudgetOptions& options = budgetOptions()) {
        budget = std::make_shared<nio::MemoryBudget>(options);
        dispatchers.emplace_back("a", with(budget));
        dispatchers.emplace_back("b", with(budget));
    }
    TestDispatcher& a() { return dispatchers.front(); }
    TestDispatcher& b() { return dispatchers.back(); }

    static SilentConnection connect(TestDispatcher& dispatcher,
                                    const nio::StreamOptions& options = roomy()) {
        Link link = makeLink();
        auto made = std::make_unique<KeepingStream>(std::move(link.channel), options);
        auto seen = made->seen;
        KeepingStream& stream = dispatcher.add(std::move(made), nio::Interest::read);
        return {std::move(link.peer), &stream, seen};
    }
    // Until so much waits for the peer, or it has ended.
    static void fill(TestDispatcher& dispatcher, SilentConnection& connection, std::size_t bytes) {
        const std::string block(64 * KiB, 'x');
        while (!connection.seen->ended && connection.stream->pendingBytes() < bytes) {
            dispatcher.inTurn([&] {
                const std::size_t missing = bytes - connection.stream->pendingBytes();
                connection.stream->send(nio::asBytes(block).first(std::min(missing, 64 * KiB)));
            });
            dispatcher.turn();
        }
    }
    // Some output waits: as soon as the kernel's buffers are full.
    static void fillALittle(TestDispatcher& dispatcher, SilentConnection& connection) {
        fill(dispatcher, connection, 1);
    }
    void turnBoth(int count) {
        for (int i = 0; i < count; ++i) {
            a().turn();
            b().turn();
        }
    }
    template <class F>
    bool turnBothUntil(F&& done) {
        const nio::TimePoint end = nio::Clock::now() + nio::kerneltest::patience;
        while (!done() && nio::Clock::now() < end) {
            a()->turn(std::chrono::milliseconds(1));
            b()->turn(std::chrono::milliseconds(1));
        }
        return done();
    }
    static bool isRead(TestDispatcher& dispatcher, SilentConnection& connection) {
        const std::size_t before = connection.seen->arrived.size();
        connection.peer.send("!");
        dispatcher.turns(3);
        return connection.seen->arrived.size() > before;
    }

    std::shared_ptr<nio::MemoryBudget> budget;
    std::list<TestDispatcher> dispatchers;
};

}  // namespace support
