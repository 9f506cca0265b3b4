// While it lives the process gets no new descriptor (EMFILE).
//
// Thread: any; one at a time.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <nio/sys/Kernel.h>

namespace support {

class NoDescriptorLeft {
  public:
    NoDescriptorLeft() {
        const int nextFree = nio::kernel::openReserve().orThrow().get();
        EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
        const rlimit none{static_cast<rlim_t>(nextFree), before_.rlim_max};
        EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    }
    NoDescriptorLeft(const NoDescriptorLeft&) = delete;
    NoDescriptorLeft& operator=(const NoDescriptorLeft&) = delete;
    ~NoDescriptorLeft() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }

  private:
    rlimit before_{};
};

}  // namespace support
