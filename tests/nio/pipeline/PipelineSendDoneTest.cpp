// peer.send(item, done): what becomes of each item, told on the connection.
#include <algorithm>
#include <stdexcept>

#include <nio/codec/RawDecoder.h>

#include "nio/pipeline/PipelineCase.h"

namespace {

using pipelinetest::PipelineCase;
using pipelinetest::Recorder;
using pipelinetest::Strings;

class PipelineSendDoneTest : public PipelineCase {
  protected:
    auto& connect() { return add(nio::pipeline(nio::lines(8), Recorder{&seen})); }
    auto noting(std::string name) {
        return [this, name](const std::optional<nio::Error>& error) {
            EXPECT_TRUE(dispatcher->isCurrent());
            seen.push_back(name + ": " + (error ? error->message() : "written"));
        };
    }
    static std::string dropped(nio::Errc code) { return nio::Error(code, "send").message(); }
};

TEST_F(PipelineSendDoneTest, IsToldWhenTheKernelHasTheItem) {
    auto& peer = connect();
    seen.clear();
    dispatcher.inTurn([&] {
        peer.send("one", noting("one"));
        peer.send("two", noting("two"));
        EXPECT_EQ(seen, Strings{});
    });
    EXPECT_EQ(link.peer.receive(8), "one\ntwo\n");
    EXPECT_EQ(seen, (Strings{"one: written", "two: written", "flushed"}));
}

TEST_F(PipelineSendDoneTest, MayCloseTheConnection) {
    auto& peer = connect();
    dispatcher.inTurn([&] {
        peer.send("bye", [&](const auto& error) {
            EXPECT_FALSE(error);
            peer.closeAfterFlush();
        });
    });
    EXPECT_EQ(link.peer.receive(4), "bye\n");
    link.peer.close();
    EXPECT_TRUE(turnUntilEnded());
}

TEST_F(PipelineSendDoneTest, MaySendTheNext) {
    auto& peer = connect();
    dispatcher.inTurn(
        [&] { peer.send("one", [&](const auto&) { peer.send("two", noting("two")); }); });
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(8), "one\ntwo\n");
    EXPECT_EQ(seen.back(), "flushed");
    EXPECT_EQ(std::count(seen.begin(), seen.end(), "two: written"), 1);
}

TEST_F(PipelineSendDoneTest, IsToldWhyTheItemWasDropped) {
    auto& peer = connect();
    seen.clear();
    dispatcher.inTurn([&] {
        peer.send("lost", noting("lost"));
        peer.abort();
    });
    ASSERT_EQ(seen.size(), 3u);
    EXPECT_EQ(seen[0], "lost: " + nio::Error(nio::Errc::cancelled).message());
    EXPECT_EQ(seen[2], "closed") << "before the application";
}

TEST_F(PipelineSendDoneTest, IsToldAtOnceIfTheConnectionCloses) {
    auto& peer = connect();
    seen.clear();
    dispatcher.inTurn([&] {
        peer.closeAfterFlush();
        peer.send("late", noting("late"));
        EXPECT_EQ(seen, Strings{"late: " + dropped(nio::Errc::notRegistered)});
    });
}

TEST_F(PipelineSendDoneTest, IsToldWhatTheFramingRefuses) {
    auto& peer = connect();
    seen.clear();
    dispatcher.inTurn([&] { peer.send("much too long", noting("long")); });
    ASSERT_FALSE(seen.empty());
    EXPECT_NE(seen[0].find(nio::Error(nio::Errc::packetTooLong).message()), std::string::npos);
}

TEST_F(PipelineSendDoneTest, WhatItThrowsEndsItsConnectionOnly) {
    auto& peer = connect();
    seen.clear();
    dispatcher.inTurn([&] {
        peer.send("one", [](const auto&) { throw std::runtime_error("oh"); });
        peer.send("two", noting("two"));
    });
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, (Strings{"two: written", nio::Error(nio::Errc::handlerFailed, "oh").message(),
                             "closed"}));
    EXPECT_EQ(dispatcher.failures.size(), 1u);
}

TEST_F(PipelineSendDoneTest, WhatItThrowsDoesNotHideTheEnd) {
    auto& peer = connect();
    seen.clear();
    dispatcher.inTurn([&] {
        peer.send("one", [](const auto&) { throw std::runtime_error("oh"); });
        EXPECT_THROW(peer.abort(), std::runtime_error);
    });
    EXPECT_EQ(seen, (Strings{nio::Error(nio::Errc::cancelled).message(), "closed"}));
}

TEST_F(PipelineSendDoneTest, IsToldOnTheDispatcherThatTheConnectionIsOn) {
    support::TestDispatcher other{"other"};
    nio::StreamOptions options;
    options.movable = true;
    options.outputLimit = 64 * 1024 * 1024;
    auto& peer = add(nio::pipeline(nio::raw(), Recorder{&seen}).with(options));
    const std::string much(8 * 1024 * 1024, 'm');
    bool isTold = false;
    nio::ChannelHandle handle;
    dispatcher.inTurn([&] {
        handle = peer.handle();
        peer.send(much, [&](const auto& error) {
            EXPECT_FALSE(error);
            EXPECT_TRUE(other->isCurrent());
            isTold = true;
        });
    });
    ASSERT_TRUE(dispatcher->moves().moveLater(handle, *other));
    for (int i = 0; i < 3; ++i) dispatcher.turn(), other.turn();
    EXPECT_FALSE(isTold);
    std::size_t received = 0;
    EXPECT_TRUE(other.turnUntil([&] {
        received += link.peer.receiveWhatIsThere().size();
        return received == much.size();
    }));
    other.turns(2);
    EXPECT_TRUE(isTold);
    other.inTurn([&] { peer.abort(); });
}

}  // namespace
