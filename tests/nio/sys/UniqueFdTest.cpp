#include <nio/sys/UniqueFd.h>

#include <fcntl.h>
#include <gtest/gtest.h>

#include <type_traits>

#include <nio/sys/Kernel.h>

namespace nio {
namespace {

bool isOpen(int fd) {
    return ::fcntl(fd, F_GETFD) >= 0;
}

UniqueFd something() {
    return kernel::createEvent().orThrow();
}

static_assert(!std::is_copy_constructible_v<UniqueFd>);
static_assert(!std::is_copy_assignable_v<UniqueFd>);
static_assert(std::is_nothrow_move_constructible_v<UniqueFd>);

TEST(UniqueFd, HoldsNothingByDefault) {
    const UniqueFd fd;
    EXPECT_FALSE(fd);
    EXPECT_EQ(fd.get(), -1);
}

TEST(UniqueFd, ClosesWhenItGoes) {
    int number = -1;
    {
        const UniqueFd fd = something();
        number = fd.get();
        EXPECT_TRUE(fd);
        EXPECT_TRUE(isOpen(number));
    }
    EXPECT_FALSE(isOpen(number));
}

TEST(UniqueFd, ClosesOnResetAndThenHoldsNothing) {
    UniqueFd fd = something();
    const int number = fd.get();
    fd.reset();
    EXPECT_FALSE(isOpen(number));
    EXPECT_FALSE(fd);
    fd.reset();
}

TEST(UniqueFd, KeepsWhatItReleasesOpen) {
    UniqueFd fd = something();
    const int number = fd.release();
    EXPECT_FALSE(fd);
    EXPECT_TRUE(isOpen(number));
    kernel::close(number);
}

TEST(UniqueFd, MovesWithoutClosing) {
    UniqueFd first = something();
    const int number = first.get();
    const UniqueFd second = std::move(first);
    EXPECT_EQ(first.get(), -1);
    EXPECT_EQ(second.get(), number);
    EXPECT_TRUE(isOpen(number));
}

TEST(UniqueFd, ClosesWhatItHeldWhenItIsAssigned) {
    UniqueFd target = something();
    UniqueFd source = something();
    const int lost = target.get();
    const int kept = source.get();
    target = std::move(source);
    EXPECT_FALSE(isOpen(lost));
    EXPECT_TRUE(isOpen(kept));
    EXPECT_EQ(target.get(), kept);
}

TEST(UniqueFd, SurvivesAssignmentToItself) {
    UniqueFd fd = something();
    UniqueFd& same = fd;
    fd = std::move(same);
    EXPECT_TRUE(isOpen(fd.get()));
}

}  // namespace
}  // namespace nio
