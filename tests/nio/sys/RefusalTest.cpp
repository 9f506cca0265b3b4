#include <nio/sys/refusal/Refusal.h>

#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <cerrno>

#include "support/RefusedCall.h"

namespace nio {
namespace {

using kernel::WaitCall;

constexpr WaitCall waitCalls[] = {WaitCall::epollWait, WaitCall::poll, WaitCall::select};

template <class Check>
void expectNamed(long number, const char* name, Check check) {
    for (const int error : {EPERM, ENOSYS}) {
        support::withRefusedCall(number, error, [&] {
            const Result<void> granted = check();
            ASSERT_FALSE(granted.ok()) << name;
            EXPECT_TRUE(granted.error().is(static_cast<std::errc>(error)));
            EXPECT_EQ(granted.error().context(), name);
        });
    }
}

TEST(Refusal, IsNotSeenHere) {
    for (const WaitCall wait : waitCalls) {
        EXPECT_TRUE(kernel::checkDispatcherCalls(wait).ok());
    }
    EXPECT_TRUE(kernel::checkTimerCalls().ok());
    EXPECT_TRUE(kernel::checkConnectCalls().ok());
}

TEST(Refusal, IsNamedByTheCallThatADispatcherNeeds) {
    for (const WaitCall wait : waitCalls) {
        expectNamed(SYS_recvfrom, "recvfrom", [&] { return kernel::checkDispatcherCalls(wait); });
        expectNamed(SYS_sendto, "sendto", [&] { return kernel::checkDispatcherCalls(wait); });
        expectNamed(SYS_sendmsg, "sendmsg", [&] { return kernel::checkDispatcherCalls(wait); });
    }
    expectNamed(SYS_ppoll, "ppoll", [] { return kernel::checkDispatcherCalls(WaitCall::poll); });
    expectNamed(SYS_pselect6, "pselect6",
                [] { return kernel::checkDispatcherCalls(WaitCall::select); });
    expectNamed(SYS_io_uring_enter, "io_uring_enter",
                [] { return kernel::checkDispatcherCalls(WaitCall::uringEnter); });
}

TEST(Refusal, IsNamedByTheCallThatTimersNeed) {
    expectNamed(SYS_epoll_ctl, "epoll_ctl", kernel::checkTimerCalls);
    expectNamed(SYS_timerfd_settime, "timerfd_settime", kernel::checkTimerCalls);
}

TEST(Refusal, OfTimersDescriptorsDoesNoHarm) {
    support::withRefusedCall(SYS_timerfd_create, ENOSYS,
                             [] { EXPECT_TRUE(kernel::checkTimerCalls().ok()); });
}

TEST(Refusal, IsNamedByTheCallThatConnectionsNeed) {
    expectNamed(SYS_connect, "connect", kernel::checkConnectCalls);
    expectNamed(SYS_getpeername, "getpeername", kernel::checkConnectCalls);
    expectNamed(SYS_getsockopt, "getsockopt", kernel::checkConnectCalls);
}

}  // namespace
}  // namespace nio
