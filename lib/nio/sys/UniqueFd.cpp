#include <nio/sys/UniqueFd.h>

#include <nio/sys/Kernel.h>

namespace nio {

void UniqueFd::reset() {
    if (fd_ >= 0) kernel::close(release());
}

}  // namespace nio
