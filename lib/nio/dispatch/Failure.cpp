#include <nio/dispatch/Failure.h>

namespace nio {

std::string Failure::what() const {
    try {
        std::rethrow_exception(exception);
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "an exception that is no std::exception";
    }
}

std::string Failure::toString() const {
    return "dispatcher " + dispatcher + ": " + handler + "::" + callback + ": " + what();
}

}  // namespace nio
