#include "sms_router/store/ShortIds.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "nio/sys/KernelTesting.h"
#include "support/TurnUntil.h"

namespace router {
namespace {

StoreConfig storeAt(const std::string& path) {
    StoreConfig config;
    config.path = path;
    return config;
}

class ShortIdsTest : public ::testing::Test {
  protected:
    StoreConfig config() const { return storeAt(folder.file("router.db")); }
    // Once the store has reserved some.
    MessageId made(ShortIds& ids) {
        MessageId id = ids.make();
        const auto isThere = [&] { return id != 0 || (id = ids.make()) != 0; };
        EXPECT_TRUE(id != 0 || support::turnUntil(thread, isThere));
        return id;
    }
    // Before the ids go that are to be answered.
    void settle(Store& store) {
        store.close();
        while (thread.queue()->size() > 0) thread.turn(std::chrono::milliseconds(0));
    }
    static void useUp(ShortIds& ids) {
        while (ids.make() != 0) continue;
    }

    const nio::kerneltest::TemporaryFolder folder;
    nio::SelectorThread thread;
};

TEST_F(ShortIdsTest, AreMadeOnceByAllMakersAndAfterARestart) {
    constexpr std::size_t each = ShortIds::reservedAtOnce / 2 + 10;
    std::set<MessageId> ids;
    for (int run = 0; run < 2; ++run) {
        Store store(config());
        ShortIds one(store, thread);
        ShortIds other(store, thread);
        for (std::size_t i = 0; i < each; ++i) ids.insert({made(one), made(other)});
        for (std::size_t i = 0; i < each; ++i) ids.insert(made(one));
        settle(store);
    }
    EXPECT_EQ(ids.size(), 6 * each);
    EXPECT_TRUE(isShort(*ids.rbegin()));
    EXPECT_GT(*ids.begin(), 0u);
}

TEST_F(ShortIdsTest, OfTheFirstBlockNeedNoStore) {
    Store store(config());
    ShortIds ids(store, thread);
    store.close();
    std::size_t made = 0;
    while (ids.make() != 0) ++made;
    EXPECT_EQ(made, ShortIds::reservedAtOnce);
    settle(store);
}

TEST_F(ShortIdsTest, AreNoneUntilTheNextBlockHasCome) {
    Store store(config());
    ShortIds ids(store, thread);
    useUp(ids);
    EXPECT_EQ(ids.make(), 0u) << "its dispatcher has not been told yet";
    EXPECT_NE(made(ids), 0u);
    settle(store);
}

TEST_F(ShortIdsTest, DoNotRunOutWhereTheStoreIsInTime) {
    Store store(config());
    ShortIds ids(store, thread);
    for (std::uint64_t i = 0; i <= ShortIds::reservedAtOnce / 2; ++i) ids.make();
    store.reserveNumbers("other", 1);  // waits for what the store was asked before
    thread.turn(std::chrono::milliseconds(0));
    for (std::uint64_t i = 0; i < ShortIds::reservedAtOnce; ++i) ASSERT_NE(ids.make(), 0u);
    settle(store);
}

TEST_F(ShortIdsTest, AreReservedFromAStoreThatWorks) {
    Store store(config());
    store.close();
    EXPECT_THROW(ShortIds(store, thread), std::runtime_error);
}

TEST_F(ShortIdsTest, InMemoryComeAtOnceOnTheirDispatcher) {
    StoreConfig inMemory;
    inMemory.durability = Durability::memory;
    Store store(inMemory);
    ShortIds ids(store, thread);
    bool ran = false;
    ASSERT_TRUE(thread.invokeLater([&] {
        std::uint64_t count = 0;
        while (count < 3 * ShortIds::reservedAtOnce && ids.make() != 0) ++count;
        EXPECT_EQ(count, 3 * ShortIds::reservedAtOnce);
        ran = true;
    }));
    EXPECT_TRUE(support::turnUntil(thread, [&] { return ran; }));
}

}  // namespace
}  // namespace router
