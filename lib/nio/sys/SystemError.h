// Converts errno into values, for the sources of this room. Nothing above the room includes it.
//
// Thread: any.
#pragma once

#include <cerrno>
#include <string>
#include <utility>

#include <nio/base/Error.h>
#include <nio/base/Result.h>
#include <nio/sys/SocketAddress.h>
#include <nio/sys/UniqueFd.h>

namespace nio::kernel {

// Reads errno first: building the context may change it.
inline Error lastError(const char* call) {
    const auto code = static_cast<std::errc>(errno);
    return {code, call};
}

inline Error lastError(const char* call, const std::string& subject) {
    const auto code = static_cast<std::errc>(errno);
    return {code, std::string(call) + " " + subject};
}

inline Error lastError(const char* call, const SocketAddress& address) {
    const auto code = static_cast<std::errc>(errno);
    return {code, std::string(call) + " " + address.toString()};
}

inline Result<UniqueFd> ownedOrError(int fd, const char* call) {
    if (fd < 0) return lastError(call);
    return UniqueFd(fd);
}

inline Result<void> okOrError(int result, const char* call) {
    if (result < 0) return lastError(call);
    return {};
}

// Repeats a call (an expression that is negative on failure) while it fails with EINTR.
template <class Call>
auto uninterrupted(Call call) {
    for (;;) {
        const auto result = call();
        if (result >= 0 || errno != EINTR) return result;
    }
}

}  // namespace nio::kernel
