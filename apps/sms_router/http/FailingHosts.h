// Hosts that did not answer the last time. Each is left alone for a pause, and then tried again
// with one request at a time; the pause doubles, up to half a minute.
//
// Thread: one at a time.
// Limits: a thousand hosts; of others nothing is known.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include <nio/sys/Clock.h>

namespace router {

class FailingHosts {
  public:
    static constexpr std::size_t most = 1000;
    static constexpr std::chrono::milliseconds firstPause{500};
    static constexpr std::chrono::milliseconds longestPause{30'000};

    // Whether it may be sent a request now. If so, ended() follows; where it does not, the host may
    // be tried again after the longest pause.
    bool allows(const std::string& host, nio::TimePoint now);
    void ended(const std::string& host, bool isAnswered, nio::TimePoint now);

  private:
    struct Failing {
        nio::TimePoint againAt;
        std::chrono::milliseconds pause;
        bool isTried = false;  // one request is on its way
    };

    std::map<std::string, Failing> hosts_;
};

}  // namespace router
