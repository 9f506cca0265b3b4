#include "sms_router/records/LineFile.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "apps/sms_router/records/LogFile.h"
#include "apps/sms_router/support/FileLimit.h"

namespace router {
namespace {

using testing::ElementsAre;

TEST(LineFile, AppendsToWhatIsThere) {
    const LogFile file;
    { EXPECT_FALSE(LineFile(file.path()).write("a\n").error); }
    { EXPECT_FALSE(LineFile(file.path()).write("b\nc\n").error); }
    EXPECT_THAT(file.lines(), ElementsAre("a", "b", "c"));
}

TEST(LineFile, IsNotForEverybodyToRead) {
    using std::filesystem::perms;
    const LogFile file;
    LineFile lines(file.path());
    const perms found = std::filesystem::status(file.path()).permissions();
    EXPECT_EQ(found & (perms::others_all | perms::group_write), perms::none);
}

TEST(LineFile, FollowsItsNameOnlyWhenItIsReopened) {
    const LogFile file;
    LineFile lines(file.path());
    lines.write("a\n");
    std::filesystem::rename(file.path(), file.path("old"));
    lines.write("b\n");
    lines.reopen();
    lines.write("c\n");
    EXPECT_THAT(file.lines("old"), ElementsAre("a", "b"));
    EXPECT_THAT(file.lines(), ElementsAre("c"));
}

TEST(LineFile, FollowsNoLinkThatAnotherUserMayHaveMade) {
    namespace fs = std::filesystem;
    const LogFile file;
    const std::string path = file.path("folder/link");
    fs::create_directory(file.path("folder"));
    fs::create_symlink(file.path(), path);
    LineFile lines(path);
    lines.write("a\n");
    EXPECT_THAT(file.lines(), ElementsAre("a")) << "only we may have made it";
    fs::permissions(file.path("folder"), fs::perms::all | fs::perms::sticky_bit);
    const auto refusal = [&](auto&& open) -> std::string {
        try {
            open();
        } catch (const std::system_error& error) {
            return error.what();
        }
        return "it was opened";
    };
    const std::string why = "records " + path +
                            ": a symbolic link in a folder that all users may write: "
                            "Operation not permitted";
    EXPECT_EQ(refusal([&] { LineFile again(path); }), why);
    EXPECT_EQ(refusal([&] { lines.reopen(); }), why);
    lines.write("b\n");
    EXPECT_THAT(file.lines(), ElementsAre("a", "b")) << "the old file is still in use";
}

TEST(LineFile, CannotBeOpenedInAFolderThatIsNotThere) {
    const LogFile file;
    const std::string path = file.path("no/such");
    try {
        LineFile lines(path);
        ADD_FAILURE() << "it was opened";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.what(), "records " + path + ": No such file or directory");
    }
}

TEST(LineFile, CountsTheLinesThatAFullDiskRefuses) {
    LineFile lines("/dev/full");
    const LineFile::Written written = lines.write("a\nb\n");
    EXPECT_EQ(written.error, std::errc::no_space_on_device);
    EXPECT_EQ(written.linesLost, 2u);
}

TEST(LineFile, KeepsNoPartOfALineThatDidNotFit) {
    const LogFile file;
    LineFile lines(file.path());
    lines.write("one\n");
    {
        const FileLimit limit(10);
        const LineFile::Written written = lines.write("two\nthree\nfour\n");
        EXPECT_EQ(written.error, std::errc::file_too_large);
        EXPECT_EQ(written.linesLost, 2u);
    }
    EXPECT_FALSE(lines.write("five\n").error);
    EXPECT_THAT(file.lines(), ElementsAre("one", "two", "five"));
}

TEST(LineFile, RefusesAPipeThatNobodyReads) {
    const LogFile file;
    const std::string path = file.path("pipe");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    try {
        LineFile lines(path);
        ADD_FAILURE() << "it was opened";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.what(),
                  "records " + path + ": a pipe without a reader: No such device or address");
    }
}

TEST(LineFile, GivesUpAFullPipe) {
    const LogFile file;
    const std::string path = file.path("pipe");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    const nio::UniqueFd reader(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    LineFile lines(path);
    const std::string line = std::string(999, 'x') + "\n";
    std::string many;
    for (int i = 0; i < 1000; ++i) many += line;
    const LineFile::Written written = lines.write(many);
    EXPECT_EQ(written.error, std::errc::resource_unavailable_try_again);
    EXPECT_GT(written.linesLost, 0u);
    EXPECT_LT(written.linesLost, 1000u);
}

}  // namespace
}  // namespace router
