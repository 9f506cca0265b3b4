// What one connection of an HttpServer may cost. Over it the client is answered with the status
// that says so, and the connection ends.
//
// Thread: a value, not changed once in use.
#pragma once

#include <chrono>
#include <cstddef>

namespace apps {

struct HttpLimits {
    std::size_t urlBytes = 2 * 1024;      // 414
    std::size_t headerBytes = 16 * 1024;  // 431; of all header lines of a request, trailers too
    std::size_t bodyBytes = 64 * 1024;    // 413
    // From the first byte of a request to its last: 408.
    std::chrono::milliseconds requestTimeout{10'000};
    // Before the first one: who comes has something to ask. Closes without a word.
    std::chrono::milliseconds firstTimeout{10'000};
    // Between two requests, and for a client that does not take its answer. Closes without a word.
    std::chrono::milliseconds idleTimeout{60'000};
    // Answers that the client has not taken yet; over it the connection is aborted.
    std::size_t outputBytes = 64 * 1024 * 1024;
};

}  // namespace apps
