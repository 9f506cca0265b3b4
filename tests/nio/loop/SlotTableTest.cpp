#include <nio/loop/SlotTable.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "support/TestDispatcher.h"

namespace nio {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

class SlotTableTest : public testing::Test {
  protected:
    // A registration that never reached a selector.
    struct Entry {
        Entry(SelectorThread& thread, Selector& selector, support::Journal& journal)
            : handler(SocketChannel(UniqueFd()), "handler", journal),
              context{{thread.identity(), selector.io()}, selector},
              registration(context, Registration::Served::by(handler), Interest::none) {}
        support::RecordingHandler handler;
        SelectionKey::Context context;
        Registration registration;
    };

    std::unique_ptr<Entry> make() { return std::make_unique<Entry>(thread_, *selector_, journal_); }

    support::Journal journal_;
    SelectorThread thread_;
    std::unique_ptr<Selector> selector_ = Selector::open({}).orThrow();
    SlotTable slots_;
};

TEST_F(SlotTableTest, FindsARegistrationByItsSlotAndGeneration) {
    const auto one = make();
    const auto two = make();
    slots_.add(one->registration);
    slots_.add(two->registration);
    EXPECT_NE(one->registration.slot, two->registration.slot);
    const std::uint32_t slot = two->registration.slot;
    EXPECT_EQ(slots_.find(slot, slots_.generationOf(slot)), &two->registration);
    EXPECT_EQ(slots_.size(), 2u);
}

TEST_F(SlotTableTest, AStaleHandleFindsNothingInAReusedSlot) {
    const auto one = make();
    slots_.add(one->registration);
    const std::uint32_t slot = one->registration.slot;
    const std::uint32_t generation = slots_.generationOf(slot);
    slots_.remove(one->registration);
    EXPECT_EQ(slots_.find(slot, generation), nullptr);

    const auto two = make();
    slots_.add(two->registration);
    ASSERT_EQ(two->registration.slot, slot) << "the slot was to be used again";
    EXPECT_EQ(slots_.find(slot, generation), nullptr);
    EXPECT_EQ(slots_.find(slot, slots_.generationOf(slot)), &two->registration);
}

TEST_F(SlotTableTest, FindsNobodyInASlotThatNeverWas) {
    EXPECT_EQ(slots_.find(0, 0), nullptr);
    EXPECT_EQ(slots_.find(12345, 0), nullptr);
}

TEST_F(SlotTableTest, UsesFreedSlotsBeforeNewOnes) {
    std::vector<std::unique_ptr<Entry>> entries;
    for (int i = 0; i < 3; ++i) entries.push_back(make());
    for (auto& entry : entries) slots_.add(entry->registration);
    slots_.remove(entries[0]->registration);
    slots_.remove(entries[2]->registration);
    for (std::size_t i : {0u, 2u}) slots_.add(entries[i]->registration);
    EXPECT_LT(entries[0]->registration.slot, 3u);
    EXPECT_LT(entries[2]->registration.slot, 3u);
}

TEST_F(SlotTableTest, ShowsWhatIsRegisteredNow) {
    EXPECT_THAT(slots_.snapshot(), IsEmpty());
    const auto one = make();
    const auto two = make();
    const auto three = make();
    for (auto* entry : {&one, &two, &three}) slots_.add((*entry)->registration);
    slots_.remove(two->registration);
    EXPECT_THAT(slots_.snapshot(), UnorderedElementsAre(&one->registration, &three->registration));
}

TEST_F(SlotTableTest, VisitsThoseThatAreThereAndWereWhenItBegan) {
    std::vector<std::unique_ptr<Entry>> entries;
    for (int i = 0; i < 5; ++i) entries.push_back(make());
    for (std::size_t i : {0u, 1u, 2u}) slots_.add(entries[i]->registration);
    std::vector<Registration*> visited;
    slots_.visitAll([&](Registration& registration) {
        visited.push_back(&registration);
        if (visited.size() > 1) return;
        slots_.remove(entries[1]->registration);
        slots_.add(entries[3]->registration);  // in the freed slot
        slots_.add(entries[4]->registration);  // in a new one
    });
    EXPECT_THAT(visited,
                UnorderedElementsAre(&entries[0]->registration, &entries[2]->registration));
    visited.clear();
    slots_.visitAll([&](Registration& registration) { visited.push_back(&registration); });
    EXPECT_EQ(visited.size(), 4u);
}

TEST_F(SlotTableTest, VisitsThoseThatCameBeforeAlsoFromWithinAVisit) {
    const auto one = make();
    const auto two = make();
    slots_.add(one->registration);
    std::size_t inner = 0;
    std::size_t outer = 0;
    slots_.visitAll([&](Registration&) {
        ++outer;
        slots_.visitAll([&](Registration&) { ++inner; });
        if (outer == 1) slots_.add(two->registration);
    });
    EXPECT_EQ(inner, 1u);
    EXPECT_EQ(outer, 1u) << "the other came while it went on";
}

TEST_F(SlotTableTest, KeepsAMigratedChannelsSlotUntilItsReturn) {
    const auto one = make();
    slots_.add(one->registration);
    const std::uint32_t slot = one->registration.slot;
    const std::uint32_t generation = slots_.generationOf(slot);
    slots_.leave(one->registration);
    EXPECT_EQ(slots_.find(slot, generation), nullptr);
    EXPECT_EQ(slots_.size(), 1u) << "the slot is taken";
    EXPECT_THAT(slots_.snapshot(), IsEmpty());

    const auto two = make();
    slots_.add(two->registration);
    EXPECT_NE(two->registration.slot, slot);

    const auto again = make();
    slots_.comeBack(slot, again->registration);
    EXPECT_EQ(again->registration.slot, slot);
    EXPECT_EQ(slots_.find(slot, generation), &again->registration) << "the same handle";

    slots_.leave(again->registration);
    slots_.giveUp(slot);
    EXPECT_EQ(slots_.find(slot, generation), nullptr);
    EXPECT_EQ(slots_.size(), 1u);
    const auto three = make();
    slots_.add(three->registration);
    EXPECT_EQ(three->registration.slot, slot) << "the slot was to be used again";
    EXPECT_EQ(slots_.find(slot, generation), nullptr);
}

}  // namespace
}  // namespace nio
