#include <nio/observe/Stall.h>

namespace nio {

std::string Stall::toString() const {
    const std::string whose = connection.empty() ? "" : " of " + connection;
    return "dispatcher " + dispatcher + ": " + handler + "::" + callback + whose +
           " has been running for " + std::to_string(lasts.count()) + " ms";
}

}  // namespace nio
