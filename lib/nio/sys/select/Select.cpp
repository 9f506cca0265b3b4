#include <nio/sys/select/Select.h>

#include <algorithm>
#include <ctime>

#include <nio/sys/SystemError.h>

namespace nio::kernel {

namespace {

// The kernel refuses times that are too long for it; a dispatcher just waits again.
constexpr WaitTime::value_type longestWait = std::chrono::hours(24);

}  // namespace

Result<std::size_t> waitSelect(int end, fd_set& input, fd_set& output, fd_set& exceptional,
                               WaitTime wait) {
    const auto time = std::clamp(wait.value_or(WaitTime::value_type::zero()),
                                 WaitTime::value_type::zero(), longestWait);
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    const timespec limit{static_cast<time_t>(seconds.count()),
                         static_cast<long>((time - seconds).count())};
    const int count =
        ::pselect(end, &input, &output, &exceptional, wait ? &limit : nullptr, nullptr);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno != EINTR) return lastError("pselect");
    FD_ZERO(&input);
    FD_ZERO(&output);
    FD_ZERO(&exceptional);
    return std::size_t{0};
}

}  // namespace nio::kernel
