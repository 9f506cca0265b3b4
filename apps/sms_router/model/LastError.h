// What went wrong last with a connector or an account, and when.
//
// Thread: one at a time.
#pragma once

#include <string>
#include <utility>

#include <nio/sys/Clock.h>

namespace router {

struct LastError {
    std::string text{};
    nio::TimePoint at = nio::TimePoint::min();

    void note(std::string what) {
        text = std::move(what);
        at = nio::Clock::now();
    }
};

inline const LastError& later(const LastError& a, const LastError& b) {
    return a.at < b.at ? b : a;
}

}  // namespace router
