#include "sms_router/ingress/PasswordCache.h"

#include <gtest/gtest.h>

namespace router {
namespace {

TEST(PasswordCache, KnowsWhatWasRightForThatHashOnly) {
    PasswordCache cache(10);
    cache.wasRight("$y$a", "secret1");
    EXPECT_TRUE(cache.knows("$y$a", "secret1"));
    EXPECT_FALSE(cache.knows("$y$a", "secret2"));
    EXPECT_FALSE(cache.knows("$y$a", ""));
    EXPECT_FALSE(cache.knows("$y$b", "secret1"));
}

TEST(PasswordCache, KnowsTheLastOneOfEachHash) {
    PasswordCache cache(10);
    cache.wasRight("$y$a", "one");
    cache.wasRight("$y$b", "one");
    cache.wasRight("$y$a", "two");
    EXPECT_TRUE(cache.knows("$y$a", "two"));
    EXPECT_FALSE(cache.knows("$y$a", "one"));
    EXPECT_TRUE(cache.knows("$y$b", "one"));
}

TEST(PasswordCache, HoldsNoMoreThanItsMaximum) {
    PasswordCache cache(2);
    cache.wasRight("$y$a", "x");
    cache.wasRight("$y$b", "x");
    cache.wasRight("$y$b", "y");
    EXPECT_TRUE(cache.knows("$y$a", "x"));
    cache.wasRight("$y$c", "x");
    EXPECT_FALSE(cache.knows("$y$a", "x"));
    EXPECT_TRUE(cache.knows("$y$c", "x"));
}

TEST(PasswordCache, OfNoneKnowsNothing) {
    PasswordCache cache(0);
    cache.wasRight("$y$a", "x");
    EXPECT_FALSE(cache.knows("$y$a", "x"));
}

}  // namespace
}  // namespace router
