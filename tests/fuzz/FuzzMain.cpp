// libFuzzer's door to the one target that is linked with it.

#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

#include "fuzz/FuzzTarget.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // What the helpers of the tests expect counts too.
    testing::GTEST_FLAG(break_on_failure) = true;
    (*fuzz::FuzzTarget::first())({reinterpret_cast<const char*>(data), size});
    return 0;
}
