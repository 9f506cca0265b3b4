#include "sms_router/store/Removals.h"

#include <algorithm>
#include <utility>

namespace router {

namespace {

using Numbers = std::vector<std::uint64_t>;

Numbers tailOf(const Numbers& numbers, std::size_t most) {
    const std::size_t count = std::min(most, numbers.size());
    return {numbers.end() - static_cast<std::ptrdiff_t>(count), numbers.end()};
}

}  // namespace

void Removals::apply(StoreTables& tables) const {
    for (const std::uint64_t id : ids) tables.ids.remove(id);
    for (const std::uint64_t number : kept) tables.kept.remove(number);
}

void Removals::add(const Removals& more) {
    ids.insert(ids.end(), more.ids.begin(), more.ids.end());
    kept.insert(kept.end(), more.kept.begin(), more.kept.end());
}

Removals Removals::tail(std::size_t most) const {
    Numbers someIds = tailOf(ids, most);
    const std::size_t left = most - someIds.size();
    return {std::move(someIds), tailOf(kept, left)};
}

void Removals::removeTail(const Removals& tail) {
    ids.resize(ids.size() - tail.ids.size());
    kept.resize(kept.size() - tail.kept.size());
}

}  // namespace router
