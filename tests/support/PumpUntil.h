// Moves the bytes of clients on the calling thread until a condition holds.
//
// Thread: the clients'.
#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "support/Process.h"
#include "support/TestClient.h"

namespace support {

// False when patience is over.
inline bool pumpUntil(const std::vector<TestClient*>& clients,
                      const std::function<bool()>& condition) {
    const nio::TimePoint end = nio::Clock::now() + Process::patience;
    while (!condition()) {
        if (nio::Clock::now() > end) return false;
        for (TestClient* client : clients) client->pump();
        std::this_thread::yield();
    }
    return true;
}

}  // namespace support
