// The result of one non-blocking transfer. It fits in two registers.
//
// Thread: any; a value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include <nio/base/Error.h>

namespace nio {

enum class IoStatus : std::uint8_t {
    done,        // `bytes` were transferred
    wouldBlock,  // EAGAIN; wait for readiness
    closed,      // EOF: the peer has finished sending
    failed,      // `code` says why; the connection is unusable
};

struct IoResult {
    IoStatus status = IoStatus::done;
    std::errc code{};
    std::size_t bytes = 0;

    static IoResult done(std::size_t bytes) { return {IoStatus::done, {}, bytes}; }
    static IoResult wouldBlock() { return {IoStatus::wouldBlock, {}, 0}; }
    static IoResult closed() { return {IoStatus::closed, {}, 0}; }
    static IoResult failed(std::errc code) { return {IoStatus::failed, code, 0}; }

    bool isDone() const { return status == IoStatus::done; }
    bool isFailed() const { return status == IoStatus::failed; }
    Error error(std::string context = {}) const { return {code, std::move(context)}; }
};

}  // namespace nio
