// Comes before all else in what is compiled for the explorer: from here on std::atomic is
// model::SharedAtomic. The library's sources are compiled unchanged, once more, into a program that
// is not linked with the library. The standard's headers are included before, so that they keep
// theirs.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <concepts>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

// Figures that are published for others: nothing is decided by them, so they are no steps.
#include <nio/base/Published.h>

#include "model/SharedAtomic.h"

namespace std {
template <class T>
using sharedAtomic = model::SharedAtomic<T>;
}

#define atomic sharedAtomic
