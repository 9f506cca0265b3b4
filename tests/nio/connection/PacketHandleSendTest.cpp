// What becomes of packets sent from other threads: counted from the start, and each one answered.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <thread>

#include "support/RecordingHandler.h"
#include "support/ScriptedListener.h"
#include "support/TestDispatcher.h"

#include <nio/codec/LineDecoder.h>
#include <nio/codec/RawDecoder.h>
#include <nio/connection/PacketChannel.h>
#include <nio/memory/MemoryBudget.h>

namespace {

const std::string kibibyte(1024, 'x');

bool wouldBlock(const nio::Result<void>& sent) {
    return !sent && sent.error().is(std::errc::operation_would_block);
}

class PacketHandleSendTest : public testing::Test {
  protected:
    static nio::StreamOptions withMarks(std::size_t highMark, std::size_t limit) {
        nio::StreamOptions options;
        options.outputHighMark = highMark;
        options.outputLimit = limit;
        return options;
    }
    nio::PacketHandle connect(
        const nio::StreamOptions& options = withMarks(64 * 1024, 1024 * 1024),
        std::unique_ptr<nio::ProtocolDecoder> decoder = std::make_unique<nio::RawDecoder>()) {
        channel = &dispatcher.add(std::make_unique<nio::PacketChannel>(
                                      std::move(link.channel), std::move(decoder), listener,
                                      std::make_shared<nio::StreamOptions>(options)),
                                  nio::Interest::read);
        nio::PacketHandle handle;
        dispatcher.inTurn([&] { handle = channel->handle(); });
        return handle;
    }
    nio::Result<void> send(const nio::PacketHandle& handle, std::string_view packet) {
        return handle.send(packet, *sender, [this](const std::optional<nio::Error>& error) {
            EXPECT_TRUE(sender->isCurrent());
            error ? ++dropped[error->code()] : ++written;
        });
    }
    // Until it would block. The kernel takes a part of it only.
    int fill(const nio::PacketHandle& handle) {
        int accepted = 0;
        while (!channel->isOutputAboveMark()) {
            while (send(handle, kibibyte).ok()) ++accepted;
            dispatcher.turns(2);
        }
        EXPECT_TRUE(wouldBlock(send(handle, kibibyte)));
        return accepted;
    }

    int written = 0;
    std::map<std::error_code, int> dropped;
    support::Journal journal;
    support::Link link = support::makeLink();
    const std::shared_ptr<support::ScriptedListener> listener =
        std::make_shared<support::ScriptedListener>();
    support::TestDispatcher sender{"sender"};
    support::TestDispatcher dispatcher;
    nio::PacketChannel* channel = nullptr;
};

TEST_F(PacketHandleSendTest, HeldUpDispatcherTakesUpToTheHighMark) {
    const nio::PacketHandle handle = connect();
    int accepted = 0;
    nio::Result<void> sent;
    for (int i = 0; i < 300'000; ++i) {
        sent = handle.send(kibibyte);
        accepted += sent.ok();
    }
    EXPECT_TRUE(wouldBlock(sent));
    EXPECT_GT(accepted, 32);
    EXPECT_LE(accepted, 64);
    dispatcher.turns(2);
    const auto bytes = static_cast<std::size_t>(accepted) * kibibyte.size();
    EXPECT_EQ(link.peer.receive(bytes).size(), bytes);
    EXPECT_TRUE(handle.send(kibibyte).ok()) << "there is room again";
}

TEST_F(PacketHandleSendTest, SendersShareTheRoom) {
    const nio::PacketHandle handle = connect();
    std::atomic<int> accepted{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int k = 0; k < 100; ++k) accepted += handle.send(kibibyte).ok();
        });
    }
    for (std::thread& each : threads) each.join();
    EXPECT_GT(accepted, 32);
    EXPECT_LE(accepted, 64);
}

TEST_F(PacketHandleSendTest, ALargePacketMayBeAlone) {
    const nio::PacketHandle handle = connect(withMarks(64, 4096));
    EXPECT_TRUE(handle.send(kibibyte).ok());
    EXPECT_TRUE(wouldBlock(handle.send("x")));
    dispatcher.turns(2);
    EXPECT_TRUE(handle.send("x").ok());
}

