// --unix with paths that are unusual, or cannot be.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "nio/sys/KernelTesting.h"
#include "support/Echoes.h"
#include "support/Process.h"

namespace {

using support::bin;
using support::Process;
using testing::MatchesRegex;

TEST(UnixPath, MayHaveControlCharacters) {
    const nio::kerneltest::TemporaryFolder folder;
    for (const char* name : {"a\nb", "a\tb", "\x1b[2Jx", "a\\b", "?", "caf\xc3\xa9", "\xff"}) {
        const std::string path = folder.file(name);
        Process server({bin("echo-server"), "--unix", path, "--threads", "1"});
        EXPECT_THAT(server.readLine(), MatchesRegex("echo-server listening on unix:[^\t\x1b]+ "
                                                    "\\(1 dispatcher, [a-z_]+\\)"));
        EXPECT_TRUE(std::filesystem::exists(path)) << path;
        EXPECT_TRUE(support::echoes(nio::SocketAddress::unixPath(path).orThrow(), "hello"));
        Process client({bin("echo-client"), "--unix", path, "--messages", "10", "--connections",
                        "1", "--quiet"});
        EXPECT_EQ(client.wait(), 0) << client.errors();
        server.signal(SIGTERM);
        EXPECT_THAT(server.readLine(), testing::StartsWith("echo-server stopped: "));
        EXPECT_EQ(server.wait(), 0);
        EXPECT_FALSE(std::filesystem::exists(path)) << path;
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.file("")));
}

TEST(UnixPath, ThatIsTooLongIsOneClearLine) {
    for (const char* program : {"echo-server", "echo-client"}) {
        Process longPath({bin(program), "--unix", std::string(107, '\n') + "x"});
        EXPECT_EQ(longPath.wait(), 2);
        EXPECT_THAT(
            longPath.errors(),
            MatchesRegex(std::string(program) + ": --unix: the path has 108 bytes; a Unix-domain "
                                                "socket path has at most 107[^\n]*\n"));
    }
}

TEST(UnixPath, ThatCannotBeListenedAtIsNamedInOneLine) {
    Process server({bin("echo-server"), "--unix", "/nowhere/a\nb"});
    EXPECT_EQ(server.wait(), 1);
    EXPECT_THAT(server.errors(), MatchesRegex("echo-server: [^\n]*/nowhere/a\\?b[^\n]*\n"));
}

}  // namespace
