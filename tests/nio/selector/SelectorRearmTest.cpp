// What the next select tells the kernel, where that fails or throws.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>

#include <nio/channel/ReadinessIo.h>
#include <nio/selector/Selector.h>

#include "support/TestSockets.h"

namespace nio {
namespace {

using support::Link;
using support::makeLink;
using testing::ElementsAre;

struct Key final : SelectionKey {
    using SelectionKey::SelectionKey;
    ~Key() override = default;
};

class FickleSelector final : public Selector {
  public:
    std::string_view name() const override { return "fickle"; }
    ChannelIo& io() override { return io_; }

    const SelectionKey* refused = nullptr;
    const SelectionKey* throwsOnce = nullptr;
    bool failsToWait = false;

  private:
    Result<void> watch(SelectionKey&) override { return {}; }
    void unwatch(SelectionKey&) override {}
    Result<void> rearm(SelectionKey& key) override {
        if (&key == throwsOnce) {
            throwsOnce = nullptr;
            throw std::bad_alloc();
        }
        if (&key == refused) return std::errc::no_space_on_device;
        return {};
    }
    Result<void> wait(kernel::WaitTime) override {
        if (failsToWait) return std::errc::not_enough_memory;
        return {};
    }

    ReadinessIo io_{4096};
};

class SelectorRearm : public testing::Test {
  protected:
    Result<std::span<SelectionKey* const>> select() {
        return selector.select(std::chrono::nanoseconds::zero());
    }
    std::vector<SelectionKey*> selectedNow() {
        const auto selected = select().orThrow();
        return {selected.begin(), selected.end()};
    }

    const DispatcherIdentity identity{"test"};
    const DispatcherIdentity::Turn turn{identity};
    FickleSelector selector;
    const SelectionKey::Context context{{identity, selector.io()}, selector};
    Link links[2] = {makeLink(), makeLink()};
    Key first{context, links[0].channel, Interest::none};
    Key second{context, links[1].channel, Interest::none};

    void SetUp() override {
        for (Key* key : {&first, &second}) {
            ASSERT_TRUE(selector.add(*key));
            key->setInterest(Interest::read);
        }
        selector.refused = &first;
    }
    void TearDown() override {
        for (Key* key : {&first, &second}) selector.cancel(*key);
    }
};

TEST_F(SelectorRearm, AFailedRearmIsReportedThoughAnotherThrew) {
    selector.throwsOnce = &second;
    EXPECT_THROW((void)select(), std::bad_alloc);
    selector.refused = nullptr;
    EXPECT_THAT(selectedNow(), ElementsAre(&first));
    EXPECT_TRUE(first.isBroken());
}

TEST_F(SelectorRearm, AFailedRearmIsReportedThoughTheWaitFails) {
    selector.failsToWait = true;
    EXPECT_THAT(selectedNow(), ElementsAre(&first));
    EXPECT_TRUE(first.isBroken());
    EXPECT_TRUE(select().error().is(std::errc::not_enough_memory));
}

}  // namespace
}  // namespace nio
