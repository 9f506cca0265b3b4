#include "common/http/HttpDate.h"

#include <array>
#include <ctime>

namespace apps {

// Most calls of a dispatcher are about the same second as the one before.
std::string_view httpDate(std::chrono::system_clock::time_point time) {
    struct Second {
        std::time_t number = -1;
        std::array<char, 32> text{};
        std::size_t size = 0;
    };
    static thread_local Second last;
    const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
    if (seconds != last.number) {
        std::tm parts{};
        gmtime_r(&seconds, &parts);
        last.size =
            std::strftime(last.text.data(), last.text.size(), "%a, %d %b %Y %T GMT", &parts);
        last.number = seconds;
    }
    return {last.text.data(), last.size};
}

}  // namespace apps
