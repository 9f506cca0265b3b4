// Files that the store does not touch.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>

#include "apps/sms_router/store/StoreTesting.h"
#include "sms_router/store/Database.h"

namespace router {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string contentOf(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(StoreRefusal, IsSaidToASecondRouterOnTheSameFile) {
    const StoreFile file;
    Caller caller;
    Store store(file.config());
    EXPECT_THAT(refusalOf(file.config()),
                AllOf(HasSubstr(file.path()), HasSubstr("another program has it open"),
                      Not(HasSubstr("\n"))));
    EXPECT_TRUE(caller.adds(store, someId(1)));  // and the first one goes on
}

TEST(StoreRefusal, ASecondRouterIsRefusedEvenIfTheFirstIsIdle) {
    const StoreFile file;
    { Store store(file.config()); }
    Store store(file.config());
    EXPECT_THAT(refusalOf(file.config()), HasSubstr("another program has it open"));
}

TEST(StoreRefusal, IsSaidOfAFileThatIsNoDatabase) {
    const StoreFile file;
    const std::string text(5000, 'x');
    file.fill(text);
    EXPECT_THAT(refusalOf(file.config()),
                AllOf(HasSubstr(file.path()), HasSubstr("not a database")));
    EXPECT_EQ(contentOf(file.path()), text);
}

TEST(StoreRefusal, IsSaidOfADatabaseThatIsCutShort) {
    const StoreFile file;
    Caller caller;
    {
        Store store(file.config());
        for (const std::uint64_t id : numbersUpTo(1000)) store.addId(someId(id), caller.thread, {});
    }
    std::filesystem::resize_file(file.path(), 3 * 4096 + 100);
    EXPECT_THAT(refusalOf(file.config()), AllOf(HasSubstr(file.path()), HasSubstr("malformed")));
}

TEST(StoreRefusal, IsOneLineWhateverTheFileHolds) {
    const StoreFile file;
    { Store store(file.config()); }
    std::string content = contentOf(file.path());
    const std::size_t name = content.find("sqlite_autoindex_accounts");
    ASSERT_NE(name, std::string::npos);
    content[content.find("accounts", name) + 4] = '\n';
    file.fill(content);
    EXPECT_THAT(refusalOf(file.config()), AllOf(HasSubstr("acco?nts"), Not(HasSubstr("\n"))));
}

TEST(StoreRefusal, IsSaidOfANewerVersion) {
    const StoreFile file;
    { Store store(file.config()); }
    { Database(file.path()).execute("PRAGMA user_version = 77"); }
    EXPECT_THAT(refusalOf(file.config()), AllOf(HasSubstr(file.path()), HasSubstr("version 77"),
                                                HasSubstr("use a newer sms-router")));
}

TEST(StoreRefusal, IsSaidOfAnotherProgramsDatabaseWhichStaysAsItWas) {
    const StoreFile file;
    { Database(file.path()).execute("CREATE TABLE addresses (name TEXT)"); }
    const std::string before = contentOf(file.path());
    EXPECT_THAT(refusalOf(file.config()),
                AllOf(HasSubstr(file.path()), HasSubstr("another program")));
    EXPECT_EQ(contentOf(file.path()), before);
}

TEST(StoreRefusal, IsSaidOfAFolderThatIsNotThere) {
    const StoreFile file;
    StoreConfig config;
    config.path = file.path() + "/in/a.db";
    EXPECT_THAT(refusalOf(config), AllOf(HasSubstr(config.path), HasSubstr("unable to open")));
}

TEST(StoreRefusal, IsNotSaidOfAnEmptyFile) {
    const StoreFile file;
    file.fill("");
    EXPECT_EQ(refusalOf(file.config()), "");
}

TEST(StoreFileMode, LetsNobodyElseReadIt) {
    using std::filesystem::perms;
    const StoreFile file;
    Caller caller;
    Store store(file.config());
    EXPECT_TRUE(caller.adds(store, someId(1)));
    for (const std::string& path : {file.path(), file.path() + "-wal"}) {
        const perms found = std::filesystem::status(path).permissions();
        EXPECT_EQ(found & (perms::others_all | perms::group_write), perms::none) << path;
    }
}

}  // namespace
}  // namespace router
