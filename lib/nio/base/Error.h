// An error as a value: a code and optionally its context, the operation and its object.
//
// Codes come from two places: the operating system (std::errc, through the system categories) and
// this library (nio::Errc). Compare with is(); show with message().
//
// Thread: any; a value.
#pragma once

#include <string>
#include <system_error>
#include <utility>

#include <nio/base/Cpp20.h>

namespace nio {

enum class Errc {
    stopped = 1,        // the dispatcher has stopped, or was closed before the call
    notStarted,         // invokeAndWait on a dispatcher that was never started
    queueFull,          // the invocation queue is at its limit
    waitCycle,          // dispatchers would wait for each other
    notRegistered,      // the channel is not registered, or closed
    alreadyRegistered,  // the channel is registered with another dispatcher
    notSupported,       // this system or this engine cannot do it
    badAddress,         // invalid address text
    nameNotFound,       // the resolver knows no such name
    timedOut,           // a timeout of this library, not of the kernel
    packetTooLong,      // longer than the decoder's maximum
    malformedPacket,    // bytes that are no valid packet
    notEncodable,       // the framing cannot carry this packet
    outputLimit,        // pending output exceeded the connection's hard limit
    handlerFailed,      // a callback threw an exception
    cancelled,          // the operation was cancelled by its owner
    truncated,          // the stream ended before the end that its encoding has (close_notify)
    encodingFailed,     // an encoding stage, TLS say, failed; the context says why
    notMovable,         // the handler cannot migrate, or not now
    memoryBudget,       // evicted: the memory budget is exhausted
    loopFailed,         // a dispatcher has stopped: its event loop failed repeatedly
    threadEnded,        // a dispatcher has stopped: a callback ended its thread (pthread_exit)
};

const std::error_category& errorCategory() noexcept;
std::error_code make_error_code(Errc code) noexcept;

class Error {
  public:
    Error(std::error_code code, std::string context = {})
        : code_(code), context_(std::move(context)) {}
    Error(std::errc code, std::string context = {})
        : Error(std::make_error_code(code), std::move(context)) {}
    Error(Errc code, std::string context = {}) : Error(make_error_code(code), std::move(context)) {}

    std::error_code code() const { return code_; }
    const std::string& context() const { return context_; }
    bool is(std::errc code) const { return code_ == code; }
    bool is(Errc code) const { return code_ == make_error_code(code); }

    // One line, e.g. "bind 127.0.0.1:80: Permission denied".
    std::string message() const;

    [[noreturn]] void raise() const { throw std::system_error(code_, context_); }

  private:
    std::error_code code_;
    std::string context_;
};

}  // namespace nio

template <>
struct std::is_error_code_enum<nio::Errc> : std::true_type {};
