#include "echo_client/load/ServerWatch.h"

#include <algorithm>

namespace load {

namespace {

constexpr std::chrono::milliseconds longestMargin{20};
constexpr int smallestPart = 20;

}  // namespace

nio::Clock::duration ServerWatch::margin(nio::Clock::duration measured) {
    return std::min<nio::Clock::duration>(measured / smallestPart, longestMargin);
}

void ServerWatch::measuringEnds() {
    if (!to_) to_ = look();
}

std::optional<ProcessUse> ServerWatch::look() const {
    return pid_ ? ProcessUse::of(*pid_) : std::nullopt;
}

std::optional<ServerUse> ServerWatch::use() const {
    if (!before_ || !from_ || !to_) return std::nullopt;
    return ServerUse{*before_, *from_, *to_};
}

}  // namespace load
