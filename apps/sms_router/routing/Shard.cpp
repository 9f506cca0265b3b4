#include "sms_router/routing/Shard.h"

#include <algorithm>
#include <stdexcept>

namespace router {

Shard& ShardSet::of(const nio::SelectorThread& thread) const {
    const auto found = std::find_if(shards_.begin(), shards_.end(),
                                    [&](const auto& shard) { return &shard->thread() == &thread; });
    if (found == shards_.end()) throw std::logic_error("no shard of this dispatcher");
    return **found;
}

std::size_t ShardSet::indexOf(const Shard& shard) const {
    const auto found = std::find_if(shards_.begin(), shards_.end(),
                                    [&](const auto& each) { return each.get() == &shard; });
    return static_cast<std::size_t>(found - shards_.begin());
}

}  // namespace router
