// Channels that are closed while they are served, and when their handlers are destroyed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "support/Engines.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using support::Journal;
using support::Link;
using support::makeLink;
using support::RecordingHandler;
using support::TestDispatcher;
using testing::ElementsAre;
using testing::SizeIs;
using testing::UnorderedElementsAre;

// On every engine: what the kernel still holds of a closed channel differs between them.
class SelectorThreadClosingTest : public testing::TestWithParam<SelectorKind> {
  protected:
    static SelectorThreadOptions options() {
        SelectorThreadOptions options;
        options.selector.kind = GetParam();
        return options;
    }

    Journal journal_;
    TestDispatcher dispatcher_{"test", options()};
};

TEST_P(SelectorThreadClosingTest, DestroysAHandlerThatClosesItselfAtTheEndOfTheTurn) {
    Link link = makeLink();
    RecordingHandler& a = dispatcher_.add(link, "a", journal_);
    a.onRead = [&] {
        a.channel().close();
        a.channel().close();
        dispatcher_->flushLater(a.channel());
        dispatcher_->revisitLater(a.channel());
        dispatcher_->addChannelInterestNow(a.channel(), Interest::read);
        journal_.push_back("still there");
    };
    link.peer.send("x");
    dispatcher_.turn();
    EXPECT_THAT(journal_, ElementsAre("a read", "still there", "a destroyed"));
    EXPECT_EQ(link.peer.receiveAll(), "") << "the descriptor was closed";
    dispatcher_.turns(2);
    EXPECT_THAT(journal_, SizeIs(3));
}

TEST_P(SelectorThreadClosingTest, DoesNotCallWriteAfterReadHasClosed) {
    Link link = makeLink();
    link.peer.send("x");
    auto handler = std::make_unique<RecordingHandler>(std::move(link.channel), "a", journal_);
    handler->onRead = [&, raw = handler.get()] { raw->channel().close(); };
    dispatcher_.add(std::move(handler), Interest::read | Interest::write);
    EXPECT_THAT(journal_, ElementsAre("a read", "a destroyed"));
}

TEST_P(SelectorThreadClosingTest, CallsNobodyWhomAnotherOfTheBatchHasClosed) {
    Link one = makeLink(), two = makeLink();
    RecordingHandler& a = dispatcher_.add(one, "a", journal_);
    RecordingHandler& b = dispatcher_.add(two, "b", journal_);
    a.onRead = [&] { b.channel().close(); };
    b.onRead = [&] { a.channel().close(); };
    one.peer.send("x");
    two.peer.send("x");
    dispatcher_.turn();
    ASSERT_THAT(journal_, SizeIs(2)) << "one was called, the other destroyed";
    const char first = journal_[0][0];
    const char other = first == 'a' ? 'b' : 'a';
    EXPECT_EQ(journal_[0], std::string(1, first) + " read");
    EXPECT_EQ(journal_[1], std::string(1, other) + " destroyed");
    dispatcher_.turns(2);
    EXPECT_THAT(journal_, SizeIs(2));
}

TEST_P(SelectorThreadClosingTest, ServesANewChannelThatTookTheDescriptorOfAClosedOne) {
    Link one = makeLink(), two = makeLink();
    RecordingHandler& a = dispatcher_.add(one, "a", journal_);
    RecordingHandler& b = dispatcher_.add(two, "b", journal_);
    std::unique_ptr<Link> fresh;
    const auto closeOther = [&](RecordingHandler& other) {
        const int before = other.channel().fd();
        other.channel().close();
        fresh = std::make_unique<Link>(makeLink());
        EXPECT_EQ(fresh->channel.fd(), before) << "the number was to be used again";
        EXPECT_TRUE(dispatcher_->registerChannelNow(
            std::make_unique<RecordingHandler>(std::move(fresh->channel), "c", journal_),
            Interest::read));
    };
    a.onRead = [&] { closeOther(b); };
    b.onRead = [&] { closeOther(a); };
    one.peer.send("x");
    two.peer.send("x");
    dispatcher_.turn();
    dispatcher_.turns(2);
    EXPECT_THAT(journal_, SizeIs(2)) << "nothing has come for the new one";
    fresh->peer.send("x");
    dispatcher_.turn();
    EXPECT_EQ(journal_.back(), "c read");
}

