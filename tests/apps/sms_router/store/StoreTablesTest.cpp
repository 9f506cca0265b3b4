#include "sms_router/store/StoreTables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace router {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Removals, AreTakenInPiecesUntilThereAreNoneLeft) {
    Removals all{.ids = {1, 2, 3}, .kept = {4, 5}};
    const Removals first = all.tail(4);
    EXPECT_THAT(first.ids, ElementsAre(1, 2, 3));
    EXPECT_THAT(first.kept, ElementsAre(5));
    all.removeTail(first);
    const Removals second = all.tail(4);
    EXPECT_THAT(second.ids, IsEmpty());
    EXPECT_THAT(second.kept, ElementsAre(4));
    all.removeTail(second);
    EXPECT_TRUE(all.isEmpty());
}

TEST(Removals, AreAddedTo) {
    Removals all{.ids = {1}, .kept = {2}};
    all.add({.ids = {3}, .kept = {4}});
    EXPECT_THAT(all.ids, ElementsAre(1, 3));
    EXPECT_THAT(all.kept, ElementsAre(2, 4));
}

}  // namespace
}  // namespace router
