// What a handle tells later: that there is room again, and how the connection has ended.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/FailingMemory.h"
#include "support/TestDispatcher.h"

#include <nio/codec/RawDecoder.h>
#include <nio/memory/MemoryBudget.h>
#include <nio/pipeline/PipelineFactory.h>

namespace {

class PipelineHandleTellTest : public testing::Test {
  protected:
    static constexpr std::size_t mark = 64 * 1024;

    auto& connect(support::TestDispatcher& there, bool movable = false) {
        nio::StreamOptions options;
        options.outputHighMark = mark;
        options.movable = movable;
        const auto factory = nio::pipeline(nio::raw(), [](auto&, nio::ByteView) {}).with(options);
        auto& peer = there.add(factory(std::move(link.channel)), nio::Interest::read);
        there.inTurn([&] { handle = peer.handle(); });
        return peer;
    }
    auto& connect() { return connect(dispatcher); }
    nio::SendDone noting() {
        return [this](const std::optional<nio::Error>& error) {
            EXPECT_TRUE(sender->isCurrent());
            told.push_back(error ? error->message() : "yes");
        };
    }
    // What is in flight, and then what the kernel does not take.
    void fill() {
        do {
            while (handle.send(kibibyte).ok()) sent += kibibyte.size();
            dispatcher.turns(2);
        } while (handle.send("x").ok() && ++sent > 0);
    }
    void drainPeer() {
        EXPECT_TRUE(dispatcher.turnUntil([&] {
            received += link.peer.receiveWhatIsThere().size();
            return received == sent;
        }));
        dispatcher.turns(2);
    }
    std::vector<std::string> takeTold() {
        sender.turns(2);
        return std::exchange(told, {});
    }
    static std::string textOf(nio::Errc code, std::string context = {}) {
        return nio::Error(code, std::move(context)).message();
    }

    using Told = std::vector<std::string>;

