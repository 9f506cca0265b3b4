#include <nio/base/Failure.h>

#include <nio/base/Guarded.h>

namespace nio {

std::string Failure::what() const {
    return whatOf(exception);
}

std::string Failure::toString() const {
    return "dispatcher " + dispatcher + ": " + handler + "::" + callback + ": " + what();
}

}  // namespace nio
