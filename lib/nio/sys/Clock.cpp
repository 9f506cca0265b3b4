#include <nio/sys/Clock.h>

#include <nio/sys/Kernel.h>

namespace nio {

Clock::time_point Clock::now() noexcept {
    return kernel::now();
}

}  // namespace nio
