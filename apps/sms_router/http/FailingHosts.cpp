#include "sms_router/http/FailingHosts.h"

#include <algorithm>

namespace router {

bool FailingHosts::allows(const std::string& host, nio::TimePoint now) {
    const auto found = hosts_.find(host);
    if (found == hosts_.end()) return true;
    Failing& failing = found->second;
    if (now < failing.againAt) return false;
    // Should it never be told how that ends.
    failing.againAt = now + longestPause;
    return failing.isTried = true;
}

// Of several that were on their way when it began to fail, the first counts.
void FailingHosts::ended(const std::string& host, bool isAnswered, nio::TimePoint now) {
    const auto found = hosts_.find(host);
    if (isAnswered && found != hosts_.end()) hosts_.erase(found);
    if (isAnswered) return;
    if (found != hosts_.end()) {
        Failing& failing = found->second;
        if (!failing.isTried) return;
        const auto pause = std::min(longestPause, 2 * failing.pause);
        failing = {now + pause, pause};
        return;
    }
    if (hosts_.size() >= most) {
        std::erase_if(hosts_, [&](const auto& each) { return each.second.againAt <= now; });
    }
    if (hosts_.size() < most) hosts_.emplace(host, Failing{now + firstPause, firstPause});
}

}  // namespace router
