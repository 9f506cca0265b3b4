// Channels that go from one selector to another, and the input that they bring along. One test body
// for every selector.
#include <nio/selector/Selector.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "support/Engines.h"
#include "support/OtherHandler.h"
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

// A link whose channel is registered for reading.
struct Registered {
    Registered(Selector& selector, const DispatcherIdentity& identity, Link& of)
        : link(of),
          context{{identity, selector.io()}, selector},
          key(context, of.channel, Interest::read) {
        link.channel.attach(key);
        EXPECT_TRUE(selector.add(key));
    }
    Link& link;
    SelectionKey::Context context;
    PlainKey key;
};

class SelectorReleaseTest : public testing::TestWithParam<SelectorKind> {
  protected:
    ~SelectorReleaseTest() override {
        for (Link* link : {&first_, &second_}) link->channel.close();
    }
    static std::unique_ptr<Selector> open() {
        return Selector::open({.kind = GetParam()}).orThrow();
    }
    static std::vector<SelectionKey*> select(Selector& selector, kernel::WaitTime wait = 0ns) {
        const auto selected = selector.select(wait).orThrow();
        return {selected.begin(), selected.end()};
    }

    DispatcherIdentity identity_{"test"};
    DispatcherIdentity::Turn turn_{identity_};
    std::unique_ptr<Selector> selector_ = open();
    std::unique_ptr<Selector> next_ = open();
    std::vector<std::unique_ptr<Registered>> keys_;
    Link first_ = makeLink();
    Link second_ = makeLink();

    PlainKey& add(Selector& selector, Link& link) {
        return keys_.emplace_back(std::make_unique<Registered>(selector, identity_, link))->key;
    }
};

INSTANTIATE_TEST_SUITE_P(Every, SelectorReleaseTest, testing::ValuesIn(support::everyEngine()),
                         support::EngineName());

TEST_P(SelectorReleaseTest, AReleasedChannelStaysOpenAndGoesToAnotherSelector) {
    PlainKey& released = add(*selector_, first_);
    PlainKey& other = add(*selector_, second_);
    ASSERT_TRUE(selector_->release(released));
    EXPECT_FALSE(released.isValid());
    EXPECT_EQ(selector_->keyCount(), 1u);
    for (Link* link : {&first_, &second_}) link->peer.send("x");
    EXPECT_THAT(select(*selector_), ElementsAre(&other));
    ASSERT_TRUE(first_.channel.isOpen());
    PlainKey& successor = add(*next_, first_);
    EXPECT_THAT(select(*next_), ElementsAre(&successor));
}

TEST_P(SelectorReleaseTest, AChannelWithoutADescriptorIsReleased) {
    SocketChannel channel = SocketChannel::withoutSocket(false);
    const SelectionKey::Context here{{identity_, selector_->io()}, *selector_};
    PlainKey key(here, channel, Interest::none);
    ASSERT_TRUE(selector_->add(key));
    EXPECT_TRUE(selector_->release(key));
    EXPECT_EQ(selector_->keyCount(), 0u);
}

TEST_P(SelectorReleaseTest, ANonStreamChannelCanChangeSelectors) {
    support::OtherChannel channel(UniqueFd(::dup(first_.channel.fd())));
    const SelectionKey::Context here{{identity_, selector_->io()}, *selector_};
    const SelectionKey::Context there{{identity_, next_->io()}, *next_};
    PlainKey released(here, channel, Interest::read);
    PlainKey successor(there, channel, Interest::read);
    ASSERT_TRUE(selector_->add(released));
    EXPECT_THAT(select(*selector_), IsEmpty());
    ASSERT_TRUE(selector_->release(released));
    ASSERT_TRUE(next_->add(successor));
    first_.peer.send("x");
    EXPECT_THAT(select(*selector_), IsEmpty());
    EXPECT_THAT(select(*next_), ElementsAre(&successor));
    next_->cancel(successor);
}

