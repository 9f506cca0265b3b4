#include <nio/base/Log.h>

#include <cstdio>
#include <memory>
#include <mutex>

namespace nio {

namespace {

void toStandardError(LogLevel level, std::string_view line) {
    const std::string_view name = toString(level);
    std::fprintf(stderr, "nio: %.*s: %.*s\n", static_cast<int>(name.size()), name.data(),
                 static_cast<int>(line.size()), line.data());
}

struct Sink {
    std::mutex mutex;
    std::shared_ptr<const Logger> logger = std::make_shared<Logger>(toStandardError);
};

// Never destroyed: a dispatcher may still speak while static objects go.
Sink& sink() {
    static Sink* const instance = new Sink;
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
    if (*logger) (*logger)(level, line);
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
