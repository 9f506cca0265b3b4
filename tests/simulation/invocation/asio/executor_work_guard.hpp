// See io_context.hpp.
#pragma once

#include "simulation/invocation/asio/io_context.hpp"

namespace asio {

template <class Executor>
struct executor_work_guard {};

inline executor_work_guard<io_context::executor_type> make_work_guard(io_context&) {
    return {};
}

}  // namespace asio
