#include "sms_router/flow/ShortIds.h"

#include <stdexcept>

namespace router {

MessageId ShortIds::make() {
    if (next_ == end_) {
        try {
            next_ = store_.reserveNumbers("short id", reservedAtOnce);
        } catch (const std::runtime_error&) {
            return 0;
        }
        end_ = next_ + reservedAtOnce;
    }
    return 1 + next_++ % (shortIds - 1);
}

}  // namespace router