TEST_F(PacketHandleSendTest, RefusesAPacketOverTheLimit) {
    const nio::PacketHandle handle = connect(withMarks(64, 512));
    const nio::Result<void> sent = send(handle, kibibyte);
    ASSERT_FALSE(sent.ok());
    EXPECT_TRUE(sent.error().is(nio::Errc::outputLimit));
    dispatcher.turns(2);
    sender.turns(2);
    EXPECT_TRUE(dropped.empty()) << "the error is all";
    EXPECT_EQ(listener->ended(), 0u);
}

TEST_F(PacketHandleSendTest, TellsOnTheSendersDispatcherWhenWritten) {
    const nio::PacketHandle handle = connect();
    EXPECT_TRUE(send(handle, "one").ok());
    EXPECT_TRUE(send(handle, "two").ok());
    sender.turns(2);
    EXPECT_EQ(written, 0);
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(6), "onetwo");
    sender.turns(2);
    EXPECT_EQ(written, 2);
    EXPECT_TRUE(dropped.empty());
}

TEST_F(PacketHandleSendTest, WouldBlockWhileOutputIsAboveItsMark) {
    const nio::PacketHandle handle = connect();
    const int accepted = fill(handle);
    std::size_t received = 0;
    EXPECT_TRUE(dispatcher.turnUntil([&] {
        received += link.peer.receiveWhatIsThere().size();
        return received == static_cast<std::size_t>(accepted) * kibibyte.size();
    }));
    dispatcher.turns(2);
    EXPECT_TRUE(send(handle, "on").ok());
    dispatcher.turns(2);
    sender.turns(2);
    EXPECT_EQ(written, accepted + 1);
}

TEST_F(PacketHandleSendTest, EveryPacketOfAnAbortedConnectionIsTold) {
    const nio::PacketHandle handle = connect();
    const int accepted = fill(handle);
    dispatcher.inTurn([&] { channel->abort(); });
    dispatcher.turns(2);
    sender.turns(2);
    EXPECT_GT(dropped[make_error_code(nio::Errc::cancelled)], 0);
    EXPECT_EQ(written + dropped[make_error_code(nio::Errc::cancelled)], accepted);
    const nio::Result<void> late = send(handle, "late");
    ASSERT_FALSE(late.ok());
    EXPECT_TRUE(late.error().is(nio::Errc::notRegistered));
}

TEST_F(PacketHandleSendTest, PacketsInFlightToAnEndedOneAreDropped) {
    const nio::PacketHandle handle = connect();
    dispatcher.inTurn([&] {
        EXPECT_TRUE(send(handle, "one").ok());
        channel->abort();
    });
    dispatcher.turns(2);
    sender.turns(2);
    EXPECT_EQ(dropped[make_error_code(nio::Errc::notRegistered)], 1);
}

TEST_F(PacketHandleSendTest, PacketsToAClosingConnectionAreDropped) {
    const nio::PacketHandle handle = connect();
    dispatcher.inTurn([&] { channel->closeAfterFlush(); });
    EXPECT_TRUE(send(handle, "late").ok());
    dispatcher.turns(2);
    sender.turns(2);
    EXPECT_EQ(dropped[make_error_code(nio::Errc::notRegistered)], 1);
}

TEST_F(PacketHandleSendTest, TellsWhatTheFramingHasRefused) {
    const nio::PacketHandle handle =
        connect(withMarks(64 * 1024, 1024 * 1024), std::make_unique<nio::LineDecoder>(8));
    EXPECT_TRUE(send(handle, "fits").ok());
    EXPECT_TRUE(send(handle, "this is too long").ok());
    dispatcher.turns(2);
    sender.turns(2);
    EXPECT_EQ(written, 1);
    EXPECT_EQ(dropped[make_error_code(nio::Errc::packetTooLong)], 1);
}

TEST_F(PacketHandleSendTest, TellsWhenAnotherHandlerHasTheChannel) {
    const nio::PacketHandle handle = connect();
    EXPECT_TRUE(send(handle, "one").ok());
    dispatcher.inTurn([&] {});
    sender.turns(2);
    EXPECT_EQ(written, 1);
    dispatcher.inTurn([&] {
        EXPECT_TRUE(send(handle, "two").ok());
        auto next =
            std::make_unique<support::RecordingHandler>(channel->takeChannel(), "next", journal);
        ASSERT_TRUE(dispatcher->registerChannelNow(std::move(next), nio::Interest::read));
    });
    dispatcher.turns(2);
    sender.turns(2);
    EXPECT_EQ(dropped[make_error_code(nio::Errc::notRegistered)], 1);
}

