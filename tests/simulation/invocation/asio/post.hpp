// See io_context.hpp.
#pragma once

#include "simulation/invocation/asio/io_context.hpp"

namespace asio {

template <class Task>
void post(io_context& context, Task task) {
    context.post(std::move(task));
}

}  // namespace asio