TEST_P(SelectorReleaseTest, AChangeThatWasToComeIsForgotten) {
    PlainKey& released = add(*selector_, first_);
    released.setInterest(Interest::read | Interest::write);
    ASSERT_TRUE(selector_->release(released));
    EXPECT_THAT(select(*selector_), IsEmpty());
}

TEST_P(SelectorReleaseTest, AChannelWithUnreadInputIsReadyWithoutTheKernel) {
    PlainKey& key = add(*selector_, first_);
    first_.channel.unread(asBytes("left over"));
    EXPECT_THAT(select(*selector_, 1s), ElementsAre(&key)) << "without a wait";
    EXPECT_THAT(select(*selector_, 1s), ElementsAre(&key)) << "as long as there is some";
    key.setInterest(Interest::none);
    EXPECT_THAT(select(*selector_), IsEmpty());
    key.setInterest(Interest::read);
    EXPECT_EQ(asText(first_.channel.receive().bytes), "left over");
    EXPECT_THAT(select(*selector_), IsEmpty());
    first_.peer.send("x");
    EXPECT_THAT(select(*selector_), ElementsAre(&key));
}

TEST_P(SelectorReleaseTest, AChannelThatBringsUnreadInputIsReadyAtOnce) {
    first_.channel.unread(asBytes("left over"));
    PlainKey& key = add(*selector_, first_);
    EXPECT_THAT(select(*selector_, 1s), ElementsAre(&key));
    first_.channel.close();
    EXPECT_THAT(select(*selector_), IsEmpty());
}

TEST_P(SelectorReleaseTest, UnreadInputGoesAlongWithARelease) {
    PlainKey& released = add(*selector_, first_);
    first_.channel.unread(asBytes("left over"));
    ASSERT_TRUE(selector_->release(released));
    EXPECT_THAT(select(*selector_), IsEmpty());
    PlainKey& successor = add(*next_, first_);
    EXPECT_THAT(select(*next_, 1s), ElementsAre(&successor));
    EXPECT_EQ(asText(first_.channel.receive().bytes), "left over");
}

// What was received already goes along with it, and what was not comes by way of the other one.
TEST_P(SelectorReleaseTest, InputIsNotLostBetweenTwoSelectors) {
    PlainKey& released = add(*selector_, first_);
    (void)select(*selector_);
    first_.peer.send("early, ");
    EXPECT_THAT(select(*selector_, 1s), ElementsAre(&released));
    released.setInterest(Interest::none);
    first_.peer.send("late");
    while (!selector_->release(released)) (void)select(*selector_);
    PlainKey& successor = add(*next_, first_);
    std::string got;
    while (got.size() < 11) {
        ASSERT_THAT(select(*next_, 10s), ElementsAre(&successor));
        got += asText(first_.channel.receive().bytes);
    }
    EXPECT_EQ(got, "early, late");
}

// Also where a send has taken the error out of the socket and nobody was told.
TEST_P(SelectorReleaseTest, AResetThatOneSelectorHasSeenIsToldByEveryOther) {
    for (const SelectorKind other : support::everyEngine()) {
        const auto next = Selector::open({.kind = other}).orThrow();
        Link link = makeLink(SocketAddress::Family::ipv4);
        PlainKey& key = add(*selector_, link);
        key.setInterest(Interest::none);
        (void)select(*selector_);
        const linger atOnce{1, 0};
        ASSERT_EQ(::setsockopt(link.peer.fd(), SOL_SOCKET, SO_LINGER, &atOnce, sizeof atOnce), 0);
        link.peer.close();
        ASSERT_TRUE(kerneltest::waitFor(link.channel.fd(), POLLIN));
        const bool told = link.channel.write(asBytes("x")).isFailed();
        ASSERT_TRUE(selector_->release(key)) << "it is of no use where it is";
        PlainKey& successor = add(*next, link);
        ASSERT_THAT(select(*next, 10s), ElementsAre(&successor));
        const IoStatus status = link.channel.receive().status;
        EXPECT_TRUE(status == IoStatus::failed || (told && status == IoStatus::closed))
            << nameOf(other);
        if (!told) {
            EXPECT_TRUE(link.channel.write(asBytes("x")).isFailed());
        }
        link.channel.close();
    }
}

