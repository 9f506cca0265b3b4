#include "common/Places.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>

#include "support/LogCapture.h"
#include "support/TestDispatcher.h"

namespace apps {
namespace {

// A connection, and its place.
struct Guest {
    support::Link link = support::makeLink();
    support::Journal journal{};
    nio::ChannelHandle handle{};
    Places::Place place{};
    nio::ConnectionPermit permit{};

    bool hasEnded() const {
        return std::find(journal.begin(), journal.end(), "guest destroyed") != journal.end();
    }
};

class PlacesTest : public ::testing::Test {
  protected:
    // Offers its place at once. Null: it was refused.
    Guest* come(const std::string& source = "here") {
        if (!gate->enter()) return nullptr;
        nio::ConnectionPermit permit(gate);
        std::optional<Places::Place> place = places->enter(source);
        if (!place) return nullptr;
        Guest& guest = guests.emplace_back();
        guest.permit = std::move(permit);
        guest.place = std::move(*place);
        auto& handler = dispatcher.add(guest.link, "guest", guest.journal);
        dispatcher.inTurn([&] {
            guest.handle = dispatcher->handleOf(handler.channel());
            guest.place.offer(guest.handle);
        });
        dispatcher.turns(2);
        return &guest;
    }
    static void leave(Guest& guest) {
        guest.place = {};
        guest.permit.release();
    }

    const support::LogCapture log;
    std::list<Guest> guests;
    support::TestDispatcher dispatcher;
    std::shared_ptr<nio::ConnectionGate> gate = std::make_shared<nio::ConnectionGate>(3);
    std::shared_ptr<Places> places = std::make_shared<Places>("door", gate);
};

TEST_F(PlacesTest, TheLongestThereMakesRoom) {
    Guest* first = come();
    Guest* second = come();
    EXPECT_FALSE(first->hasEnded());
    Guest* third = come();
    EXPECT_TRUE(first->hasEnded());
    leave(*first);
    come();
    EXPECT_TRUE(second->hasEnded());
    EXPECT_FALSE(third->hasEnded());
    EXPECT_GE(log.count("door: connection limit of 3 reached"), 1U);
}

TEST_F(PlacesTest, TheSourceWithMostMakesRoom) {
    gate->setMaximum(5);
    Guest* alone = come("a");
    Guest* firstOfMany = come("b");
    Guest* secondOfMany = come("b");
    come("c");
    come("d");
    EXPECT_TRUE(firstOfMany->hasEnded());
    EXPECT_EQ(log.count("closing the longest idle connection from b"), 1U);
    leave(*firstOfMany);
    come("b");
    EXPECT_TRUE(secondOfMany->hasEnded());
    leave(*secondOfMany);
    come("e");
    EXPECT_TRUE(alone->hasEnded()) << "the oldest of those with one each";
}

TEST_F(PlacesTest, AKeptPlaceIsNotGivenUp) {
    Guest* known = come();
    known->place.keep();
    Guest* stranger = come();
    come();
    EXPECT_FALSE(known->hasEnded());
    EXPECT_TRUE(stranger->hasEnded());
}

// It offers nothing yet: it is still on its way to its dispatcher.
TEST_F(PlacesTest, AnAcceptedConnectionMakesTheNextRoom) {
    Guest* stranger = come();
    come();
    ASSERT_TRUE(gate->enter());
    const nio::ConnectionPermit permit(gate);
    const std::optional<Places::Place> place = places->enter("here");
    ASSERT_TRUE(place);
    dispatcher.turns(2);
    EXPECT_TRUE(stranger->hasEnded());
}

// While it offered its own place, that was the only one.
TEST_F(PlacesTest, AKeptPlaceMakesTheNextRoom) {
    gate->setMaximum(2);
    ASSERT_TRUE(gate->enter());
    const nio::ConnectionPermit first(gate);
    std::optional<Places::Place> known = places->enter("here");
    ASSERT_TRUE(known);
    Guest* stranger = come();
    EXPECT_FALSE(stranger->hasEnded()) << "the newest";
    known->keep();
    dispatcher.turns(2);
    EXPECT_TRUE(stranger->hasEnded());
}

TEST_F(PlacesTest, APlaceOfferedAgainIsTheLastOne) {
    Guest* served = come();
    Guest* silent = come();
    served->place.keep();
    served->place.offer(served->handle);
    come();
    EXPECT_FALSE(served->hasEnded());
    EXPECT_TRUE(silent->hasEnded());
}

TEST_F(PlacesTest, ASinglePlaceIsItsConnections) {
    gate->setMaximum(1);
    Guest* only = come();
    EXPECT_EQ(come(), nullptr);
    dispatcher.turns(2);
    EXPECT_FALSE(only->hasEnded());
}

TEST_F(PlacesTest, OneLeavesForEachThatComes) {
    gate->setMaximum(10);
    for (int i = 0; i < 9; ++i) come();
    Guest* tenth = come();
    std::size_t ended = 0;
    for (const Guest& guest : guests) ended += guest.hasEnded();
    EXPECT_EQ(ended, 1U);
    EXPECT_FALSE(tenth->hasEnded());
}

// It was told to end, and has authenticated before it heard of it.
TEST_F(PlacesTest, WhoKeepsItInTimeStaysAndTheNextOneGoes) {
    Guest* first = come();
    Guest* second = come();
    ASSERT_TRUE(gate->enter());
    Guest& third = guests.emplace_back();
    third.permit = nio::ConnectionPermit(gate);
    auto& handler = dispatcher.add(third.link, "guest", third.journal);
    dispatcher.inTurn([&] {
        third.place = places->enter("here").value();
        third.place.offer(dispatcher->handleOf(handler.channel()));
        first->place.keep();
    });
    dispatcher.turns(3);
    EXPECT_FALSE(first->hasEnded());
    EXPECT_TRUE(second->hasEnded());
    EXPECT_FALSE(third.hasEnded());
}

TEST_F(PlacesTest, ASourceHasNoMoreThanItsPart) {
    gate->setMaximum(100);
    places->limitEachSource(2);
    Guest* first = come("a");
    EXPECT_NE(come("a"), nullptr);
    EXPECT_EQ(come("a"), nullptr);
    EXPECT_EQ(log.count("door: connection from a refused: it has 2 already"), 1U);
    EXPECT_NE(come("b"), nullptr);
    leave(*first);
    EXPECT_NE(come("a"), nullptr);
    places->limitEachSource(0);
    EXPECT_NE(come("a"), nullptr);
}

TEST_F(PlacesTest, NobodysPlaceDoesNothing) {
    Places::Place none;
    none.offer({});
    none.keep();
    Places::Place other = std::move(none);
    EXPECT_EQ(gate->open(), 0U);
}

}  // namespace
}  // namespace apps
