#include "sms_router/app/ExitDeadline.h"

#include <cstdlib>
#include <system_error>
#include <utility>

namespace router {

ExitDeadline::ExitDeadline(std::chrono::milliseconds patience, std::function<void()> tell,
                           int exitCode) {
    if (patience.count() == 0) return;
    auto wait = [this, patience, tell = std::move(tell), exitCode] {
        if (isOverWithin(patience)) return;
        tell();
        std::_Exit(exitCode);
    };
    try {
        thread_ = std::thread(std::move(wait));
    } catch (const std::system_error&) {
    }
}

ExitDeadline::~ExitDeadline() {
    {
        const std::lock_guard lock(mutex_);
        isOver_ = true;
    }
    over_.notify_one();
    if (thread_.joinable()) thread_.join();
}

bool ExitDeadline::isOverWithin(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    return over_.wait_for(lock, patience, [this] { return isOver_; });
}

}  // namespace router
