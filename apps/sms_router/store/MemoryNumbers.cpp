#include "sms_router/store/MemoryNumbers.h"

#include "sms_router/store/FirstNumber.h"

namespace router {

std::uint32_t MemoryNumbers::connectorNumber(const std::string& name) {
    std::lock_guard lock(mutex_);
    const auto next = static_cast<std::uint32_t>(connectors_.size() + 1);
    return connectors_.try_emplace(name, next).first->second;
}

std::uint64_t MemoryNumbers::reserve(const std::string& kind, std::uint64_t count) {
    std::lock_guard lock(mutex_);
    std::uint64_t& next = next_.try_emplace(kind, firstNumber()).first->second;
    const std::uint64_t first = next;
    next += count;
    return first;
}

}  // namespace router
