#include "sms_router/config/ConfigReader.h"

#include <sys/stat.h>

#include <fstream>

#include "apps/sms_router/config/ConfigTesting.h"
#include "nio/sys/KernelTesting.h"

namespace router {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ExposedFilesTest : public testing::Test {
  protected:
    std::string made(const std::string& name, mode_t mode) const {
        const std::string file = folder.file(name);
        std::ofstream(file) << name;
        EXPECT_EQ(::chmod(file.c_str(), mode), 0);
        return file;
    }

    const nio::kerneltest::TemporaryFolder folder;
};

TEST_F(ExposedFilesTest, AreThoseThatEveryUserCanReadOrWrite) {
    const auto of = [&](mode_t mode) { return exposedFiles(made("f", mode), {}); };
    const std::string file = folder.file("f");
    EXPECT_THAT(of(0600), IsEmpty());
    EXPECT_THAT(of(0640), IsEmpty());
    EXPECT_THAT(of(0751), IsEmpty());
    EXPECT_THAT(of(0644),
                ElementsAre("every user can read " + file + " (mode 0644); use 0640 or less"));
    EXPECT_THAT(of(0602),
                ElementsAre("every user can write " + file + " (mode 0602); use 0640 or less"));
    EXPECT_THAT(of(0666), ElementsAre("every user can read and write " + file +
                                      " (mode 0666); use 0640 or less"));
}

TEST_F(ExposedFilesTest, AreKeysAndTokensToo) {
    RouterConfig config;
    config.listeners.resize(2);
    config.listeners[1].name = "esme";
    config.listeners[1].tls = TlsServerConfig{made("certificate", 0644), made("key", 0644)};
    config.admin.tokenFile = made("token", 0644);
    EXPECT_THAT(exposedFiles(made("f", 0600), config),
                ElementsAre("listener.esme.tls.key: every user can read " + folder.file("key") +
                                " (mode 0644); use 0640 or less",
                            "admin.token_file: every user can read " + folder.file("token") +
                                " (mode 0644); use 0640 or less"));
}

TEST_F(ExposedFilesTest, WhatIsNoFileIsNotLookedAt) {
    EXPECT_THAT(exposedFiles("/dev/null", {}), IsEmpty());
    EXPECT_THAT(exposedFiles(folder.file("none"), {}), IsEmpty());
}

}  // namespace
}  // namespace router
