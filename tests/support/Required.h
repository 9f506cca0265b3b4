// NIO_REQUIRE_ALL=1: a test that lacks what it needs fails, instead of being skipped.
#pragma once

#include <cstdlib>
#include <string_view>

namespace support {

inline bool isEverythingRequired() {
    const char* value = std::getenv("NIO_REQUIRE_ALL");
    return value != nullptr && std::string_view(value) == "1";
}

}  // namespace support

// For the body of a test.
#define NIO_SKIP_OR_FAIL(why)                               \
    do {                                                    \
        if (support::isEverythingRequired()) FAIL() << why; \
        GTEST_SKIP() << why;                                \
    } while (false)
