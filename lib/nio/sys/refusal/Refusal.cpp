#include <nio/sys/refusal/Refusal.h>

#include <poll.h>
#include <sys/select.h>
#include <sys/timerfd.h>

#include <initializer_list>

#include <nio/base/Bytes.h>
#include <nio/sys/SystemCalls.h>

namespace nio::kernel {

namespace {

struct Tried {
    const char* name;
    long result;  // a negative error number where it fails
};

Result<void> check(std::initializer_list<Tried> calls) {
    for (const Tried& call : calls) {
        if (call.result != -ENOSYS && call.result != -EPERM) continue;
        return Error(static_cast<std::errc>(-call.result), call.name);
    }
    return {};
}

constexpr int noDescriptor = -1;

Tried tryWait(WaitCall call) {
    const timespec noTime{};
    epoll_event event{};
    switch (call) {
        case WaitCall::epollWait:
            return {"epoll_pwait", bare::epollWait(noDescriptor, &event, 1, 0)};
        case WaitCall::poll: return {"ppoll", bare::orError(::ppoll(nullptr, 0, &noTime, nullptr))};
        case WaitCall::select:
            return {"pselect6", bare::orError(::pselect(0, nullptr, nullptr, nullptr, &noTime,  //
                                                        nullptr))};
        case WaitCall::uringEnter: break;
    }
#ifdef SYS_io_uring_enter
    return {"io_uring_enter",
            bare::orError(::syscall(SYS_io_uring_enter, noDescriptor, 0, 0, 0, nullptr, 0))};
#else
    return {"io_uring_enter", -ENOSYS};
#endif
}

}  // namespace

Result<void> checkDispatcherCalls(WaitCall wait) {
    Byte byte{};
    return check({tryWait(wait),
                  {"recvfrom", bare::recv(noDescriptor, &byte, 0)},
                  {"sendto", bare::send(noDescriptor, &byte, 0)},
                  {"sendmsg", bare::sendmsg(noDescriptor, nullptr)},
                  {"write", bare::orError(::write(noDescriptor, &byte, 0))}});
}

Result<void> checkTimerCalls() {
    epoll_event event{};
    const int changed = ::epoll_ctl(noDescriptor, EPOLL_CTL_ADD, noDescriptor, &event);
    const Tried change{"epoll_ctl", bare::orError(changed)};
    const Tried wait{"epoll_wait", bare::orError(::epoll_wait(noDescriptor, &event, 1, 0))};
    // Asio does without a descriptor of timers, but relies on one that it has.
    const int timer = ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    if (timer < 0) return check({change, wait});
    const itimerspec never{};
    const Tried set{"timerfd_settime", bare::orError(::timerfd_settime(timer, 0, &never, nullptr))};
    ::close(timer);
    return check({change, wait, set});
}

Result<void> checkConnectCalls() {
    const sockaddr address{};
    const int connected = ::connect(noDescriptor, &address, sizeof address);
    const Tried connect{"connect", bare::orError(connected)};
    sockaddr peer{};
    socklen_t length = sizeof peer;
    const Tried name{"getpeername", bare::orError(::getpeername(noDescriptor, &peer, &length))};
    int error = 0;
    length = sizeof error;
    const int asked = ::getsockopt(noDescriptor, SOL_SOCKET, SO_ERROR, &error, &length);
    const Tried option{"getsockopt", bare::orError(asked)};
    return check({connect, name, option});
}

}  // namespace nio::kernel
