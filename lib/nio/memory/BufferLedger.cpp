#include <nio/memory/BufferLedger.h>

#include <algorithm>

namespace nio {

std::uint32_t BufferLedger::worst() const {
    return static_cast<std::uint32_t>(std::max_element(held_.begin(), held_.end()) - held_.begin());
}

}  // namespace nio
