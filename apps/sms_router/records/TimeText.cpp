#include "sms_router/records/TimeText.h"

#include <cstdint>

namespace router {

namespace {

void appendDigits(std::string& out, std::int64_t number, std::size_t digits) {
    char text[8];
    for (std::size_t i = digits; i > 0; --i, number /= 10) {
        text[i - 1] = static_cast<char>('0' + number % 10);
    }
    out.append(text, digits);
}

}  // namespace

void appendTime(std::string& out, std::chrono::system_clock::time_point time) {
    const auto micros = std::chrono::floor<std::chrono::microseconds>(time);
    const auto day = std::chrono::floor<std::chrono::days>(micros);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(micros - day);
    appendDigits(out, static_cast<int>(date.year()), 4);
    out += '-';
    appendDigits(out, static_cast<unsigned>(date.month()), 2);
    out += '-';
    appendDigits(out, static_cast<unsigned>(date.day()), 2);
    out += 'T';
    appendDigits(out, clock.hours().count(), 2);
    out += ':';
    appendDigits(out, clock.minutes().count(), 2);
    out += ':';
    appendDigits(out, clock.seconds().count(), 2);
    out += '.';
    appendDigits(out, clock.subseconds().count(), 6);
    out += 'Z';
}

}  // namespace router