TEST_P(SelectorReleaseTest, AFinBehindOutputThatWaitsIsSentByTheNextSelector) {
    for (const SelectorKind other : support::everyEngine()) {
        const auto next = Selector::open({.kind = other}).orThrow();
        Link link = makeLink(SocketAddress::Family::ipv4);
        kernel::setSendBufferBytes(link.channel.fd(), 4096).orThrow();
        PlainKey& key = add(*selector_, link);
        const std::string block(10'000, 'o');
        std::size_t written = 0;
        // Until something is pending for the readiness engines; the others take it on trust.
        while (link.channel.output().empty()) {
            (void)link.channel.write(asBytes(block));
            written += block.size();
            if (link.channel.handedOverBytes() > 0) (void)select(*selector_);
        }
        // As programs do, that believe the last of it to have been taken.
        link.channel.deferFin();
        while (!selector_->release(key)) (void)select(*selector_);
        PlainKey& successor = add(*next, link);
        successor.addInterest(Interest::write);
        std::size_t got = 0;
        while (link.peer.last().status != IoStatus::closed && got <= written) {
            (void)select(*next, 0ns);
            if (!link.channel.output().empty()) (void)link.channel.flush();
            got += link.peer.receiveWhatIsThere().size();
        }
        EXPECT_EQ(got, written) << nameOf(other);
        link.channel.close();
    }
}

// Whoever waits for the FIN may be the only one to end the wait.
TEST_P(SelectorReleaseTest, ADeferredFinLeavesBeforeTheNextSelectorSleeps) {
    PlainKey& key = add(*selector_, first_);
    (void)select(*selector_);
    first_.channel.append(asBytes("last words"));
    first_.channel.deferFin();
    while (!selector_->release(key)) (void)select(*selector_);
    add(*next_, first_);
    (void)select(*next_);
    std::string got;
    std::thread peer([&, wakeUp = next_->wakeUp()] {
        while (first_.peer.last().status != IoStatus::closed) {
            if (!kerneltest::waitFor(first_.peer.fd(), POLLIN)) break;
            got += first_.peer.receiveWhatIsThere();
        }
        wakeUp->signal();
    });
    EXPECT_FALSE(first_.channel.flush().isFailed());
    EXPECT_THAT(select(*next_, std::nullopt), IsEmpty());
    peer.join();
    EXPECT_EQ(got, "last words");
    EXPECT_EQ(first_.peer.last().status, IoStatus::closed) << "the test has lost its patience";
}

TEST_P(SelectorReleaseTest, AFinThatIsOwedForLongLeavesWithTheLastOutputToo) {
    constexpr std::size_t much = 150'000;
    add(*selector_, first_);
    first_.channel.append(asBytes(std::string(much, 'x')));
    first_.channel.deferFin();
    std::size_t got = 0;
    while (first_.channel.pendingBytes() > 0) {
        EXPECT_FALSE(first_.channel.flush().isFailed());
        if (first_.channel.pendingBytes() > 0) (void)select(*selector_);
        got += first_.peer.receiveWhatIsThere().size();
    }
    std::thread peer([&, wakeUp = selector_->wakeUp()] {
        while (first_.peer.last().status != IoStatus::closed) {
            if (!kerneltest::waitFor(first_.peer.fd(), POLLIN)) break;
            got += first_.peer.receiveWhatIsThere().size();
        }
        wakeUp->signal();
    });
    EXPECT_THAT(select(*selector_, std::nullopt), IsEmpty());
    peer.join();
    EXPECT_EQ(got, much);
    EXPECT_EQ(first_.peer.last().status, IoStatus::closed) << "the test has lost its patience";
}

}  // namespace
}  // namespace nio