    const std::string kibibyte = std::string(1024, 'x');
    std::size_t sent = 0, received = 0;
    Told told;
    support::Link link = support::makeLink();
    support::TestDispatcher sender{"sender"};
    support::TestDispatcher dispatcher;
    nio::PacketHandle handle;
};

TEST_F(PipelineHandleTellTest, RoomIsToldOnceThePeerHasRead) {
    connect();
    fill();
    EXPECT_TRUE(handle.whenWritable(*sender, noting()).ok());
    dispatcher.turns(3);
    EXPECT_EQ(takeTold(), Told{});
    drainPeer();
    EXPECT_EQ(takeTold(), Told{"yes"});
    EXPECT_TRUE(handle.send(kibibyte).ok());
    sent += kibibyte.size();
    drainPeer();
    EXPECT_EQ(takeTold(), Told{}) << "once for each refusal";
}

TEST_F(PipelineHandleTellTest, RoomIsToldAtOnceIfThereIsSome) {
    connect();
    EXPECT_TRUE(handle.whenWritable(*sender, noting()).ok());
    EXPECT_EQ(takeTold(), Told{}) << "not from inside the call";
    dispatcher.turn();
    EXPECT_EQ(takeTold(), Told{"yes"});
}

TEST_F(PipelineHandleTellTest, RoomIsToldByADispatcherThatWasHeldUp) {
    connect();
    while (handle.send("some").ok()) sent += 4;
    EXPECT_TRUE(handle.whenWritable(*sender, noting()).ok());
    drainPeer();
    EXPECT_EQ(takeTold(), Told{"yes"});
}

// What others have in flight is behind it in the queue.
TEST_F(PipelineHandleTellTest, RoomIsToldWhenWhatIsInFlightIsLittle) {
    connect();
    EXPECT_TRUE(handle.whenWritable(*sender, noting()).ok());
    while (handle.send(kibibyte).ok()) sent += kibibyte.size();
    drainPeer();
    EXPECT_TRUE(dispatcher.turnUntil([&] { return sender.turn() && !told.empty(); }));
    EXPECT_EQ(takeTold(), Told{"yes"});
}

// A result that waits for the peer is in flight.
TEST_F(PipelineHandleTellTest, ALargeItemIsTakenOnceRoomIsTold) {
    auto& peer = connect();
    while (peer.pendingBytes() == 0) {
        dispatcher.inTurn([&] { peer.send(kibibyte); });
        sent += kibibyte.size();
    }
    EXPECT_TRUE(handle.send(kibibyte, *sender, noting()).ok());
    dispatcher.turns(2);
    while (handle.send(kibibyte).ok()) sent += kibibyte.size();
    const std::string large(mark, 'y');
    EXPECT_TRUE(handle.send(large).error().is(std::errc::operation_would_block));
    EXPECT_TRUE(handle.whenWritable(*sender, noting()).ok());
    for (int i = 0; i < 3 && told.empty(); ++i) dispatcher.turn(), sender.turn();
    EXPECT_EQ(takeTold(), Told{"yes"});
    EXPECT_TRUE(handle.send(large).ok());
}

TEST_F(PipelineHandleTellTest, OutOfMemoryIsNotToldAsTheEnd) {
    if (!support::FailingMemory::isPossible()) GTEST_SKIP() << "operator new cannot be replaced";
    const std::string noMemory = nio::Error(std::errc::not_enough_memory, "send").message();
    connect();
    for (const bool asksForRoom : {true, false}) {
        bool failed = true;
        for (std::size_t n = 0; failed; ++n) {
            EXPECT_TRUE((asksForRoom ? handle.whenWritable(*sender, noting())
                                     : handle.whenClosed(*sender, noting()))
                            .ok());
            {
                const support::FailingMemory fails = support::FailingMemory::nth(n);
                dispatcher.turn();
                failed = fails.hasFailed();
            }
            for (const std::string& each : takeTold())
                EXPECT_TRUE(each == noMemory || each == "yes");
            ASSERT_EQ(dispatcher->connectionCount(), 1u);
        }
    }
}

TEST_F(PipelineHandleTellTest, TheEndIsToldInsteadOfRoom) {
    auto& peer = connect();
    fill();
    EXPECT_TRUE(handle.whenWritable(*sender, noting()).ok());
    dispatcher.turn();
    dispatcher.inTurn([&] { peer.abort(); });
    EXPECT_EQ(takeTold(), Told{textOf(nio::Errc::cancelled)});
    EXPECT_TRUE(handle.whenWritable(*sender, noting()).ok());
    dispatcher.turns(2);
    EXPECT_EQ(takeTold(), Told{textOf(nio::Errc::notRegistered, "send")}) << "it had ended before";
}

TEST_F(PipelineHandleTellTest, AClosingConnectionHasNoRoom) {
    auto& peer = connect();
    dispatcher.inTurn([&] { peer.closeAfterFlush(); });
    EXPECT_TRUE(handle.whenWritable(*sender, noting()).ok());
    dispatcher.turns(2);
    EXPECT_EQ(takeTold(), Told{});
    link.peer.close();
    EXPECT_TRUE(dispatcher.turnUntil([&] { return dispatcher->connectionCount() == 0; }));
    EXPECT_EQ(takeTold(), Told{textOf(nio::Errc::notRegistered, "send")});
}

TEST_F(PipelineHandleTellTest, RoomIsToldWhenTheBudgetHasSome) {
    nio::MemoryBudgetOptions budgetOptions;
    budgetOptions.bytes = 16 * 1024;
    nio::SelectorThreadOptions options;
    options.memoryBudget = std::make_shared<nio::MemoryBudget>(budgetOptions);
    support::TestDispatcher bounded{"bounded", options};
    connect(bounded);
    nio::StreamOptions roomy;
    nio::PostedOutput other(roomy, options.memoryBudget);
    ASSERT_TRUE(other.reserve(14 * 1024).ok());
    EXPECT_TRUE(handle.send("x").error().is(std::errc::operation_would_block));
    EXPECT_TRUE(handle.whenWritable(*sender, noting()).ok());
    bounded.turns(3);
    EXPECT_EQ(takeTold(), Told{});
    other.release(14 * 1024);
    EXPECT_TRUE(bounded.turnUntil([&] { return sender.turn() && !told.empty(); }));
    EXPECT_EQ(takeTold(), Told{"yes"});
    EXPECT_TRUE(handle.send("x").ok());
}

TEST_F(PipelineHandleTellTest, AMigrationLetsTheWaitersTryAgain) {
    support::TestDispatcher other{"other"};
    auto& peer = connect(dispatcher, true);
    fill();
    EXPECT_TRUE(handle.whenWritable(*sender, noting()).ok());
    dispatcher.turn();
    ASSERT_TRUE(dispatcher->moves().moveLater(handle, *other));
    for (int i = 0; i < 3; ++i) dispatcher.turn(), other.turn();
    ASSERT_EQ(&peer.dispatcher(), &*other);
    EXPECT_EQ(takeTold(), Told{"yes"});
    EXPECT_TRUE(handle.whenWritable(*sender, noting()).ok());
    for (int i = 0; i < 3; ++i) dispatcher.turn(), other.turn();
    EXPECT_EQ(takeTold(), Told{}) << "it is full there, too";
    other.inTurn([&] { peer.abort(); });
    EXPECT_EQ(takeTold(), Told{textOf(nio::Errc::cancelled)});
}

TEST_F(PipelineHandleTellTest, NothingIsToldOfWhatIsRefused) {
    EXPECT_TRUE(handle.whenWritable(*sender, noting()).error().is(nio::Errc::notRegistered));
    EXPECT_TRUE(handle.whenClosed(*sender, noting()).error().is(nio::Errc::notRegistered));
    connect();
    dispatcher->requestClose({.deadline = std::chrono::milliseconds::zero()});
    while (dispatcher.turn()) {
    }
    EXPECT_TRUE(handle.whenWritable(*sender, noting()).error().is(nio::Errc::stopped));
    EXPECT_TRUE(handle.whenClosed(*sender, noting()).error().is(nio::Errc::stopped));
    EXPECT_EQ(takeTold(), Told{});
}

TEST_F(PipelineHandleTellTest, AnOrderlyEndIsTold) {
    auto& peer = connect();
    EXPECT_TRUE(handle.whenClosed(*sender, noting()).ok());
    EXPECT_TRUE(handle.send("bye", *sender, noting()).ok());
    dispatcher.inTurn([&] { peer.closeAfterFlush(); });
    dispatcher.turns(2);
    EXPECT_EQ(takeTold(), Told{"yes"}) << "written, and lingers";
    EXPECT_EQ(link.peer.receive(3), "bye");
    link.peer.close();
    EXPECT_TRUE(dispatcher.turnUntil([&] { return dispatcher->connectionCount() == 0; }));
    EXPECT_EQ(takeTold(), Told{"yes"});
}

TEST_F(PipelineHandleTellTest, TheReasonOfAnEndIsTold) {
    auto& peer = connect();
    EXPECT_TRUE(handle.whenClosed(*sender, noting()).ok());
    dispatcher.inTurn([&] { peer.abort(); });
    EXPECT_EQ(takeTold(), Told{textOf(nio::Errc::cancelled)});
    EXPECT_TRUE(handle.whenClosed(*sender, noting()).ok());
    dispatcher.turn();
    EXPECT_EQ(takeTold(), Told{textOf(nio::Errc::notRegistered, "send")}) << "it had ended before";
}

TEST_F(PipelineHandleTellTest, TheWritesEndBeforeTheConnection) {
    auto& peer = connect();
    EXPECT_TRUE(handle.whenClosed(*sender, noting()).ok());
    fill();
    EXPECT_TRUE(handle.whenWritable(*sender, noting()).ok());
    dispatcher.turn();
    dispatcher.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        peer.send("unsent", [this](const auto& error) {
            ASSERT_TRUE(error);
            told.push_back("dropped");
        });
        peer.abort();
        EXPECT_EQ(told, Told{"dropped"});
    });
    EXPECT_EQ(takeTold(),
              (Told{"dropped", textOf(nio::Errc::cancelled), textOf(nio::Errc::cancelled)}));
}

