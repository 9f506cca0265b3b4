// What a thread does while its thread_local objects are destroyed: make one first, as thread_local,
// so that all later ones have gone by then.
//
// Thread: the one that ends.
#pragma once

#include <functional>

namespace support {

struct AtThreadEnd {
    std::function<void()> run;
    ~AtThreadEnd() {
        if (run) run();
    }
};

}  // namespace support
