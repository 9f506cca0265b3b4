#include "common/ServerOptions.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include <CLI/CLI.hpp>

#include <nio/sys/Process.h>
#include <nio/sys/UniqueFd.h>

#include "nio/sys/KernelTesting.h"

namespace {

using apps::flightFileMistake;
using testing::HasSubstr;
using testing::Optional;

class FlightFileTest : public testing::Test {
  protected:
    const nio::kerneltest::TemporaryFolder folder;
    const std::string file = folder.file("flight");
};

TEST_F(FlightFileTest, ANewFileIsFineAndNotMade) {
    EXPECT_EQ(flightFileMistake(file), std::nullopt);
    EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(FlightFileTest, AFileThatIsThereStaysAsItIs) {
    std::ofstream(file) << "earlier";
    EXPECT_EQ(flightFileMistake(file), std::nullopt);
    EXPECT_EQ(std::filesystem::file_size(file), 7U);
    std::ofstream(file, std::ios::trunc).close();
    EXPECT_EQ(flightFileMistake(file), std::nullopt);
    EXPECT_TRUE(std::filesystem::exists(file)) << "an empty one, too";
}

TEST_F(FlightFileTest, ALinkIsRefusedWhateverItLeadsTo) {
    const std::string link = folder.file("link");
    std::filesystem::create_symlink(file, link);
    EXPECT_THAT(flightFileMistake(link),
                Optional(HasSubstr("link: symbolic links are not allowed")));
    EXPECT_FALSE(std::filesystem::exists(file));
    std::ofstream(file).close();
    EXPECT_THAT(flightFileMistake(link),
                Optional(HasSubstr("link: symbolic links are not allowed")));
}

TEST_F(FlightFileTest, WhatIsNoFileOrHasNoFolderIsRefused) {
    const std::string long_(300, 'n');
    for (const std::string& name :
         {folder.file("no/such"), folder.file(""), folder.file("new/"), folder.file(long_)}) {
        EXPECT_THAT(flightFileMistake(name),
                    Optional(HasSubstr(name + ": cannot open it for writing")));
    }
}

TEST_F(FlightFileTest, TheReaderOfAPipeIsNotSentAway) {
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
    EXPECT_THAT(flightFileMistake(file), Optional(HasSubstr("cannot open it for writing")));
    const nio::UniqueFd reader(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    EXPECT_EQ(flightFileMistake(file), std::nullopt);
    char octet = 0;
    EXPECT_EQ(::read(reader.get(), &octet, 1), -1) << "no end of file";
    EXPECT_EQ(errno, EAGAIN);
}

TEST_F(FlightFileTest, AnEmptyNameIsNoFile) {
    EXPECT_EQ(flightFileMistake(""), std::nullopt);
}

// --- the memory budget ----------------------------------------------------------------------

apps::BudgetBytes parsed(const std::string& size) {
    CLI::App app;
    apps::BudgetBytes bytes;
    apps::addMemoryBudget(app, bytes);
    app.parse("--memory-budget " + size);
    return bytes;
}

TEST(MemoryBudgetOption, IsASizeWithOrWithoutAUnit) {
    EXPECT_EQ(parsed("2000000"), 2'000'000U);
    EXPECT_EQ(parsed("64M"), 64'000'000U);
    EXPECT_EQ(parsed("64Mi"), 64U * 1024 * 1024);
    EXPECT_EQ(parsed("0"), 0U);
}

TEST(MemoryBudgetOption, RefusesWhatIsNoSizeOrTooLittle) {
    EXPECT_THROW(parsed("much"), CLI::ValidationError);
    EXPECT_THROW(parsed("-1"), CLI::ParseError);
    EXPECT_THROW(parsed("1000"), CLI::ValidationError);
}

TEST(MemoryBudgetOption, MakesTheBudgetThatWasAskedFor) {
    EXPECT_EQ(apps::makeMemoryBudget(apps::BudgetBytes(2'000'000))->options().bytes, 2'000'000U);
    EXPECT_EQ(apps::makeMemoryBudget(apps::BudgetBytes(0)), nullptr);
}

TEST(MemoryBudgetOption, IsHalfOfTheMemoryUnlessItIsSaid) {
    EXPECT_EQ(apps::makeMemoryBudget({})->options().bytes, nio::kernel::memoryLimit() / 2);
}

}  // namespace
