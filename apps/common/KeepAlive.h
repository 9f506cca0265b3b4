// TCP keep-alive of the programs: what --keepalive and `keepalive` of a configuration can say. See
// nio::ListenOptions::keepAlive.
#pragma once

#include <chrono>

namespace apps {

constexpr std::chrono::seconds leastKeepAlive{1};
constexpr std::chrono::hours mostKeepAlive{9};
// Of what serves for weeks: a peer that has vanished is given up within two minutes.
constexpr std::chrono::seconds usualKeepAlive{60};

}  // namespace apps
