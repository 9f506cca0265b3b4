#include <nio/sys/Process.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>

namespace {

using nio::kernel::groupMemoryLimit;

class MemoryLimit : public testing::Test {
  protected:
    MemoryLimit() { std::filesystem::create_directories(root_); }
    ~MemoryLimit() override { std::filesystem::remove_all(root_); }

    void write(const std::string& path, const std::string& text) {
        const std::filesystem::path file = root_ + "/" + path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text << '\n';
    }
    std::size_t limitOf(const std::string& membership) const {
        return groupMemoryLimit(membership, root_);
    }

  private:
    const std::string root_ = testing::TempDir() + "nio-groups-" +
                              testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(MemoryLimit, IsNoneWhereNothingIsSaid) {
    EXPECT_EQ(limitOf(""), SIZE_MAX);
    EXPECT_EQ(limitOf("0::/some/group\n"), SIZE_MAX);
    write("some/group/memory.max", "max");
    EXPECT_EQ(limitOf("0::/some/group\n"), SIZE_MAX);
    EXPECT_EQ(limitOf("nonsense\n1:\n:::\n"), SIZE_MAX);
}

TEST_F(MemoryLimit, IsTheLeastOfAGroupAndThoseAboveIt) {
    write("a/memory.max", "2000");
    write("a/b/memory.max", "5000");
    EXPECT_EQ(limitOf("0::/a/b\n"), 2000U);
    write("a/b/memory.max", "1000");
    EXPECT_EQ(limitOf("0::/a/b\n"), 1000U);
}

TEST_F(MemoryLimit, IsFoundInAContainersMount) {
    write("memory.max", "3000");
    EXPECT_EQ(limitOf("0::/\n"), 3000U);
    EXPECT_EQ(limitOf("0::/not/to/be/seen\n"), 3000U);
}

TEST_F(MemoryLimit, OfVersion1IsThatOfTheMemoryController) {
    write("memory/a/memory.limit_in_bytes", "4000");
    write("a/memory.max", "1");
    EXPECT_EQ(limitOf("5:cpu,cpuacct:/a\n4:memory:/a\n"), 4000U);
}

TEST_F(MemoryLimit, IsKnownHere) {
    EXPECT_GT(nio::kernel::memoryLimit(), 0U);
    EXPECT_LT(nio::kernel::memoryLimit(), SIZE_MAX);
}

}  // namespace
