// --flight-file: what sms-router's dispatchers did before it crashed, stalled or was asked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "apps/sms_router/durability/Traced.h"
#include "apps/sms_router/scenarios/OneSmsc.h"
#include "support/Sanitized.h"

namespace router::scenarios {

namespace {

using testing::HasSubstr;

std::string contentsOf(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

// Until its last line is there.
std::string flightIn(const std::string& file, std::chrono::nanoseconds within = patience) {
    std::string text;
    for (const nio::TimePoint end = nio::Clock::after(within); nio::Clock::now() < end;) {
        text = contentsOf(file);
        if (text.ends_with("nio-flight end\n")) break;
        std::this_thread::yield();
    }
    return text;
}

// ThreadSanitizer puts off a signal that comes just before its thread blocks, if need be for ever.
std::string flightAskedFor(RouterProcess& router, const std::string& file) {
    std::string text;
    for (int i = 0; i < 5 && !text.ends_with("nio-flight end\n"); ++i) {
        router.signal(SIGUSR2);
        text = flightIn(file, std::chrono::seconds(2));
    }
    return text;
}

}  // namespace

TEST(RouterFlight, IsWrittenToItsFileWhenItIsAskedForAndOnACrash) {
    nio::kerneltest::TemporaryFolder folder;
    const std::string file = folder.file("flight");
    OneSmsc scene({.options = {"--flight-file", file, "--set", "router.stall_limit=0"}});
    const SmppPeer esme = scene.router.bound("esme1");
    EXPECT_THAT(flightAskedFor(scene.router, file),
                testing::StartsWith("nio-flight 1 signal process "));
    std::filesystem::remove(file);
    scene.router.signal(SIGSEGV);
    EXPECT_NE(scene.router.exitCode(), 0);
    EXPECT_THAT(contentsOf(file), HasSubstr("nio-flight 1 crash process "));
    EXPECT_THAT(contentsOf(file), HasSubstr(" handleRead slot "));
}

TEST(RouterFlight, RecordsNoConnectionsWhenRecordingIsOff) {
    nio::kerneltest::TemporaryFolder folder;
    const std::string file = folder.file("flight");
    OneSmsc scene({.options = {"--flight-file", file, "--set", "router.flight_records=0", "--set",
                               "router.stall_limit=0"}});
    const SmppPeer esme = scene.router.bound("esme1");
    const std::string flight = flightAskedFor(scene.router, file);
    EXPECT_THAT(flight, testing::StartsWith("nio-flight 1 signal process "));
    EXPECT_THAT(flight, testing::Not(HasSubstr(" handleRead slot ")));
}

// Each read takes longer than the limit: strace holds it up, which it cannot on io_uring.
TEST(RouterFlight, IsWrittenToItsFileOnAStall) {
    if (support::sanitized) GTEST_SKIP() << "LeakSanitizer cannot look where somebody traces";
    NIO_NEEDS_STRACE();
    nio::kerneltest::TemporaryFolder folder;
    const std::string file = folder.file("flight");
    RouterProcess router({.connectors = {{"smsc", 1}},
                          .options = {"--flight-file", file, "--set", "router.selector=epoll",
                                      "--set", "router.stall_limit=10ms"},
                          .prefix = {"strace", "-D", "-f", "-qq", "-o", "/dev/null", "-e",
                                     "inject=recvfrom:delay_enter=60000"}});
    const SmppPeer esme = router.bound("esme1");
    EXPECT_THAT(flightIn(file), testing::StartsWith("nio-flight 1 stall process "));
    router.kill();
}

TEST(RouterFlight, SaysAtTheStartThatItsFileCannotBeWritten) {
    const Ended ended = runRouter({"--config", "router.toml", "--flight-file", "/nowhere/flight"});
    EXPECT_EQ(ended.exitCode, 2);
    EXPECT_EQ(ended.errors,
              "sms-router: --flight-file /nowhere/flight: cannot open it for writing\n");
}

}  // namespace router::scenarios
