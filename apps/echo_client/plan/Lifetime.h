// How long a connection lives before it is closed and made anew, and how it ends: churn.
//
//     500ms      so long after it was made        100msg     after so many messages
//     500ms,100msg   whichever comes first
//     clean      FIN once all answers are there   rst        RST instead
//     half       FIN right behind the last message; the answers come after it
//     clean:80,rst:20 is a mix, by weight
//
// Thread: any; not changed once made.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <nio/base/Result.h>

#include "echo_client/plan/Random.h"

namespace load {

struct Lifetime {
    std::chrono::nanoseconds time{0};  // 0: no limit
    std::uint64_t messages = 0;        // 0: no limit

    bool isLimited() const { return time.count() > 0 || messages > 0; }
    // Errors: std::errc::invalid_argument; context() is a sentence.
    static nio::Result<Lifetime> parse(const std::string& text);
    std::string toString() const;
};

enum class CloseWay { clean, reset, half };

class CloseMix {
  public:
    // All clean.
    CloseMix() = default;
    // Errors: std::errc::invalid_argument; context() is a sentence.
    static nio::Result<CloseMix> parse(const std::string& text);

    CloseWay draw(Random& random) const;
    std::string toString() const;

  private:
    double clean_ = 1;
    double reset_ = 0;
    double half_ = 0;
};

}  // namespace load