TEST_F(PacketHandleSendTest, APacketIsNotForAnotherProtocolOfTheChannel) {
    const nio::PacketHandle handle = connect();
    dispatcher.inTurn([&] {
        EXPECT_TRUE(send(handle, "for the old protocol").ok());
        auto next = std::make_unique<nio::PacketChannel>(
            channel->takeChannel(), std::make_unique<nio::LineDecoder>(), listener);
        ASSERT_TRUE(dispatcher->registerChannelNow(std::move(next), nio::Interest::read));
    });
    dispatcher.turns(2);
    sender.turns(2);
    EXPECT_EQ(dropped[make_error_code(nio::Errc::notRegistered)], 1);
    EXPECT_EQ(link.peer.receiveWhatIsThere(), "");
}

TEST_F(PacketHandleSendTest, RefusesOnceItsDispatcherHasStopped) {
    const nio::PacketHandle handle = connect();
    dispatcher->requestClose({.deadline = std::chrono::milliseconds::zero()});
    while (dispatcher.turn()) {
    }
    EXPECT_FALSE(send(handle, "late").ok());
    sender.turns(2);
    EXPECT_TRUE(dropped.empty());
}

TEST_F(PacketHandleSendTest, RefusesWhereTheTaskQueueIsFull) {
    nio::SelectorThreadOptions options;
    options.maxQueuedTasks = 1;
    support::TestDispatcher narrow{"narrow", options};
    channel =
        &narrow.add(std::make_unique<nio::PacketChannel>(
                        std::move(link.channel), std::make_unique<nio::RawDecoder>(), listener),
                    nio::Interest::read);
    nio::PacketHandle handle;
    narrow.inTurn([&] { handle = channel->handle(); });
    EXPECT_TRUE(send(handle, "one").ok());
    const nio::Result<void> second = send(handle, "two");
    ASSERT_FALSE(second.ok());
    EXPECT_TRUE(second.error().is(nio::Errc::queueFull));
    narrow.turns(2);
    sender.turns(2);
    EXPECT_EQ(written, 1);
    EXPECT_TRUE(dropped.empty());
}

TEST_F(PacketHandleSendTest, CountsAgainstTheMemoryBudget) {
    nio::MemoryBudgetOptions budgetOptions;
    budgetOptions.bytes = 16 * 1024;
    const auto budget = std::make_shared<nio::MemoryBudget>(budgetOptions);
    nio::SelectorThreadOptions options;
    options.memoryBudget = budget;
    support::TestDispatcher bounded{"bounded", options};
    channel =
        &bounded.add(std::make_unique<nio::PacketChannel>(
                         std::move(link.channel), std::make_unique<nio::RawDecoder>(), listener),
                     nio::Interest::read);
    nio::PacketHandle handle;
    bounded.inTurn([&] { handle = channel->handle(); });
    int accepted = 0;
    while (handle.send(kibibyte).ok()) ++accepted;
    EXPECT_LE(accepted, 16);
    EXPECT_GT(accepted, 8);
    EXPECT_GT(budget->figures().bytes, static_cast<std::size_t>(accepted) * kibibyte.size());
    bounded.turns(3);
    EXPECT_EQ(budget->figures().bytes, 0u);
    EXPECT_TRUE(handle.send(kibibyte).ok());
}

TEST_F(PacketHandleSendTest, AnExhaustedBudgetRefusesTheFirstPacketToo) {
    nio::MemoryBudgetOptions budgetOptions;
    budgetOptions.bytes = 16 * 1024;
    const auto budget = std::make_shared<nio::MemoryBudget>(budgetOptions);
    nio::PostedOutput first(withMarks(64 * 1024, 1024 * 1024), budget);
    nio::PostedOutput second(withMarks(64 * 1024, 1024 * 1024), budget);
    ASSERT_TRUE(first.reserve(14 * 1024).ok());
    EXPECT_TRUE(wouldBlock(second.reserve(1)));
    first.release(14 * 1024);
    EXPECT_TRUE(second.reserve(1).ok());
}

}  // namespace
