// One test body for every selector.
#include <nio/selector/Selector.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "support/Engines.h"
#include "support/PlainKey.h"
#include "support/TestSockets.h"

namespace nio {
namespace {

using namespace std::chrono_literals;
using support::Link;
using support::makeLink;
using support::PlainKey;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class SelectorTest : public testing::TestWithParam<SelectorKind> {
  protected:
    explicit SelectorTest(std::size_t maxSelectedKeys = 128) {
        SelectorOptions options;
        options.kind = GetParam();
        options.maxSelectedKeys = maxSelectedKeys;
        selector_ = Selector::open(options).orThrow();
        context_.emplace(SelectionKey::Context{{identity_, selector_->io()}, *selector_});
        turn_.emplace(identity_);
    }
    ~SelectorTest() override {
        for (auto& [key, link] : links_) link.channel.close();
        selector_.reset();
        if (GetParam() == SelectorKind::uring) support::awaitEndOfRing();
    }

    PlainKey& add(Link link, Interest interest) {
        keys_.push_back(nullptr);
        auto place = std::make_unique<Link>(std::move(link));
        auto key = std::make_unique<PlainKey>(*context_, place->channel, interest);
        PlainKey& added = *key;
        place->channel.attach(added);
        auto [entry, isNew] = links_.emplace(&added, std::move(*place));
        EXPECT_TRUE(isNew);
        EXPECT_TRUE(selector_->add(added));
        keys_.back() = std::move(key);
        return added;
    }
    PlainKey& add(Interest interest) { return add(makeLink(), interest); }

    support::Peer& peerOf(SelectionKey& key) { return links_.at(&key).peer; }
    SocketChannel& channelOf(SelectionKey& key) { return links_.at(&key).channel; }

    std::vector<SelectionKey*> select(kernel::WaitTime wait = 0ns) {
        const auto selected = selector_->select(wait).orThrow();
        return {selected.begin(), selected.end()};
    }
    // Whether a dispatcher would: its waits of 20 ms would take less, or find what nobody wants.
    // Some may be cut short by what the kernel still does for a test before.
    bool spins() {
        int selects = 0;
        int found = 0;
        for (const TimePoint end = Clock::now() + 120ms; Clock::now() < end; ++selects) {
            if (!select(20ms).empty()) ++found;
        }
        return selects > 20 || found > 1;
    }

    DispatcherIdentity identity_{"test"};
    std::optional<SelectionKey::Context> context_;
    std::unique_ptr<Selector> selector_;
    std::optional<DispatcherIdentity::Turn> turn_;
    std::vector<std::unique_ptr<PlainKey>> keys_;
    std::map<SelectionKey*, Link> links_;
};

TEST_P(SelectorTest, HasTheNameThatWasAskedFor) {
    EXPECT_EQ(selector_->name(), nameOf(GetParam()));
}

TEST_P(SelectorTest, FindsWhatIsReadyForReading) {
    PlainKey& a = add(Interest::read);
    PlainKey& b = add(Interest::read);
    EXPECT_THAT(select(), IsEmpty());
    peerOf(b).send("x");
    EXPECT_THAT(select(), ElementsAre(&b));
    EXPECT_EQ(b.ready(), Interest::read);
    peerOf(a).send("x");
    EXPECT_THAT(select(), UnorderedElementsAre(&a, &b));
}

TEST_P(SelectorTest, FindsWhatIsReadyForWriting) {
    PlainKey& a = add(Interest::write);
    EXPECT_THAT(select(), ElementsAre(&a));
    EXPECT_EQ(a.ready(), Interest::write);
}

TEST_P(SelectorTest, ReportsOnlyWhatSomebodyIsInterestedIn) {
    PlainKey& a = add(Interest::read | Interest::write);
    peerOf(a).send("x");
    select();
    EXPECT_EQ(a.ready(), Interest::read | Interest::write);
    a.removeInterest(Interest::write);
    select();
    EXPECT_EQ(a.ready(), Interest::read);
    a.setInterest(Interest::write);
    select();
    EXPECT_EQ(a.ready(), Interest::write);
    a.setInterest(Interest::none);
    EXPECT_THAT(select(), IsEmpty());
    a.addInterest(Interest::read);
    EXPECT_THAT(select(), ElementsAre(&a));
    EXPECT_EQ(a.ready(), Interest::read);
}

TEST_P(SelectorTest, IsLevelTriggered) {
    PlainKey& a = add(Interest::read);
    peerOf(a).send("xy");
    for (int i = 0; i < 3; ++i) EXPECT_THAT(select(), ElementsAre(&a)) << i;
}

TEST_P(SelectorTest, TakesTheReadyOperationsOutOfTheInterest) {
    PlainKey& a = add(Interest::read | Interest::write);
    select();
    a.takeReadyOutOfInterest();
    EXPECT_EQ(a.interest(), Interest::read) << "only writing was ready";
    peerOf(a).send("x");
    a.reconsider();
    select();
    a.setInterest(Interest::write);
    a.takeReadyOutOfInterest();
    EXPECT_EQ(a.ready(), Interest::none) << "reading is wanted no more";
    EXPECT_EQ(a.interest(), Interest::write);
}

TEST_P(SelectorTest, MakesEveryInterestReadyOnAHangUp) {
    PlainKey& a = add(Interest::read);
    PlainKey& b = add(makeLink(SocketAddress::Family::ipv4), Interest::read | Interest::write);
    peerOf(a).close();
    kernel::setResetOnClose(peerOf(b).fd()).orThrow();
    peerOf(b).close();
    ASSERT_TRUE(kerneltest::waitFor(channelOf(b).fd(), POLLIN));
    EXPECT_THAT(select(), UnorderedElementsAre(&a, &b));
    EXPECT_EQ(a.ready(), Interest::read);
    EXPECT_EQ(b.ready(), Interest::read | Interest::write);
}

// --- disarming lazily -----------------------------------------------------------------------

TEST_P(SelectorTest, DoesNotSpinOnUnreadDataThatNobodyWants) {
    PlainKey& a = add(Interest::read);
    a.setInterest(Interest::none);
    peerOf(a).send("x");
    EXPECT_FALSE(spins());
    a.setInterest(Interest::read);
    EXPECT_THAT(select(), ElementsAre(&a));
}

TEST_P(SelectorTest, DoesNotSpinOnAHangUpThatNobodyWantsToHearOf) {
    for (const Interest before : {Interest::none, Interest::read}) {
        PlainKey& a = add(before);
        a.setInterest(Interest::none);
        select();
        peerOf(a).close();
        EXPECT_FALSE(spins());
        a.setInterest(Interest::read);
        EXPECT_THAT(select(), ElementsAre(&a)) << "it is told as soon as it asks";
        a.setInterest(Interest::none);
        select();
    }
}

TEST_P(SelectorTest, DoesNotSpinOnAResetThatNobodyWantsToHearOf) {
    PlainKey& a = add(makeLink(SocketAddress::Family::ipv4), Interest::read);
    a.setInterest(Interest::none);
    kernel::setResetOnClose(peerOf(a).fd()).orThrow();
    peerOf(a).close();
    ASSERT_TRUE(kerneltest::waitFor(channelOf(a).fd(), POLLIN));
    EXPECT_FALSE(spins());
    a.setInterest(Interest::write);
    EXPECT_THAT(select(), ElementsAre(&a));
}

TEST_P(SelectorTest, DoesNotSpinOnWritabilityThatNobodyWants) {
    PlainKey& a = add(Interest::write);
    EXPECT_THAT(select(), ElementsAre(&a));
    a.setInterest(Interest::read);
    EXPECT_FALSE(spins());
    peerOf(a).send("x");
    EXPECT_THAT(select(), ElementsAre(&a));
}

TEST_P(SelectorTest, DoesNotSpinOnAConnectThatIsOver) {
    PlainKey& a = add(Interest::connect);
    EXPECT_THAT(select(), ElementsAre(&a));
    a.takeReadyOutOfInterest();
    a.reconsider();
    EXPECT_FALSE(spins());
}

TEST_P(SelectorTest, HearsAHalfCloseAndDoesNotSpinOnItWhenPaused) {
    PlainKey& a = add(Interest::read);
    peerOf(a).finish();
    EXPECT_THAT(select(), ElementsAre(&a));
    a.setInterest(Interest::none);
    EXPECT_FALSE(spins());
}

// --- keys -----------------------------------------------------------------------------------

TEST_P(SelectorTest, KeepsACancelledKeyOfTheBatchInvalid) {
    PlainKey& a = add(Interest::read);
    PlainKey& b = add(Interest::read);
    peerOf(a).send("x");
    peerOf(b).send("x");
    const auto selected = select();
    ASSERT_THAT(selected, UnorderedElementsAre(&a, &b));
    channelOf(b).close();
    EXPECT_TRUE(a.isValid());
    EXPECT_FALSE(b.isValid());
    EXPECT_EQ(selector_->keyCount(), 1u);
    EXPECT_THAT(select(), ElementsAre(&a));
}

TEST_P(SelectorTest, ForgetsTheChangesOfACancelledKey) {
    PlainKey& a = add(Interest::read);
    PlainKey& b = add(Interest::none);
    a.setInterest(Interest::write);
    b.setInterest(Interest::write);
    channelOf(a).close();
    a.setInterest(Interest::read | Interest::write);
    EXPECT_THAT(select(), ElementsAre(&b));
    selector_->cancel(a);
    EXPECT_EQ(selector_->keyCount(), 1u) << "cancelling twice counts once";
}

TEST_P(SelectorTest, KeepsTheOthersWhenKeysGoInAnyOrder) {
    std::vector<PlainKey*> all;
    for (int i = 0; i < 6; ++i) all.push_back(&add(Interest::read));
    for (const std::size_t gone : {0u, 5u, 2u}) channelOf(*all[gone]).close();
    for (const std::size_t left : {1u, 3u, 4u}) peerOf(*all[left]).send("x");
    EXPECT_THAT(select(), UnorderedElementsAre(all[1], all[3], all[4]));
    all[3]->setInterest(Interest::none);
    EXPECT_THAT(select(), UnorderedElementsAre(all[1], all[4]));
    PlainKey& fresh = add(Interest::write);
    EXPECT_THAT(select(), UnorderedElementsAre(all[1], all[4], &fresh));
}

TEST_P(SelectorTest, FollowsAChannelThatIsMoved) {
    PlainKey& a = add(Interest::read);
    auto moved = std::make_unique<SocketChannel>(std::move(channelOf(a)));
    EXPECT_EQ(&a.channel(), moved.get());
    peerOf(a).send("x");
    EXPECT_THAT(select(), ElementsAre(&a));
    moved.reset();
    EXPECT_FALSE(a.isValid());
    EXPECT_EQ(selector_->keyCount(), 0u);
}

// --- waiting --------------------------------------------------------------------------------

TEST_P(SelectorTest, WaitsNotLessThanItWasAskedTo) {
    int waited = 0;
    for (int i = 0; i < 20; ++i) {
        const TimePoint start = Clock::now();
        EXPECT_THAT(select(3ms), IsEmpty());
        if (Clock::now() - start >= 3ms) ++waited;
    }
    EXPECT_GE(waited, 10) << "the others were cut short by what the kernel did for a test before";
}

TEST_P(SelectorTest, IsWokenByAnotherThread) {
    std::thread other([wakeUp = selector_->wakeUp()] { wakeUp->signal(); });
    EXPECT_THAT(select(std::nullopt), IsEmpty());
    other.join();
}

TEST_P(SelectorTest, DoesNotLoseAWakeUpThatCameBeforeTheSelect) {
    for (int i = 0; i < 3; ++i) {
        selector_->wakeUp()->signal();
        selector_->wakeUp()->signal();
        EXPECT_THAT(select(std::nullopt), IsEmpty()) << "would never end otherwise";
    }
}

TEST_P(SelectorTest, KeepsAWakeUpDuringAnInterestChange) {
    PlainKey& paused = add(Interest::read);
    EXPECT_THAT(select(), IsEmpty());
    paused.setInterest(Interest::none);
    selector_->wakeUp()->signal();
    EXPECT_THAT(select(std::nullopt), IsEmpty()) << "would never end otherwise";
}

TEST_P(SelectorTest, IsWokenOnceByAWakeUp) {
    selector_->wakeUp()->signal();
    EXPECT_THAT(select(std::nullopt), IsEmpty()) << "would never end otherwise";
    EXPECT_FALSE(spins());
}

TEST_P(SelectorTest, FindsReadyChannelsBesideAWakeUp) {
    PlainKey& a = add(Interest::read);
    peerOf(a).send("x");
    selector_->wakeUp()->signal();
    EXPECT_THAT(select(), ElementsAre(&a));
}

TEST_P(SelectorTest, LeavesItsWakeUpToWhoeverStillHasIt) {
    const std::shared_ptr<WakeUp> wakeUp = selector_->wakeUp();
    selector_.reset();
    wakeUp->signal();
}

TEST_P(SelectorTest, FindsRoomAlsoAfterAFlushInVain) {
    PlainKey& key = add(Interest::none);
    while (kernel::send(channelOf(key).fd(), asBytes("full")).isDone()) {
    }
    (void)channelOf(key).write(asBytes("x"));
    key.addInterest(Interest::write);
    select();
    select();
    EXPECT_EQ(channelOf(key).flush().status, IoStatus::wouldBlock);
    (void)peerOf(key).receiveWhatIsThere();
    EXPECT_THAT(select(10s), ElementsAre(&key));
}

// --- the cap --------------------------------------------------------------------------------

class CappedSelectorTest : public SelectorTest {
  protected:
    CappedSelectorTest() : SelectorTest(4) {}
};

TEST_P(CappedSelectorTest, HandsOutNoMoreThanItsMaximumAndLosesNothing) {
    std::vector<PlainKey*> all;
    for (int i = 0; i < 10; ++i) {
        all.push_back(&add(Interest::read));
        peerOf(*all.back()).send("x");
    }
    std::map<SelectionKey*, int> seen;
    for (int round = 0; round < 10; ++round) {
        const auto selected = select();
        EXPECT_LE(selected.size(), 4u);
        for (SelectionKey* key : selected) {
            ++seen[key];
            // As a dispatcher does: served, and interested no more.
            key->takeReadyOutOfInterest();
            key->reconsider();
        }
    }
    EXPECT_EQ(seen.size(), all.size());
    for (const auto& [key, times] : seen) EXPECT_EQ(times, 1);
}

TEST_P(CappedSelectorTest, ServesAllInTurnWhenAllAreAlwaysReady) {
    for (int i = 0; i < 10; ++i) peerOf(add(Interest::read)).send("x");
    std::map<SelectionKey*, int> seen;
    for (int round = 0; round < 50; ++round) {
        for (SelectionKey* key : select()) ++seen[key];
    }
    ASSERT_EQ(seen.size(), 10u);
    for (const auto& [key, times] : seen) {
        EXPECT_GE(times, 15) << "20 would be even";
        EXPECT_LE(times, 25);
    }
}

TEST_P(CappedSelectorTest, StaysFairWhileKeysComeAndGo) {
    std::vector<PlainKey*> steady;
    for (int i = 0; i < 8; ++i) {
        steady.push_back(&add(Interest::read));
        peerOf(*steady.back()).send("x");
    }
    std::map<SelectionKey*, int> seen;
    for (int round = 0; round < 60; ++round) {
        PlainKey& passing = add(Interest::read);
        peerOf(passing).send("x");
        for (SelectionKey* key : select()) ++seen[key];
        channelOf(passing).close();
    }
    for (PlainKey* key : steady) EXPECT_GE(seen[key], 10);
}

INSTANTIATE_TEST_SUITE_P(Each, SelectorTest, testing::ValuesIn(support::everyEngine()),
                         support::EngineName());
INSTANTIATE_TEST_SUITE_P(Each, CappedSelectorTest, testing::ValuesIn(support::everyEngine()),
                         support::EngineName());

}  // namespace
}  // namespace nio
