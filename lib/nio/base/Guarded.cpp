#include <nio/base/Guarded.h>

namespace nio {

std::exception_ptr caughtException() noexcept {
    std::exception_ptr caught = std::current_exception();
    return caught ? caught : std::make_exception_ptr(ForeignException());
}

std::string whatOf(const std::exception_ptr& exception) {
    if (exception == nullptr) return ForeignException().what();
    try {
        std::rethrow_exception(exception);
    } catch (const std::exception& error) {
        return error.what();
    } catch (...) {
        return "an exception not derived from std::exception";
    }
}

Error errorOf(const std::exception_ptr& exception) {
    try {
        try {
            std::rethrow_exception(exception);
        } catch (const std::bad_alloc&) {
            throw;
        } catch (...) {
            return Error(Errc::handlerFailed, whatOf(exception));
        }
    } catch (const std::bad_alloc&) {
        return std::errc::not_enough_memory;
    }
}

std::string Failure::what() const {
    return whatOf(exception);
}

std::string Failure::toString() const {
    return "dispatcher " + dispatcher + ": " + handler + "::" + callback + ": " + what();
}

}  // namespace nio
