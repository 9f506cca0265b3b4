#include <nio/dispatch/Drain.h>

namespace nio {

DrainReport& DrainReport::operator+=(const DrainReport& other) {
    drained += other.drained;
    aborted += other.aborted;
    bytesLost += other.bytesLost;
    bytesUnread += other.bytesUnread;
    return *this;
}

std::string DrainReport::toString() const {
    std::string text = std::to_string(drained) + " connections drained, " +
                       std::to_string(aborted) + " aborted, " + std::to_string(bytesLost) +
                       " bytes lost";
    if (bytesUnread > 0) text += ", " + std::to_string(bytesUnread) + " bytes unread";
    return text;
}

}  // namespace nio
