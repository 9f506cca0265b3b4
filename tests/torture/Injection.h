// Which call fails in this run, and how often each was made.
//
// Thread: the one of the run.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace torture {

// The functions of nio::kernel that can fail, and the system calls of its io_uring.
enum class Call {
    openStreamSocket,
    bind,
    bindSource,
    listen,
    localAddress,
    peerAddress,
    setReuseAddress,
    setReusePort,
    setV6Only,
    setNoDelay,
    setKeepAlive,
    setSendBufferBytes,
    setReceiveBufferBytes,
    setResetOnClose,
    accept,
    connect,
    connectOutcome,
    receive,
    send,
    sendPieces,
    shutdownWrite,
    createEpoll,
    epollAdd,
    epollModify,
    epollRemove,
    waitEpoll,
    createEvent,
    openReserve,
    createSignalDescriptor,
    ringSetUp,
    ringRegister,
    ringMap,
    ringEnter,
};
constexpr std::size_t callCount = static_cast<std::size_t>(Call::ringEnter) + 1;

const char* nameOf(Call call);
std::optional<Call> callNamed(const std::string& name);

// What the manual pages allow this call to fail with, as far as nio::kernel passes it on (not
// EINTR, for one).
std::vector<int> errorsOf(Call call);

struct Fault {
    Call call{};
    std::size_t nth = 0;  // from 1; 0: none
    int error = 0;
};

class Injection {
  public:
    explicit Injection(const Fault& fault);
    Injection(const Injection&) = delete;
    Injection& operator=(const Injection&) = delete;
    ~Injection();

    static Injection& current();

    // Counts the call. The error that it is to fail with, if it is the one.
    std::optional<std::errc> strikes(Call call);
    std::size_t count(Call call) const { return counts_[static_cast<std::size_t>(call)]; }
    bool hasStruck() const { return struck_; }
    bool hasStruck(Call call) const { return struck_ && fault_.call == call; }

  private:
    const Fault fault_;
    std::array<std::size_t, callCount> counts_{};
    bool struck_ = false;
};

}  // namespace torture
