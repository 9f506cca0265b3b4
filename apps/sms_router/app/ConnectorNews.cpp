#include "sms_router/app/ConnectorNews.h"

#include <nio/base/Log.h>

#include "sms_router/model/Post.h"

namespace router {

namespace {

bool tell(const ConnectorNews::Entry& entry) {
    return postLater(entry.connector->dispatcher(), [entry] {
        nio::onDispatcher.assertCurrent();
        entry.dialing != nullptr ? entry.connector->useNow(entry.dialing)
                                 : entry.connector->retireNow();
    });
}

}  // namespace

void ConnectorNews::heard() noexcept {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    for (const Entry& entry : entries_) {
        try {
            // One that has stopped needs no news.
            (void)tell(entry);
        } catch (const std::bad_alloc&) {
            nio::log(nio::LogLevel::error,
                     "a connector keeps its old configuration: out of memory");
        }
    }
}

}  // namespace router
