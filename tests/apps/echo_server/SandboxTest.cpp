// echo-server where the kernel refuses a system call of its start, as a sandbox does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdlib>
#include <optional>

#include "support/Echoes.h"
#include "support/RefusedCall.h"
#include "support/Sanitized.h"
#include "support/ServerProcess.h"

namespace {

using support::ServerProcess;
using support::withRefusedCall;

struct Refused {
    const char* name;
    long number;
};

void PrintTo(const Refused& call, std::ostream* out) {
    *out << call.name;
}

// A sanitizer needs some of these calls itself.
class Refusal : public testing::TestWithParam<Refused> {
  protected:
    void SetUp() override {
        if (support::sanitized) GTEST_SKIP() << "a sanitizer";
    }
};

class Sandbox : public Refusal {};

TEST_P(Sandbox, ThatRefusesACallLeavesAServer) {
    const char* const selector = std::getenv("NIO_SELECTOR");
    if (selector != nullptr && GetParam().number == SYS_io_uring_setup) {
        GTEST_SKIP() << "the selector is not to be chosen: " << selector;
    }
    for (const int error : {EPERM, ENOSYS}) {
        std::optional<ServerProcess> server;
        withRefusedCall(GetParam().number, error, [&] {
            server.emplace(std::vector<std::string>{"--port", "0"});
        });
        for (int i = 0; i < 3; ++i) EXPECT_TRUE(support::echoes(server->address(), "hello"));
        EXPECT_EQ(server->stop(), 0);
        EXPECT_EQ(server->process().errors(), "");
    }
}

#define CALL(name)        \
    Refused {             \
#name, SYS_##name \
    }
INSTANTIATE_TEST_SUITE_P(Calls, Sandbox,
                         testing::Values(CALL(prlimit64), CALL(prctl), CALL(sched_getaffinity),
                                         CALL(getcpu), CALL(sysinfo), CALL(sigaltstack),
                                         CALL(membarrier), CALL(uname), CALL(getrandom), CALL(rseq),
                                         CALL(io_uring_setup), CALL(sched_yield),
                                         CALL(clock_getres), CALL(getpid), CALL(gettid),
                                         CALL(accept4)));

class NeededCall : public Refusal {};

TEST_P(NeededCall, ThatIsRefusedIsNamedInOneLine) {
    for (const int error : {EPERM, ENOSYS}) {
        std::optional<support::Process> server;
        withRefusedCall(GetParam().number, error, [&] {
            server.emplace(std::vector<std::string>{support::bin("echo-server"), "--port", "0",
                                                    "--selector", "epoll", "--threads", "2"});
        });
        EXPECT_EQ(server->wait(), 1);
        EXPECT_THAT(server->errors(), testing::MatchesRegex("echo-server: [^\n]+\n"));
    }
}

INSTANTIATE_TEST_SUITE_P(Calls, NeededCall,
                         testing::Values(CALL(socket), CALL(bind), CALL(listen), CALL(eventfd2),
                                         CALL(epoll_create1)));
#undef CALL

}  // namespace
