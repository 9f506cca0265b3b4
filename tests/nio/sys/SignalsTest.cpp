#include <nio/sys/Signals.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

#include <nio/sys/UniqueFd.h>

namespace {

using nio::UniqueFd;

TEST(WriteFully, SaysWhenTheDescriptorTakesNothingAndLeavesErrnoAlone) {
    const UniqueFd readOnly(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    errno = EDOM;
    EXPECT_FALSE(nio::kernel::writeFully(readOnly.get(), "x", 1));
    EXPECT_EQ(errno, EDOM);
}

TEST(WriteFully, WritesAllThatAPipeTakes) {
    int ends[2] = {-1, -1};
    ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd reader(ends[0]), writer(ends[1]);
    EXPECT_TRUE(nio::kernel::writeFully(writer.get(), "hello", 5));
    char text[8] = {};
    EXPECT_EQ(::read(reader.get(), text, sizeof text), 5);
    EXPECT_STREQ(text, "hello");
}

TEST(OpenToAppend, LeavesErrnoAloneAlsoWhereThereIsNoSuchFile) {
    errno = EDOM;
    EXPECT_EQ(nio::kernel::openToAppend("/nowhere/at/all"), -1);
    EXPECT_EQ(errno, EDOM);
}

}  // namespace
