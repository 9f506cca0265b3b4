#include "sms_router/routing/LocalTime.h"

#include <ctime>

namespace router {

namespace {

bool isOn(const TimeOfDay& times, unsigned weekday) {
    return (times.days >> weekday & 1) != 0;
}

}  // namespace

LocalMinute LocalClock::at(std::chrono::system_clock::time_point time) {
    const std::int64_t minutes =
        std::chrono::floor<std::chrono::minutes>(time).time_since_epoch().count();
    if (minutes == known_) return local_;
    const std::time_t seconds = minutes * 60;
    std::tm fields{};
    localtime_r(&seconds, &fields);
    known_ = minutes;
    local_ = {static_cast<unsigned>(fields.tm_wday + 6) % 7, fields.tm_hour * 60 + fields.tm_min};
    return local_;
}

bool contains(const TimeOfDay& times, const LocalMinute& now) {
    const unsigned yesterday = (now.weekday + 6) % 7;
    const bool begun = now.minute >= times.from.count();
    const bool over = now.minute >= times.to.count();
    if (times.from < times.to) return begun && !over && isOn(times, now.weekday);
    return (begun && isOn(times, now.weekday)) || (!over && isOn(times, yesterday));
}

}  // namespace router
