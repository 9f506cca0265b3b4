// Channels that go from one selector to another, and the input that they bring along. One test body
// for every selector.
#include <nio/selector/Selector.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/TestSockets.h"

namespace nio {
namespace {

using namespace std::chrono_literals;
using support::Link;
using support::makeLink;
using testing::ElementsAre;
using testing::IsEmpty;

struct Key final : SelectionKey {
    using SelectionKey::SelectionKey;
    ~Key() override = default;
};

// A link whose channel is registered for reading.
struct Registered {
    Registered(Selector& selector, const DispatcherIdentity& identity, Link& of)
        : link(of), key(selector, identity, selector.io(), of.channel, Interest::read) {
        link.channel.attach(key);
        EXPECT_TRUE(selector.add(key));
    }
    Link& link;
    Key key;
};

class SelectorReleaseTest : public testing::TestWithParam<const char*> {
  protected:
    ~SelectorReleaseTest() override {
        for (Link* link : {&first_, &second_}) link->channel.close();
    }
    static std::unique_ptr<Selector> open() {
        return Selector::open({.kind = *selectorKindFrom(GetParam())}).orThrow();
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

    Key& add(Selector& selector, Link& link) {
        return keys_.emplace_back(std::make_unique<Registered>(selector, identity_, link))->key;
    }
};

INSTANTIATE_TEST_SUITE_P(Every, SelectorReleaseTest, testing::Values("epoll", "poll"));

TEST_P(SelectorReleaseTest, AReleasedChannelStaysOpenAndGoesToAnotherSelector) {
    Key& released = add(*selector_, first_);
    Key& other = add(*selector_, second_);
    ASSERT_TRUE(selector_->release(released));
    EXPECT_FALSE(released.isValid());
    EXPECT_EQ(selector_->keyCount(), 1u);
    for (Link* link : {&first_, &second_}) link->peer.send("x");
    EXPECT_THAT(select(*selector_), ElementsAre(&other));
    ASSERT_TRUE(first_.channel.isOpen());
    Key& successor = add(*next_, first_);
    EXPECT_THAT(select(*next_), ElementsAre(&successor));
}

TEST_P(SelectorReleaseTest, AChangeThatWasToComeIsForgotten) {
    Key& released = add(*selector_, first_);
    released.setInterest(Interest::read | Interest::write);
    ASSERT_TRUE(selector_->release(released));
    EXPECT_THAT(select(*selector_), IsEmpty());
}

TEST_P(SelectorReleaseTest, AChannelWithUnreadInputIsReadyWithoutTheKernel) {
    Key& key = add(*selector_, first_);
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
    Key& key = add(*selector_, first_);
    EXPECT_THAT(select(*selector_, 1s), ElementsAre(&key));
    first_.channel.close();
    EXPECT_THAT(select(*selector_), IsEmpty());
}

TEST_P(SelectorReleaseTest, UnreadInputGoesAlongWithARelease) {
    Key& released = add(*selector_, first_);
    first_.channel.unread(asBytes("left over"));
    ASSERT_TRUE(selector_->release(released));
    EXPECT_THAT(select(*selector_), IsEmpty());
    Key& successor = add(*next_, first_);
    EXPECT_THAT(select(*next_, 1s), ElementsAre(&successor));
    EXPECT_EQ(asText(first_.channel.receive().bytes), "left over");
}

}  // namespace
}  // namespace nio
