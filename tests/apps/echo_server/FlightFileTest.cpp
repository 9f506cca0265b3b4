// echo-server's flight records: when it says what its dispatchers did last, and where.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/Echoes.h"
#include "support/ServerProcess.h"

namespace {

using support::bin;
using support::echoes;
using support::Process;
using support::ServerProcess;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

std::string temporaryPath() {
    return std::filesystem::temp_directory_path() / ("flight." + std::to_string(::getpid()));
}

std::string contentsOf(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

// ThreadSanitizer puts off a signal that comes just before its thread blocks, if need be for ever.
void askForFlight(ServerProcess& server) {
    bool answered = false;
    for (int i = 0; i < 5 && !answered; ++i) {
        server.process().signal(SIGUSR1);
        answered = server.process().waitForErrorLine(std::chrono::seconds(2));
    }
}

// Up to its last line.
std::string flightOf(ServerProcess& server) {
    std::string lines;
    std::string line;
    while (line != "nio-flight end") {
        line = server.process().readErrorLine();
        lines += line + "\n";
    }
    return lines;
}

TEST(EchoServerFlight, SaysOnSigusr1WhatItsDispatchersDidLastAndGoesOn) {
    ServerProcess server({"--port", "0", "--stall-limit", "0"});
    EXPECT_TRUE(echoes(server.address(), "hello"));
    askForFlight(server);
    const std::string flight = flightOf(server);
    EXPECT_THAT(flight, testing::StartsWith("nio-flight 1 signal process "));
    EXPECT_THAT(flight, HasSubstr("\ndispatcher echo-1 "));
    EXPECT_THAT(flight,
                testing::ContainsRegex(
                    " handleRead slot [0-9]+ fd [0-9]+ handler [^ ]*RawEcho[^ ]* in 5 out 5"));
    EXPECT_THAT(flight, HasSubstr(" reason finished code 0 "));
    EXPECT_TRUE(echoes(server.address(), "hello"));
    EXPECT_EQ(server.stop(), 0);
}

TEST(EchoServerFlight, ShowsThatNoReadTakesMoreThanTheReadLimit) {
    ServerProcess server({"--port", "0", "--read-limit", "100", "--stall-limit", "0"});
    EXPECT_TRUE(echoes(server.address(), std::string(350, 'x')));
    askForFlight(server);
    const std::string flight = flightOf(server);
    EXPECT_THAT(flight, testing::ContainsRegex("handleRead [^\n]* in 100 "));
    EXPECT_THAT(flight, testing::Not(testing::ContainsRegex(
                            "handleRead [^\n]* in (10[1-9]|1[1-9][0-9]|[2-9][0-9][0-9]) ")));
    EXPECT_EQ(server.stop(), 0);
}

TEST(EchoServerFlight, RecordsNothingWhenRecordingIsOff) {
    ServerProcess server({"--port", "0", "--threads", "2", "--metrics", "0", "--stall-limit", "0",
                          "--flight-records", "0"});
    EXPECT_TRUE(echoes(server.address(), "hello"));
    askForFlight(server);
    EXPECT_THAT(flightOf(server), MatchesRegex("nio-flight 1 signal process [^\n]*\n"
                                               "(dispatcher [^\n]*\n)*nio-flight end\n"));
    EXPECT_EQ(server.stop(), 0);
}

TEST(EchoServerFlight, SaysBeforeItServesThatItsFlightFileCannotBeWritten) {
    Process server({bin("echo-server"), "--port", "0", "--flight-file", "/nowhere/flight"});
    EXPECT_EQ(server.wait(), 2);
    EXPECT_EQ(server.errors(),
              "echo-server: --flight-file /nowhere/flight: cannot open it for writing\n");
    EXPECT_THAT(server.output(), IsEmpty());
    Process nameless({bin("echo-server"), "--port", "0", "--flight-file", ""});
    EXPECT_EQ(nameless.wait(), 2);
    EXPECT_EQ(nameless.errors(),
              "echo-server: --flight-file: the file name must not be empty (see --help)\n");
    const std::string file = temporaryPath();
    EXPECT_EQ(ServerProcess({"--port", "0", "--flight-file", file, "--stall-limit", "0"}).stop(),
              0);
    EXPECT_FALSE(std::filesystem::exists(file)) << "an empty file is not left behind";
}

TEST(EchoServerFlight, RefusesAPipeThatNobodyReads) {
    const std::string pipe = temporaryPath();
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    Process server({bin("echo-server"), "--port", "0", "--flight-file", pipe});
    EXPECT_EQ(server.wait(), 2);
    std::filesystem::remove(pipe);
}

TEST(EchoServerFlight, GoesToStandardErrorWhereNobodyReadsThePipeAnyMore) {
    const std::string pipe = temporaryPath();
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    nio::UniqueFd reader(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    ServerProcess server({"--port", "0", "--flight-file", pipe, "--stall-limit", "0"});
    reader.reset();
    server.process().signal(SIGSEGV);
    EXPECT_NE(server.process().wait(), 0);
    EXPECT_THAT(server.process().errors(), HasSubstr("nio-flight 1 crash process "));
    std::filesystem::remove(pipe);
}

TEST(EchoServerFlight, RefusesALinkAndLeavesItsTargetAlone) {
    const std::string link = temporaryPath();
    const std::string file = link + ".target";
    std::ofstream(file) << "theirs";
    std::filesystem::create_symlink(file, link);
    Process server({bin("echo-server"), "--port", "0", "--flight-file", link});
    EXPECT_EQ(server.wait(), 2);
    EXPECT_EQ(server.errors(),
              "echo-server: --flight-file " + link + ": symbolic links are not allowed\n");
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_EQ(contentsOf(file), "theirs");
    std::filesystem::remove(link);
    std::filesystem::remove(file);
}

TEST(EchoServerFlight, SaysInAFileWhatItDidBeforeItCrashed) {
    const std::string file = temporaryPath();
    ServerProcess server(
        {"--port", "0", "--flight-file", file, "--flight-records", "8", "--stall-limit", "0"});
    EXPECT_TRUE(echoes(server.address(), "hello"));
    server.process().signal(SIGSEGV);
    EXPECT_NE(server.process().wait(), 0);
    const std::string flight = contentsOf(file);
    EXPECT_THAT(flight, testing::StartsWith("nio-flight 1 crash process "));
    EXPECT_THAT(flight, testing::EndsWith("\nnio-flight end\n"));
    EXPECT_LE(std::count(flight.begin(), flight.end(), '\n'), 2 * (1 + 8) + 2);
    std::filesystem::remove(file);
}

}  // namespace
