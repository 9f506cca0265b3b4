// SIGHUP: the server goes on, with the certificates that its files have now.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <filesystem>

#include "nio-tls/Certificates.h"
#include "support/Process.h"

namespace {

using support::bin;
using support::Process;
using testing::HasSubstr;

std::string portIn(const std::string& readyLine) {
    const std::string before = "127.0.0.1:";
    const std::size_t begin = readyLine.find(before) + before.size();
    return readyLine.substr(begin, readyLine.find(' ', begin) - begin);
}

int exitCodeOfAClientThatTrusts(const support::Authority& authority, const std::string& port) {
    Process client({bin("echo-client"), "127.0.0.1:" + port, "--tls", "--cacert", authority.file(),
                    "--sni", "localhost", "-c", "1", "-n", "10", "--quiet", "--timeout", "20"});
    return client.wait();
}

TEST(Reload, ServesNewConnectionsWithTheNewCertificate) {
    support::Authority before("before");
    support::Authority after("after");
    const nio::TlsServerFiles files = before.issue("server", {.names = "DNS:localhost"});
    Process server({bin("echo-server"), "--port", "0", "--threads", "1", "--tls-cert",
                    files.certificate, "--tls-key", files.key});
    const std::string port = portIn(server.readLine());
    EXPECT_EQ(exitCodeOfAClientThatTrusts(before, port), 0);

    const nio::TlsServerFiles renewed = after.issue("server", {.names = "DNS:localhost"});
    std::filesystem::copy_file(renewed.certificate, files.certificate,
                               std::filesystem::copy_options::overwrite_existing);
    server.signal(SIGHUP);
    EXPECT_THAT(server.readErrorLine(), HasSubstr("the certificate stays as it is"))
        << "the key is that of the old one";
    EXPECT_EQ(exitCodeOfAClientThatTrusts(before, port), 0);

    std::filesystem::copy_file(renewed.key, files.key,
                               std::filesystem::copy_options::overwrite_existing);
    server.signal(SIGHUP);
    EXPECT_EQ(server.readErrorLine(), "echo-server: certificate reloaded");
    EXPECT_EQ(exitCodeOfAClientThatTrusts(after, port), 0);
    EXPECT_EQ(exitCodeOfAClientThatTrusts(before, port), 1);
    server.signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0);
}

TEST(Reload, ReadsRegularFilesOnly) {
    support::Authority authority("authority");
    const nio::TlsServerFiles files = authority.issue("server", {.names = "DNS:localhost"});
    const std::vector<std::string> command{bin("echo-server"), "--port",    "0",
                                           "--threads",        "1",         "--tls-cert",
                                           files.certificate,  "--tls-key", files.key};
    Process server(command);
    const std::string port = portIn(server.readLine());
    std::filesystem::remove(files.key);
    ASSERT_EQ(::mkfifo(files.key.c_str(), 0600), 0);
    server.signal(SIGHUP);
    EXPECT_EQ(server.readErrorLine(), "echo-server: " + files.key +
                                          ": not a regular file: Invalid argument: the certificate "
                                          "stays as it is");
    EXPECT_EQ(exitCodeOfAClientThatTrusts(authority, port), 0);
    server.signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0);

    Process another(command);
    EXPECT_EQ(another.wait(), 2);
    EXPECT_THAT(another.errors(), HasSubstr(": not a regular file"));
}

TEST(Reload, WithoutTlsChangesNothing) {
    Process server({bin("echo-server"), "--port", "0", "--threads", "1"});
    (void)server.readLine();
    server.signal(SIGHUP);
    server.signal(SIGTERM);
    EXPECT_EQ(server.wait(), 0);
}

}  // namespace