TEST_P(SelectorThreadClosingTest, DestroysAllOfABatchAtTheEndOfTheTurn) {
    std::vector<Link> links;
    for (int i = 0; i < 4; ++i) links.push_back(makeLink());
    for (std::size_t i = 0; i < 4; ++i) {
        RecordingHandler& each = dispatcher_.add(links[i], std::to_string(i), journal_);
        each.onRead = [&] { each.channel().close(); };
    }
    for (Link& link : links) link.peer.send("x");
    dispatcher_.turn();
    ASSERT_THAT(journal_, SizeIs(8));
    EXPECT_THAT(Journal(journal_.begin(), journal_.begin() + 4),
                UnorderedElementsAre("0 read", "1 read", "2 read", "3 read"));
    EXPECT_THAT(Journal(journal_.begin() + 4, journal_.end()),
                UnorderedElementsAre("0 destroyed", "1 destroyed", "2 destroyed", "3 destroyed"));
}

TEST_P(SelectorThreadClosingTest, BuriesInTheSameTurnWhatADestructorCloses) {
    Link one = makeLink(), two = makeLink(), three = makeLink();
    RecordingHandler& a = dispatcher_.add(one, "a", journal_);
    RecordingHandler& b = dispatcher_.add(two, "b", journal_);
    RecordingHandler& c = dispatcher_.add(three, "c", journal_);
    a.onDestroyed = [&] { b.channel().close(); };
    b.onDestroyed = [&] { c.channel().close(); };
    dispatcher_.inTurn([&] {
        dispatcher_->flushLater(b.channel());
        a.channel().close();
    });
    EXPECT_THAT(journal_, ElementsAre("b flush", "a destroyed", "b destroyed", "c destroyed"));
    EXPECT_EQ(dispatcher_->connectionCount(), 0u);
}

TEST_P(SelectorThreadClosingTest, IgnoresAFlushAndARevisitFromADestructor) {
    Link one = makeLink(), two = makeLink();
    RecordingHandler& a = dispatcher_.add(one, "a", journal_);
    RecordingHandler& b = dispatcher_.add(two, "b", journal_);
    a.onDestroyed = [&] {
        dispatcher_->flushLater(b.channel());
        dispatcher_->revisitLater(b.channel());
        b.channel().close();
    };
    dispatcher_.inTurn([&] { a.channel().close(); });
    dispatcher_.turns(2);
    EXPECT_THAT(journal_, ElementsAre("a destroyed", "b destroyed"));
}

TEST_P(SelectorThreadClosingTest, ClosesFromRevisitAndFlushWithoutASecondCall) {
    Link one = makeLink(), two = makeLink();
    RecordingHandler& a = dispatcher_.add(one, "a", journal_);
    RecordingHandler& b = dispatcher_.add(two, "b", journal_);
    a.onRevisit = [&] { b.channel().close(); };
    b.onRevisit = [&] { a.channel().close(); };
    dispatcher_.inTurn([&] {
        for (RecordingHandler* each : {&a, &b}) dispatcher_->revisitLater(each->channel());
    });
    dispatcher_.turn();
    EXPECT_THAT(journal_, ElementsAre("a revisit", "b destroyed"));
    a.onFlush = [&] { a.channel().close(); };
    dispatcher_.inTurn([&] { dispatcher_->flushLater(a.channel()); });
    EXPECT_EQ(journal_.back(), "a destroyed");
}

// The descriptor may live on in another process, or as a copy: a close here must end it here.
TEST_P(SelectorThreadClosingTest, DuplicatedDescriptorsOfClosedChannelsAreSilent) {
    Link link = makeLink();
    RecordingHandler& a = dispatcher_.add(link, "a", journal_);
    const UniqueFd copy(::dup(a.channel().fd()));
    dispatcher_.inTurn([&] { a.channel().close(); });
    link.peer.send("x");
    EXPECT_TRUE(kerneltest::waitFor(copy.get(), POLLIN));
    dispatcher_.turns(3);
    EXPECT_THAT(journal_, ElementsAre("a destroyed"));
}

INSTANTIATE_TEST_SUITE_P(OnEveryEngine, SelectorThreadClosingTest,
                         testing::ValuesIn(support::everyEngine()), support::EngineName());

}  // namespace
}  // namespace nio
