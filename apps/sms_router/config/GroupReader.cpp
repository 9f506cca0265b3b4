#include "sms_router/config/NamedSections.h"

#include <set>

#include "sms_router/config/ConfigLimits.h"

namespace router {

namespace {

using Names = std::vector<std::vector<TomlText>>;

Names readNames(TomlTable& table, std::string_view key) {
    const bool members = key == "members";
    Names names = members ? Names{table.texts(key)} : table.textLists(key);
    for (const auto& tier : names) {
        if (tier.empty()) table.mistake(key, members ? "is empty" : "has an empty tier");
    }
    if (table.isEmptyArray(key) && !members) table.mistake(key, "is empty");
    return names;
}

void readTiers(TomlTable& table, std::string_view key, const Indices& connectors,
               GroupConfig& group) {
    std::set<std::size_t> seen;
    for (const auto& names : readNames(table, key)) {
        auto& tier = group.tiers.emplace_back();
        for (const TomlText& name : names) {
            const auto connector = find(table, key, name, "connector", connectors);
            if (!connector) continue;
            if (!seen.insert(*connector).second) {
                table.mistakeAt(name.line, key, "'" + name.text + "' is listed twice");
            }
            tier.push_back(*connector);
        }
    }
}

}  // namespace

GroupConfig readGroup(const std::string& name, TomlTable& table, const Indices& connectors) {
    GroupConfig group;
    group.name = name;
    const bool members = table.has("members");
    const bool tiers = table.has("tiers");
    if (members && tiers) table.mistake("tiers", "cannot be combined with members");
    if (!members && !tiers) table.mistake("has neither members nor tiers");
    if (members) readTiers(table, "members", connectors, group);
    if (tiers && !members) readTiers(table, "tiers", connectors, group);
    table.choice<Balance>("balance", group.balance,
                          {{"round-robin", Balance::roundRobin},
                           {"weighted", Balance::weighted},
                           {"cheapest", Balance::cheapest},
                           {"fewest-outstanding", Balance::fewestOutstanding}});
    table.duration("overflow_after", group.overflowAfter, limits::off, limits::timer);
    table.count("overflow_queue", group.overflowQueue, 0, limits::queue);
    return group;
}

}  // namespace router
