#include "sms_router/flow/ShortIds.h"

#include <gtest/gtest.h>

#include <set>

#include "nio/sys/KernelTesting.h"

namespace router {
namespace {

StoreConfig storeAt(const std::string& path) {
    StoreConfig config;
    config.path = path;
    return config;
}

TEST(ShortIds, AreMadeOnceByAllMakersAndAfterARestart) {
    const nio::kerneltest::TemporaryFolder folder;
    constexpr std::size_t each = ShortIds::reservedAtOnce / 2 + 10;
    std::set<MessageId> ids;
    for (int run = 0; run < 2; ++run) {
        Store store(storeAt(folder.file("router.db")));
        ShortIds one(store);
        ShortIds other(store);
        for (std::size_t i = 0; i < each; ++i) ids.insert({one.make(), other.make()});
        for (std::size_t i = 0; i < each; ++i) ids.insert(one.make());
    }
    EXPECT_EQ(ids.size(), 6 * each);
    EXPECT_TRUE(isShort(*ids.rbegin()));
    EXPECT_GT(*ids.begin(), 0u);
}

TEST(ShortIds, AreNoneWhereTheStoreHasFailed) {
    const nio::kerneltest::TemporaryFolder folder;
    Store store(storeAt(folder.file("router.db")));
    ShortIds ids(store);
    store.close();
    EXPECT_EQ(ids.make(), 0u);
}

}  // namespace
}  // namespace router
