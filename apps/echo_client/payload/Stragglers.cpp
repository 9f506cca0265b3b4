#include "echo_client/payload/Stragglers.h"

namespace load {

namespace {

template <class All>
auto find(All& all, std::uint64_t sequence) {
    const auto at = std::lower_bound(
        all.begin(), all.end(), sequence,
        [](const Straggler& each, std::uint64_t wanted) { return each.sequence < wanted; });
    return at != all.end() && at->sequence == sequence ? at : all.end();
}

}  // namespace

std::optional<Straggler> Stragglers::take(std::uint64_t sequence) {
    const auto at = find(all_, sequence);
    if (at == all_.end()) return std::nullopt;
    const Straggler taken = *at;
    all_.erase(at);
    return taken;
}

std::uint32_t Stragglers::bytesOf(std::uint64_t sequence) const {
    const auto at = find(all_, sequence);
    return at == all_.end() ? 0 : at->message.bytes;
}

}  // namespace load
