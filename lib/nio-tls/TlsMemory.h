// What OpenSSL's objects hold, measured: each allocation and release of libcrypto and libssl is
// added up on the thread that makes it. A connection is charged with the difference that a call
// into OpenSSL makes, see TlsMemory::Charge.
//
// The counter is installed before main(), since OpenSSL refuses it after its first allocation. A
// program that uses OpenSSL in a static initializer counts nothing.
//
// Thread: each has a counter of its own; no lock, no atomic.
#pragma once

#include <algorithm>
#include <cstddef>

#include <nio/base/Cpp20.h>

namespace nio {

class TlsMemory {
  public:
    // Allocated on this thread, less what was released on it; may be negative.
    static std::ptrdiff_t ofThread();
    static bool isCounted();

    // Adds what OpenSSL allocates during its life to `account`. The account never falls below zero,
    // even if the connection releases memory that another one allocated.
    class Charge {
      public:
        explicit Charge(std::size_t& account) : account_(account), before_(ofThread()) {}
        Charge(const Charge&) = delete;
        Charge& operator=(const Charge&) = delete;
        ~Charge() {
            const auto charged = static_cast<std::ptrdiff_t>(account_);
            account_ = static_cast<std::size_t>(
                std::max<std::ptrdiff_t>(0, charged + ofThread() - before_));
        }

      private:
        std::size_t& account_;
        const std::ptrdiff_t before_;
    };
};

}  // namespace nio
