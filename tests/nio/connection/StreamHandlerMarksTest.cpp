// What a connection's output does when it crosses its marks: callbacks, and its own reading.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include <nio/codec/RawDecoder.h>

#include "support/Engines.h"
#include "support/ScriptedListener.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

constexpr std::size_t KiB = 1024;

class StreamHandlerMarks : public testing::TestWithParam<SelectorKind> {
  protected:
    void open(bool autoPause) {
        const auto listener = std::make_shared<support::ScriptedListener>();
        listener->onOpened = [this, autoPause](support::PacketChannel& opened) {
            onDispatcher.assertCurrent();
            channel_ = &opened;
            opened.setAutoPause(autoPause);
        };
        listener->onPacket = [this](support::PacketChannel&, std::string_view packet) {
            read_ += packet;
        };
        listener->onHighWater = [this](support::PacketChannel& channel) {
            EXPECT_TRUE(channel.isOutputAboveMark());
            told_.push_back("high");
            if (onHigh_) onHigh_();
        };
        listener->onLowWater = [this](support::PacketChannel& channel) {
            EXPECT_LE(channel.pendingBytes(), 32 * KiB);
            EXPECT_FALSE(channel.isOutputAboveMark());
            told_.push_back("low");
            if (onLow_) onLow_();
        };
        StreamOptions options;
        options.outputHighMark = 64 * KiB;
        dispatcher_.add(
            support::makeChannel(std::move(link_.channel), std::make_unique<RawDecoder>(), listener,
                                 std::make_shared<const StreamOptions>(options)),
            Interest::read);
    }
    void send(std::size_t bytes) {
        dispatcher_.inTurn([&] {
            onDispatcher.assertCurrent();
            channel_->send(asBytes(std::string(bytes, 'x')));
            sent_ += bytes;
        });
        dispatcher_.turns(3);
    }
    void peerReadsAll() {
        while (received_ < sent_) {
            received_ += link_.peer.receiveWhatIsThere().size();
            dispatcher_.turn();
        }
        dispatcher_.turns(3);
    }

    support::TestDispatcher dispatcher_{"test", support::with(GetParam())};
    support::Link link_ = support::makeLink();
    support::PacketChannel* channel_ = nullptr;
    std::vector<std::string> told_;
    std::function<void()> onHigh_, onLow_;
    std::string read_;
    std::size_t sent_ = 0;
    std::size_t received_ = 0;
};

TEST_P(StreamHandlerMarks, AreToldInTurnsOnceEach) {
    open(true);
    send(1024 * KiB);
    send(1024 * KiB);
    EXPECT_EQ(told_, std::vector<std::string>{"high"});
    peerReadsAll();
    EXPECT_EQ(told_, (std::vector<std::string>{"high", "low"}));
    send(1024 * KiB);
    peerReadsAll();
    EXPECT_EQ(told_, (std::vector<std::string>{"high", "low", "high", "low"}));
    EXPECT_TRUE(dispatcher_.failures.empty());
}

TEST_P(StreamHandlerMarks, AreNotToldOfWhatTheKernelTakesAtOnce) {
    open(true);
    send(100);
    peerReadsAll();
    EXPECT_TRUE(told_.empty());
}

TEST_P(StreamHandlerMarks, OwnReadingPausesByDefault) {
    open(true);
    send(1024 * KiB);
    link_.peer.send("question");
    dispatcher_.turns(5);
    EXPECT_EQ(read_, "");
    peerReadsAll();
    EXPECT_EQ(read_, "question");
}

TEST_P(StreamHandlerMarks, WithoutAutoPauseOwnReadingGoesOn) {
    open(false);
    send(1024 * KiB);
    link_.peer.send("question");
    dispatcher_.turns(5);
    EXPECT_EQ(read_, "question");
    EXPECT_EQ(told_, std::vector<std::string>{"high"});
    dispatcher_.inTurn([&] {
        onDispatcher.assertCurrent();
        channel_->pauseReading();
    });
    link_.peer.send(" two");
    dispatcher_.turns(5);
    EXPECT_EQ(read_, "question");
    dispatcher_.inTurn([&] {
        onDispatcher.assertCurrent();
        channel_->resumeReading();
    });
    dispatcher_.turns(5);
    EXPECT_EQ(read_, "question two");
    peerReadsAll();
    EXPECT_EQ(told_, (std::vector<std::string>{"high", "low"}));
}

TEST_P(StreamHandlerMarks, AutoPauseThatIsSwitchedOffLetsReadingGoOn) {
    open(true);
    send(1024 * KiB);
    link_.peer.send("question");
    dispatcher_.turns(5);
    ASSERT_EQ(read_, "");
    dispatcher_.inTurn([&] {
        onDispatcher.assertCurrent();
        channel_->setAutoPause(false);
    });
    dispatcher_.turns(5);
    EXPECT_EQ(read_, "question");
}

TEST_P(StreamHandlerMarks, WhatIsSentInLowWaterMayRiseAgain) {
    open(true);
    int more = 3;
    onLow_ = [&] {
        onDispatcher.assertCurrent();
        if (--more < 0) return;
        channel_->send(asBytes(std::string(512 * KiB, 'x')));
        sent_ += 512 * KiB;
    };
    send(1024 * KiB);
    peerReadsAll();
    EXPECT_EQ(told_.size(), 8u);
    EXPECT_EQ(received_, sent_);
}

TEST_P(StreamHandlerMarks, TheConnectionMayEndInHighWater) {
    open(true);
    onHigh_ = [&] {
        onDispatcher.assertCurrent();
        channel_->abort();
    };
    send(1024 * KiB);
    EXPECT_EQ(dispatcher_->connectionCount(), 0u);
    EXPECT_TRUE(dispatcher_.failures.empty());
}

INSTANTIATE_TEST_SUITE_P(On, StreamHandlerMarks, testing::ValuesIn(support::everyEngine()),
                         support::EngineName());

}  // namespace
}  // namespace nio
