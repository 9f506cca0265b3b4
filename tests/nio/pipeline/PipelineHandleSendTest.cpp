// What becomes of packets sent from other threads: counted from the start, and each one answered.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "support/FailingMemory.h"
#include "support/ScriptedListener.h"
#include "support/TestDispatcher.h"

#include <nio/codec/LineDecoder.h>
#include <nio/codec/RawDecoder.h>
#include <nio/memory/MemoryBudget.h>
#include "support/PacketChannel.h"

namespace {

const std::string kibibyte(1024, 'x');

bool wouldBlock(const nio::Result<void>& sent) {
    return !sent && sent.error().is(std::errc::operation_would_block);
}

class PipelineHandleSendTest : public testing::Test {
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
        channel = &dispatcher.add(
            support::makeChannel(std::move(link.channel), std::move(decoder), listener,
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
    support::Link link = support::makeLink();
    const std::shared_ptr<support::ScriptedListener> listener =
        std::make_shared<support::ScriptedListener>();
    support::TestDispatcher sender{"sender"};
    support::TestDispatcher dispatcher;
    support::PacketChannel* channel = nullptr;
};

TEST_F(PipelineHandleSendTest, HeldUpDispatcherTakesUpToTheHighMark) {
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

TEST_F(PipelineHandleSendTest, SendersShareTheRoom) {
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

TEST_F(PipelineHandleSendTest, ALargePacketMayBeAlone) {
    const nio::PacketHandle handle = connect(withMarks(64, 4096));
    EXPECT_TRUE(handle.send(kibibyte).ok());
    EXPECT_TRUE(wouldBlock(handle.send("x")));
    dispatcher.turns(2);
    EXPECT_TRUE(handle.send("x").ok());
}

TEST_F(PipelineHandleSendTest, RefusesAPacketOverTheLimit) {
    const nio::PacketHandle handle = connect(withMarks(64, 512));
    const nio::Result<void> sent = send(handle, kibibyte);
    ASSERT_FALSE(sent.ok());
    EXPECT_TRUE(sent.error().is(nio::Errc::outputLimit));
    dispatcher.turns(2);
    sender.turns(2);
    EXPECT_TRUE(dropped.empty()) << "the error is all";
    EXPECT_EQ(listener->ended(), 0u);
}

TEST_F(PipelineHandleSendTest, TellsOnTheSendersDispatcherWhenWritten) {
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

TEST_F(PipelineHandleSendTest, WouldBlockWhileOutputIsAboveItsMark) {
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

TEST_F(PipelineHandleSendTest, EveryPacketOfAnAbortedConnectionIsTold) {
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

TEST_F(PipelineHandleSendTest, PacketsInFlightToAnEndedOneAreDropped) {
    const nio::PacketHandle handle = connect();
    dispatcher.inTurn([&] {
        EXPECT_TRUE(send(handle, "one").ok());
        channel->abort();
    });
    dispatcher.turns(2);
    sender.turns(2);
    EXPECT_EQ(dropped[make_error_code(nio::Errc::notRegistered)], 1);
}

TEST_F(PipelineHandleSendTest, PacketsToAClosingConnectionAreDropped) {
    const nio::PacketHandle handle = connect();
    dispatcher.inTurn([&] { channel->closeAfterFlush(); });
    EXPECT_TRUE(send(handle, "late").ok());
    dispatcher.turns(2);
    sender.turns(2);
    EXPECT_EQ(dropped[make_error_code(nio::Errc::notRegistered)], 1);
}

TEST_F(PipelineHandleSendTest, TellsWhatTheFramingHasRefused) {
    const nio::PacketHandle handle =
        connect(withMarks(64 * 1024, 1024 * 1024), std::make_unique<nio::LineDecoder>(8));
    EXPECT_TRUE(send(handle, "fits").ok());
    EXPECT_TRUE(send(handle, "this is too long").ok());
    dispatcher.turns(2);
    sender.turns(2);
    EXPECT_EQ(written, 1);
    EXPECT_EQ(dropped[make_error_code(nio::Errc::packetTooLong)], 1);
}

TEST_F(PipelineHandleSendTest, APacketIsNotForAnotherProtocolOfTheChannel) {
    const nio::PacketHandle handle = connect();
    EXPECT_TRUE(send(handle, "one").ok());
    dispatcher.turns(2);
    sender.turns(2);
    EXPECT_EQ(written, 1);
    EXPECT_EQ(link.peer.receive(3), "one");
    dispatcher.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        EXPECT_TRUE(send(handle, "for the old protocol").ok());
        ASSERT_TRUE(channel->replaceWith(nio::pipeline(nio::lines(), [](auto&, nio::ByteView) {})));
    });
    dispatcher.turns(2);
    sender.turns(2);
    EXPECT_EQ(dropped[make_error_code(nio::Errc::notRegistered)], 1);
    EXPECT_EQ(link.peer.receiveWhatIsThere(), "");
}

struct Doubles {
    using In = nio::Packet;
    using Out = std::string;
    void read(auto& context, nio::ByteView packet) {
        context.read(std::string(nio::asText(packet)));
    }
    void write(auto& context, const std::string& text) {
        nio::onDispatcher.assumeCurrent();
        context.write(std::string_view(text + text));
    }
};

// Not only bytes: what an application would send.
TEST_F(PipelineHandleSendTest, AnItemGoesThroughAllStages) {
    auto& typed = dispatcher.add(
        nio::pipeline(nio::lines(), Doubles(), [](auto&, std::string) {})(std::move(link.channel)),
        nio::Interest::read);
    nio::ItemHandle<std::string> handle;
    dispatcher.inTurn([&] { handle = typed.handle(); });
    EXPECT_TRUE(handle.send(std::string("ab")).ok());
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(5), "abab\n");
}

struct Picky {
    void write(auto& context, nio::ByteView packet) {
        nio::onDispatcher.assumeCurrent();
        if (nio::asText(packet) == "bad") throw std::runtime_error("cannot encode this");
        context.write(packet);
    }
};

TEST_F(PipelineHandleSendTest, TellsWhatAStageHasThrown) {
    auto& peer =
        dispatcher.add(nio::pipeline(nio::lines(), Picky(),
                                     [](auto&, std::string_view) {})(std::move(link.channel)),
                       nio::Interest::read);
    nio::PacketHandle handle;
    dispatcher.inTurn([&] { handle = peer.handle(); });
    std::string why;
    const auto note = [&](const std::optional<nio::Error>& error) {
        ASSERT_TRUE(error && error->is(nio::Errc::handlerFailed));
        why = error->context();
    };
    EXPECT_TRUE(handle.send("bad", *sender, note).ok());
    EXPECT_TRUE(send(handle, "good").ok());
    dispatcher.turns(2);
    sender.turns(2);
    EXPECT_EQ(why, "send: cannot encode this");
    EXPECT_EQ(written, 1);
    EXPECT_EQ(link.peer.receive(5), "good\n");
}

TEST_F(PipelineHandleSendTest, RefusesOnceItsDispatcherHasStopped) {
    const nio::PacketHandle handle = connect();
    dispatcher->requestClose({.deadline = std::chrono::milliseconds::zero()});
    while (dispatcher.turn()) {
    }
    EXPECT_FALSE(send(handle, "late").ok());
    sender.turns(2);
    EXPECT_TRUE(dropped.empty());
}

TEST_F(PipelineHandleSendTest, RefusesWhereTheTaskQueueIsFull) {
    nio::SelectorThreadOptions options;
    options.maxQueuedTasks = 1;
    support::TestDispatcher narrow{"narrow", options};
    channel = &narrow.add(support::makeChannel(std::move(link.channel),
                                               std::make_unique<nio::RawDecoder>(), listener),
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

TEST_F(PipelineHandleSendTest, CountsAgainstTheMemoryBudget) {
    nio::MemoryBudgetOptions budgetOptions;
    budgetOptions.bytes = 16 * 1024;
    const auto budget = std::make_shared<nio::MemoryBudget>(budgetOptions);
    nio::SelectorThreadOptions options;
    options.memoryBudget = budget;
    support::TestDispatcher bounded{"bounded", options};
    channel = &bounded.add(support::makeChannel(std::move(link.channel),
                                                std::make_unique<nio::RawDecoder>(), listener),
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

TEST_F(PipelineHandleSendTest, WhatThrowsIsNeitherCountedNorTold) {
    if (!support::FailingMemory::isPossible()) GTEST_SKIP() << "operator new cannot be replaced";
    const nio::PacketHandle handle = connect(withMarks(4096, 1024 * 1024));
    bool fails = true;
    for (std::size_t n = 0; fails; ++n) {
        const int before = written;
        bool throws = false;
        {
            const support::FailingMemory noMemory = support::FailingMemory::nth(n);
            try {
                EXPECT_TRUE(send(handle, kibibyte).ok()) << n;
            } catch (const std::bad_alloc&) {
                throws = true;
            }
            fails = noMemory.hasFailed();
        }
        dispatcher.turns(2);
        sender.turns(2);
        EXPECT_EQ(written, before + (throws ? 0 : 1)) << n;
        EXPECT_TRUE(dropped.empty()) << n;
        EXPECT_TRUE(handle.send("next").ok()) << n;
        dispatcher.turns(2);
    }
}

TEST_F(PipelineHandleSendTest, AnExhaustedBudgetRefusesTheFirstPacketToo) {
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
