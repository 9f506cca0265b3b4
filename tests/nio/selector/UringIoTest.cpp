// What is handed over to io_uring is counted when the kernel has taken it, and what it has not
// taken is not taken back from a count that others read meanwhile.
#include <nio/selector/uring/UringIo.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <sstream>

#include <nio/observe/FlightDump.h>

#include "support/Engines.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using support::Journal;
using support::Link;
using support::makeLink;
using support::RecordingHandler;
using support::TestDispatcher;
using support::with;

class UringIoTest : public testing::Test {
  protected:
    void SetUp() override {
        const auto selector = Selector::open(with(SelectorKind::uring).selector);
        if (!selector) NIO_SKIP_OR_FAIL(selector.error().message());
        dispatcher_.emplace("test", with(SelectorKind::uring));
    }
    std::uint64_t sent() { return (*dispatcher_)->metrics().bytesOut; }

    // To a peer that takes nothing; what the dispatcher has counted inside and after the turn, in
    // which something else runs last.
    std::vector<std::uint64_t> writeToWhoTakesNothing(RecordingHandler& handler) {
        kernel::setSendBufferBytes(handler.channel().fd(), 4096).orThrow();
        const std::string much(60 * 1024, 'x');
        std::vector<std::uint64_t> counts;
        Deadline behind((*dispatcher_)->deadlines(), [] {});
        for (int i = 0; i < 2; ++i) {
            dispatcher_->inTurn([&] {
                onDispatcher.assertCurrent();
                (void)handler.channel().write(asBytes(much));
                counts.push_back(sent());
                behind.wakeAt(TimePoint());
            });
            dispatcher_->turns(2);
            counts.push_back(sent());
            written_ += much.size();
        }
        return counts;
    }

    Journal journal_;
    Link link_ = makeLink();
    std::optional<TestDispatcher> dispatcher_;
    std::size_t written_ = 0;
};

TEST_F(UringIoTest, WhatTheKernelDoesNotTakeIsNeverCountedAsSent) {
    RecordingHandler& handler = dispatcher_->add(link_, "h", journal_);
    const std::vector<std::uint64_t> counts = writeToWhoTakesNothing(handler);
    EXPECT_TRUE(std::is_sorted(counts.begin(), counts.end()));
    ASSERT_GT(handler.channel().pendingBytes(), 0U);
    EXPECT_EQ(sent(), written_ - handler.channel().pendingBytes());
    kernel::setSendBufferBytes(handler.channel().fd(), 1024 * 1024).orThrow();
    std::uint64_t last = sent();
    std::size_t received = 0;
    ASSERT_TRUE(dispatcher_->turnUntil([&] {
        received += link_.peer.receiveWhatIsThere().size();
        dispatcher_->inTurn([&] {
            onDispatcher.assertCurrent();
            (void)handler.channel().flush();
        });
        EXPECT_GE(sent(), last);
        last = sent();
        return received == written_;
    }));
    dispatcher_->turns(2);
    EXPECT_EQ(sent(), written_);
}

TEST_F(UringIoTest, WhatLeavesWithTheCloseIsCounted) {
    RecordingHandler& handler = dispatcher_->add(link_, "h", journal_);
    dispatcher_->inTurn([&] {
        onDispatcher.assertCurrent();
        (void)handler.channel().write(asBytes("goodbye"));
        handler.channel().close();
    });
    EXPECT_EQ(sent(), 7U);
    EXPECT_EQ(link_.peer.receive(7), "goodbye");
}

// Of all its records together.
std::uint64_t bytesOutInDump() {
    FILE* file = std::tmpfile();
    FlightDump::writeTo(::fileno(file), "test");
    std::rewind(file);
    std::string text;
    for (int letter = std::fgetc(file); letter != EOF; letter = std::fgetc(file)) {
        text += static_cast<char>(letter);
    }
    std::fclose(file);
    std::istringstream words(text);
    std::uint64_t all = 0;
    for (std::string word; words >> word;) {
        std::uint64_t out = 0;
        if (word == "out" && words >> out) all += out;
    }
    return all;
}

TEST_F(UringIoTest, ADumpCountsTheBytesOfHandedOverOutput) {
    RecordingHandler& handler = dispatcher_->add(link_, "h", journal_);
    (void)writeToWhoTakesNothing(handler);
    ASSERT_GT(handler.channel().pendingBytes(), 0U);
    EXPECT_GE(bytesOutInDump(), sent());
    EXPECT_LE(bytesOutInDump(), sent() + UringIo::maximumHandedOver);
}

}  // namespace
}  // namespace nio
