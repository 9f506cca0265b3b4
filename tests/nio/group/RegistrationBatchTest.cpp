#include <nio/group/RegistrationBatch.h>

#include <gtest/gtest.h>

#include "support/TestDispatcher.h"

namespace {

using support::Journal;
using support::Link;
using support::makeLink;
using support::RecordingHandler;
using support::TestDispatcher;

std::size_t refused = 0;
void countRefused(const nio::Error&) {
    ++refused;
}

struct RegistrationBatch : testing::Test {
    RegistrationBatch() { refused = 0; }

    std::unique_ptr<RecordingHandler> make(const std::string& name) {
        Link link = makeLink();
        peers.push_back(std::move(link.peer));
        auto handler = std::make_unique<RecordingHandler>(std::move(link.channel), name, journal);
        handler->onRegistered = [this, name] { registered.push_back(name); };
        return handler;
    }
    // The peer's stream has ended.
    bool isClosed(std::size_t peer) {
        (void)peers.at(peer).receiveWhatIsThere();
        return peers[peer].last().status == nio::IoStatus::closed;
    }

    Journal journal;
    std::vector<std::string> registered;
    std::vector<support::Peer> peers;
    TestDispatcher dispatcher;
    nio::RegistrationBatch batch{*dispatcher, countRefused};
};

TEST_F(RegistrationBatch, IsOneTaskAndKeepsTheOrder) {
    for (const char* name : {"a", "b", "c"}) batch.add(make(name));
    EXPECT_TRUE(batch.post());
    EXPECT_EQ(batch.size(), 0U);
    EXPECT_EQ(dispatcher->queue()->size(), 1U);
    dispatcher.turn();
    EXPECT_EQ(registered, (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_EQ(dispatcher->connectionCount(), 3U);
}

TEST_F(RegistrationBatch, AThrowingErrorHandlerDoesNotStopTheBatch) {
    const auto complain = [](const nio::Error&) { throw std::runtime_error("oh"); };
    nio::RegistrationBatch complaining{*dispatcher, complain};
    auto closed = make("closed");
    closed->channel().close();
    complaining.add(std::move(closed));
    complaining.add(make("b"));
    EXPECT_TRUE(complaining.post());
    dispatcher.turn();
    EXPECT_EQ(registered, std::vector<std::string>{"b"});
    EXPECT_EQ(dispatcher->connectionCount(), 1U);
    EXPECT_EQ(dispatcher.failures, std::vector<std::string>{"task::invokeLater: oh"});
}

TEST_F(RegistrationBatch, CountsEachConnectionFromTheBeginning) {
    batch.add(make("a"));
    batch.add(make("b"));
    EXPECT_EQ(dispatcher->connectionCount(), 2U);
}

TEST_F(RegistrationBatch, AnEmptyOnePostsNothing) {
    EXPECT_TRUE(batch.post());
    EXPECT_EQ(dispatcher->queue()->size(), 0U);
}

TEST_F(RegistrationBatch, OneThatCannotBeRegisteredHarmsNoOther) {
    batch.add(make("a"));
    auto closed = make("closed");
    closed->channel().close();
    batch.add(std::move(closed));
    batch.add(make("c"));
    ASSERT_TRUE(batch.post());
    dispatcher.turn();
    EXPECT_EQ(registered, (std::vector<std::string>{"a", "c"}));
    EXPECT_EQ(refused, 1U);
    EXPECT_EQ(dispatcher->connectionCount(), 2U);
}

TEST_F(RegistrationBatch, AStoppedDispatcherClosesTheBatch) {
    dispatcher->requestClose();
    while (dispatcher.turn()) {
    }
    batch.add(make("a"));
    EXPECT_FALSE(batch.post());
    EXPECT_TRUE(isClosed(0));
    EXPECT_EQ(dispatcher->connectionCount(), 0U);
}

TEST_F(RegistrationBatch, WhatWasNotPostedIsClosedWithIt) {
    {
        nio::RegistrationBatch other(*dispatcher, countRefused);
        other.add(make("a"));
    }
    EXPECT_TRUE(isClosed(0));
    EXPECT_EQ(dispatcher->connectionCount(), 0U);
}

TEST_F(RegistrationBatch, CanBeFilledAgain) {
    for (const char* name : {"a", "b"}) {
        batch.add(make(name));
        ASSERT_TRUE(batch.post());
    }
    EXPECT_EQ(dispatcher->queue()->size(), 2U);
    dispatcher.turn();
    EXPECT_EQ(dispatcher->connectionCount(), 2U);
}

}  // namespace
