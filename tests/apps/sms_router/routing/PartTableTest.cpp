#include "sms_router/routing/PartTable.h"

#include "RoutingTesting.h"

namespace router {
namespace {

using namespace router::routingtest;
using namespace std::chrono_literals;

// Those with the same remainder share their eight places.
constexpr std::uint64_t stride = PartTable::places / 8;

TEST(PartTable, KnowsWhatWasPut) {
    PartTable table;
    EXPECT_FALSE(table.find(7, monday));
    table.put(7, 3, monday);
    table.put(8, 4, monday);
    EXPECT_EQ(table.find(7, monday), 3u);
    EXPECT_EQ(table.find(8, monday), 4u);
    EXPECT_FALSE(table.find(7 + stride, monday));
}

TEST(PartTable, PutsAnotherConnectorInTheOldOnesPlace) {
    PartTable table;
    table.put(7, 3, monday);
    table.put(7, 5, monday);
    EXPECT_EQ(table.find(7, monday), 5u);
}

TEST(PartTable, ForgetsAfterTenMinutes) {
    PartTable table;
    table.put(7, 3, monday);
    EXPECT_EQ(table.find(7, monday + 10min), 3u);
    EXPECT_FALSE(table.find(7, monday + 10min + 1s));
    table.put(7, 3, monday + 10min);
    EXPECT_EQ(table.find(7, monday + 20min), 3u);
}

TEST(PartTable, DisplacesTheOldest) {
    PartTable table;
    for (std::uint64_t i = 0; i < 8; ++i) table.put(7 + i * stride, i, monday + (i ^ 5) * 1s);
    table.put(7 + 8 * stride, 8, monday + 10s);
    for (std::uint64_t i = 0; i < 9; ++i)
        EXPECT_EQ(table.find(7 + i * stride, monday + 10s).has_value(), i != 5) << i;
}

TEST(PartTable, RenumbersConnectors) {
    PartTable table;
    table.put(7, 0, monday);
    table.put(8, 1, monday);
    const std::optional<std::size_t> numbers[] = {1, std::nullopt};
    table.renumber(numbers);
    EXPECT_EQ(table.find(7, monday), 1u);
    EXPECT_FALSE(table.find(8, monday));
}

}  // namespace
}  // namespace router