TEST_F(PipelineHandleTellTest, AnotherProtocolIsNotTheConnection) {
    auto& peer = connect();
    EXPECT_TRUE(handle.whenClosed(*sender, noting()).ok());
    dispatcher.turn();
    dispatcher.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        ASSERT_TRUE(peer.replaceWith(nio::pipeline(nio::raw(), [](auto&, nio::ByteView) {})));
    });
    EXPECT_EQ(takeTold(), Told{textOf(nio::Errc::notRegistered, "send")});
}

// Sends on its own dispatcher as fast as the connection takes it.
class Feeder {
  public:
    Feeder(nio::SelectorThread& thread, nio::PacketHandle to, std::size_t packets)
        : thread_(thread), to_(std::move(to)), left_(packets) {}

    void feed() {
        while (left_ > 0) {
            const nio::Result<void> sent = to_.send(
                packet_, thread_, [this](const auto& error) { error ? ++dropped : ++written; });
            if (!sent) {
                ++refused;
                EXPECT_TRUE(sent.error().is(std::errc::operation_would_block));
                EXPECT_TRUE(to_.whenWritable(thread_,
                                             [this](const auto& error) {
                                                 error ? left_ = 0 : left_;
                                                 feed();
                                             })
                                .ok());
                return;
            }
            --left_;
        }
    }

    std::atomic<std::size_t> written{0}, dropped{0}, refused{0};

  private:
    nio::SelectorThread& thread_;
    const nio::PacketHandle to_;
    const std::string packet_ = std::string(1024, 'p');
    std::size_t left_;
};

TEST_F(PipelineHandleTellTest, ASlowPeerPacesASenderWithoutLoss) {
    constexpr std::size_t packets = 3000;
    nio::SelectorThread feeding({.name = "feeding"}), serving({.name = "serving"});
    nio::StreamOptions options;
    options.outputHighMark = mark;
    const auto factory = nio::pipeline(nio::raw(), [](auto&, nio::ByteView) {}).with(options);
    auto made = factory(std::move(link.channel));
    auto& peer = *made;
    serving.start();
    feeding.start();
    handle = serving
                 .invokeAndWait([&]() -> nio::PacketHandle {
                     nio::onDispatcher.assertCurrent();
                     EXPECT_TRUE(serving.registerChannelNow(std::move(made), nio::Interest::read));
                     return peer.handle();
                 })
                 .orThrow();
    Feeder feeder(feeding, handle, packets);
    ASSERT_TRUE(feeding.invokeLater([&] { feeder.feed(); }));
    EXPECT_EQ(link.peer.receive(packets * 1024).size(), packets * 1024);
    const nio::TimePoint end = nio::Clock::after(nio::kerneltest::patience);
    while (feeder.written < packets && nio::Clock::now() < end) std::this_thread::yield();
    EXPECT_EQ(feeder.written, packets);
    EXPECT_EQ(feeder.dropped, 0u);
    EXPECT_GT(feeder.refused, 0u);
    serving.requestClose(nio::DrainOptions::atOnce());
    serving.join();
}

}  // namespace
