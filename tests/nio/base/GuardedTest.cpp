#include <nio/base/Guarded.h>

#include <gtest/gtest.h>
#include <pthread.h>

#include <stdexcept>
#include <thread>

#include "support/ForeignException.h"

namespace nio {
namespace {

template <class Call>
std::string caughtFrom(Call&& call) {
    std::string what = "nothing";
    guarded(call, [&](const std::exception_ptr& thrown) { what = whatOf(thrown); });
    return what;
}

TEST(Guarded, GivesWhatIsThrown) {
    EXPECT_EQ(caughtFrom([] { throw std::runtime_error("too bad"); }), "too bad");
    EXPECT_EQ(caughtFrom([] { throw 5; }), "an exception not derived from std::exception");
    EXPECT_EQ(caughtFrom([] {}), "nothing");
}

TEST(Guarded, GivesAForeignExceptionAsAnUnknownOne) {
    EXPECT_EQ(caughtFrom(support::raiseForeign), "unknown exception");
    EXPECT_EQ(caughtFrom(support::raiseForeign), "unknown exception");
}

TEST(Guarded, ForeignExceptionsNestInsideOfEachOther) {
    std::string inner;
    guarded(support::raiseForeign,
            [&](const std::exception_ptr&) { inner = caughtFrom(support::raiseForeign); });
    EXPECT_EQ(inner, "unknown exception");
}

TEST(Guarded, ANullExceptionHasWords) {
    EXPECT_EQ(whatOf(nullptr), "unknown exception");
}

#ifdef __GLIBCXX__  // without libstdc++ a forced unwind has no name
TEST(Guarded, LetsTheEndOfAThreadPass) {
    bool failed = false;
    bool destroyed = false;
    bool wentOn = false;
    std::thread([&] {
        struct Destroyed {
            bool& flag;
            ~Destroyed() { flag = true; }
        } local{destroyed};
        guarded([] { ::pthread_exit(nullptr); }, [&](const std::exception_ptr&) { failed = true; });
        wentOn = true;
    }).join();
    EXPECT_TRUE(destroyed);
    EXPECT_FALSE(failed);
    EXPECT_FALSE(wentOn);
}
#endif

}  // namespace
}  // namespace nio
