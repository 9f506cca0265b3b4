#include <nio/base/Log.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <new>

#include <nio/base/Guarded.h>

namespace nio {

namespace {

struct Sink {
    std::mutex mutex;
    std::shared_ptr<const Logger> logger{};  // null: standard error
};

// Never destroyed: a dispatcher may log during the destruction of static objects. Never allocated:
// out-of-memory errors are logged here.
Sink& sink() {
    alignas(Sink) static std::byte memory[sizeof(Sink)];
    static Sink* const instance = new (memory) Sink;
    return *instance;
}

}  // namespace

void setLogger(Logger logger) {
    auto replacement = std::make_shared<const Logger>(std::move(logger));
    std::lock_guard lock(sink().mutex);
    sink().logger = std::move(replacement);
}

void log(LogLevel level, std::string_view line) {
    std::shared_ptr<const Logger> logger;
    {
        std::lock_guard lock(sink().mutex);
        logger = sink().logger;
    }
    if (logger == nullptr) return logToStandardError(level, line);
    guarded(
        [&] {
            if (*logger) (*logger)(level, line);
        },
        [&](const std::exception_ptr&) { logToStandardError(level, line); });
}

std::string_view toString(LogLevel level) {
    switch (level) {
        case LogLevel::debug: return "debug";
        case LogLevel::info: return "info";
        case LogLevel::warning: return "warning";
        case LogLevel::error: return "error";
    }
    return "?";
}

}  // namespace nio
