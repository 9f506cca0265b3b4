// As in a sandbox: runs a function on a thread to which the kernel refuses one system call (by a
// seccomp filter). Processes that it starts inherit that.
//
// Thread: any. Errors: std::runtime_error where no filter can be installed.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

#include <array>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <thread>

namespace support {

// In the calling thread, for ever.
inline void refuseCall(long number, int error) {
    const auto call = static_cast<std::uint32_t>(number);
    const auto refusal =
        static_cast<std::uint32_t>(SECCOMP_RET_ERRNO) | static_cast<std::uint32_t>(error);
    std::array<sock_filter, 4> filter{{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, refusal),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    }};
    const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    const bool done = ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
                      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
    if (!done) throw std::runtime_error("seccomp");
}

template <class F>
void withRefusedCall(long number, int error, F f) {
    std::exception_ptr thrown;
    std::thread([&] {
        try {
            refuseCall(number, error);
            f();
        } catch (...) {
            thrown = std::current_exception();
        }
    }).join();
    if (thrown) std::rethrow_exception(thrown);
}

}  // namespace support
