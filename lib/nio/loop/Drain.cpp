#include <nio/loop/Drain.h>

namespace nio {

void DrainReport::add(const Remains& remains, bool wasAborted) {
    const bool isCutOff = remains.unsentBytes > 0;
    ++(wasAborted ? aborted : isCutOff ? cutOff : drained);
    bytesLost += remains.unsentBytes;
    bytesUnread += remains.unreadBytes;
}

DrainReport& DrainReport::operator+=(const DrainReport& other) {
    drained += other.drained;
    aborted += other.aborted;
    bytesLost += other.bytesLost;
    bytesUnread += other.bytesUnread;
    cutOff += other.cutOff;
    return *this;
}

std::string DrainReport::toString() const {
    std::string text =
        std::to_string(drained) + " connections drained, " + std::to_string(aborted) + " aborted, ";
    if (cutOff > 0) text += std::to_string(cutOff) + " cut off, ";
    text += std::to_string(bytesLost) + " bytes lost";
    if (bytesUnread > 0) text += ", " + std::to_string(bytesUnread) + " bytes unread";
    return text;
}

}  // namespace nio
