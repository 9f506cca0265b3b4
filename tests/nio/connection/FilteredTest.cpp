#include <nio/connection/Filtered.h>

#include <gtest/gtest.h>

#include "nio/connection/ToyFilter.h"
#include "support/Engines.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using support::ToyFilter;

const std::string hello(1, support::toyGreeting);

class FilteredTest : public testing::Test {
  protected:
    void inTurn(std::function<void()> f) { dispatcher.inTurn(f); }
    Result<void> arrive(std::string_view bytes, bool finSent = false) {
        Filtered::PlainInput plain;
        Result<void> decoded = filtered.decode(asBytes(bytes), plain, network(), finSent);
        arrived += asText(plain.bytes());
        return decoded;
    }
    SocketChannel& network() { return handler.channel(); }
    // All that was written to the network.
    std::string written() {
        (void)network().flush();
        return link.peer.receiveWhatIsThere();
    }

    support::Link link = support::makeLink();
    support::Journal journal;
    // Output leaves at once.
    support::TestDispatcher dispatcher{"test", support::with(SelectorKind::epoll)};
    support::RecordingHandler& handler = dispatcher.add(link, "h", journal, Interest::none);
    Filtered filtered{std::make_unique<ToyFilter>()};
    std::string arrived;
};

TEST_F(FilteredTest, BeginsOnce) {
    inTurn([&] {
        onDispatcher.assertCurrent();
        Filtered greeting{std::make_unique<ToyFilter>(true)};
        EXPECT_TRUE(greeting.begin(network()).ok());
        EXPECT_TRUE(greeting.begin(network()).ok());
        EXPECT_EQ(written(), hello);
    });
}

TEST_F(FilteredTest, OutputWaitsUntilTheFilterIsReady) {
    inTurn([&] {
        onDispatcher.assertCurrent();
        filtered.append(asBytes("abc"), network());
        EXPECT_TRUE(filtered.encode(network()).ok());
        EXPECT_EQ(filtered.pendingBytes(), 3u);
        EXPECT_GE(filtered.memory(), 3u);
        EXPECT_TRUE(arrive(hello).ok());
        EXPECT_TRUE(filtered.isReady());
        EXPECT_TRUE(filtered.encode(network()).ok());
        EXPECT_EQ(filtered.pendingBytes(), 0u);
        EXPECT_EQ(filtered.memory(), 0u);
        EXPECT_EQ(written(), hello + support::toyFrames("abc"));
    });
}

TEST_F(FilteredTest, DecodesInputAndThePeersEnd) {
    inTurn([&] {
        onDispatcher.assertCurrent();
        EXPECT_TRUE(arrive(hello + support::toyFrames("abc")).ok());
        EXPECT_FALSE(filtered.hasPeerFinished());
        EXPECT_TRUE(arrive(support::toyEnd()).ok());
        EXPECT_TRUE(filtered.hasPeerFinished());
        EXPECT_EQ(arrived, "abc");
    });
}

TEST_F(FilteredTest, SendsItsEndOnceBehindItsOutput) {
    inTurn([&] {
        onDispatcher.assertCurrent();
        EXPECT_TRUE(arrive(hello).ok());
        filtered.append(asBytes("abc"), network());
        EXPECT_TRUE(filtered.finish(network()).ok());
        EXPECT_TRUE(filtered.finishIsDeferred());
        EXPECT_TRUE(filtered.encode(network()).ok());
        EXPECT_TRUE(filtered.finish(network()).ok());
        EXPECT_TRUE(filtered.finish(network()).ok());
        EXPECT_FALSE(filtered.finishIsDeferred());
        EXPECT_EQ(written(), hello + support::toyFrames("abc") + support::toyEnd());
    });
}

TEST_F(FilteredTest, DropsPendingOutputWhenItFails) {
    inTurn([&] {
        onDispatcher.assertCurrent();
        filtered.append(asBytes("abc"), network());
        EXPECT_TRUE(filtered.fail(network()));
        EXPECT_EQ(filtered.pendingBytes(), 0u);
        EXPECT_EQ(filtered.lostBytes(), 3u);
        EXPECT_FALSE(filtered.fail(network())) << "there is no more";
        EXPECT_TRUE(filtered.hasFailed());
        EXPECT_FALSE(filtered.finishIsDeferred());
        EXPECT_TRUE(filtered.finish(network()).ok());
        EXPECT_EQ(written(), "");
    });
}

TEST_F(FilteredTest, GivesTheErrorsOfItsFilter) {
    inTurn([&] {
        onDispatcher.assertCurrent();
        EXPECT_TRUE(arrive(hello + support::toyFrames("good bad")).error().is(Errc::filterFailed));
        EXPECT_EQ(arrived, "good ");
        filtered.append(asBytes("unsayable"), network());
        EXPECT_TRUE(filtered.encode(network()).error().is(Errc::filterFailed));
        EXPECT_EQ(filtered.pendingBytes(), 9u);
    });
}

TEST_F(FilteredTest, AnswersNothingBehindOurFin) {
    inTurn([&] {
        onDispatcher.assertCurrent();
        EXPECT_TRUE(arrive(hello).ok());
        EXPECT_EQ(written(), hello);
        EXPECT_FALSE(arrive("\1?", true).ok() && arrive(support::toyFrames("bad"), true).ok());
        EXPECT_EQ(written(), "");
    });
}

TEST_F(FilteredTest, InputOfANestedReadIsItsOwn) {
    Filtered::PlainInput outer;
    outer.append(asBytes("outer"));
    {
        Filtered::PlainInput inner;
        inner.append(asBytes("in"));
        EXPECT_EQ(asText(inner.bytes()), "in");
    }
    EXPECT_EQ(asText(outer.bytes()), "outer");
    EXPECT_TRUE(Filtered::PlainInput().bytes().empty());
}

}  // namespace
}  // namespace nio
