#include "sms_router/store/Store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "apps/sms_router/store/StoreTesting.h"
#include "apps/sms_router/support/FileLimit.h"
#include "sms_router/store/Database.h"
#include "support/LogCapture.h"

namespace router {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Store, HasTheIdsOfAnEarlierRun) {
    const StoreFile file;
    Caller caller;
    const IdRecord odd{0xFFFF'0000'0000'0001,
                       0xFFFFFFFF,
                       std::string("a\0\xFF'", 4),
                       "ésme",
                       -5,
                       0x80000001,
                       0xFFFF'0000'0000'0002,
                       std::string("\5\0INFO", 6),
                       std::numeric_limits<std::int64_t>::max(),
                       41'791'234'567,
                       std::string("\1\1A\0\2\2B", 7)};
    {
        Store store(file.config());
        EXPECT_TRUE(caller.adds(store, someId(7)));
        EXPECT_TRUE(caller.adds(store, odd));
        EXPECT_TRUE(caller.adds(store, {8, 1, "", "", 0, 0}));
    }
    Store store(file.config());
    const std::vector<IdRecord> records = store.loadIds();
    ASSERT_EQ(records.size(), 3u);
    EXPECT_EQ(records[0].id, odd.id);
    EXPECT_EQ(records[0].connector, odd.connector);
    EXPECT_EQ(records[0].smscId, odd.smscId);
    EXPECT_EQ(records[0].account, odd.account);
    EXPECT_EQ(records[0].time, odd.time);
    EXPECT_EQ(records[0].flags, odd.flags);
    EXPECT_EQ(records[0].shown, odd.shown);
    EXPECT_EQ(records[0].source, odd.source);
    EXPECT_EQ(records[0].destination, odd.destination);
    EXPECT_EQ(records[0].sender, odd.sender);
    EXPECT_EQ(records[0].own, odd.own);
    EXPECT_EQ(records[1].id, 7u);
    EXPECT_EQ(records[1].account, "esme1");
    EXPECT_EQ(records[2].smscId, "");
    EXPECT_EQ(records[2].account, "");
}

TEST(Store, BringsFilesOfEarlierVersionsUpToDate) {
    for (const int version : {1, 2, 3, 4, 5}) {
        const StoreFile file;
        Caller caller;
        {
            Store store(file.config());
            EXPECT_TRUE(caller.adds(store, someId(7)));
        }
        {
            Database database(file.path());
            if (version < 2) database.execute("ALTER TABLE ids DROP COLUMN source");
            if (version < 3) {
                database.execute("ALTER TABLE ids DROP COLUMN destination");
                database.execute("ALTER TABLE ids DROP COLUMN sender");
            }
            if (version < 4) database.execute("ALTER TABLE ids DROP COLUMN own");
            if (version < 5) {
                database.execute("ALTER TABLE ids DROP COLUMN message");
                database.execute("ALTER TABLE kept DROP COLUMN message");
                database.execute("ALTER TABLE kept DROP COLUMN parts");
                database.execute("ALTER TABLE kept DROP COLUMN part");
                database.execute("DROP TABLE sent");
                database.execute("DROP TABLE answers");
            } else {
                database.execute("DROP INDEX sentTime");
                database.execute("DROP INDEX answersTime");
            }
            database.execute(("PRAGMA user_version = " + std::to_string(version)).c_str());
        }
        for (int run = 0; run < 2; ++run) {
            Store store(file.config());
            const std::vector<IdRecord> records = store.loadIds();
            ASSERT_EQ(records.size(), 1u) << version;
            EXPECT_EQ(records[0].smscId, someId(7).smscId);
            EXPECT_EQ(records[0].source, version < 2 ? "" : someId(7).source);
            EXPECT_EQ(records[0].destination, version < 3 ? 0 : someId(7).destination);
            EXPECT_EQ(records[0].sender, version < 3 ? 0 : someId(7).sender);
            EXPECT_EQ(records[0].own, version < 4 ? "" : someId(7).own);
            EXPECT_EQ(records[0].message, version < 5 ? 0u : someId(7).message);
            EXPECT_TRUE(caller.adds(store, someId(7)));
        }
    }
}

TEST(Store, HasWhatAnEarlierRunKept) {
    const StoreFile file;
    Caller caller;
    {
        Store store(file.config());
        EXPECT_TRUE(caller.keeps(store, someKept(2)));
        EXPECT_TRUE(caller.keeps(store, {1, "esme2", 5, {}}));
        EXPECT_TRUE(caller.keeps(store, someKept(3)));
        store.removeKept({3});
    }
    Store store(file.config());
    const std::vector<KeptRecord> records = store.loadKept();
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(records[0].number, 1u);
    EXPECT_EQ(records[0].account, "esme2");
    EXPECT_EQ(records[0].time, 5);
    EXPECT_THAT(records[0].pdu, IsEmpty());
    EXPECT_EQ(records[1].account, "esme1");
    EXPECT_EQ(records[1].pdu, someKept(2).pdu);
}

TEST(Store, RemovesAndReplacesIds) {
    const StoreFile file;
    Caller caller;
    Store store(file.config());
    for (const std::uint64_t id : numbersUpTo(4)) store.addId(someId(id), caller.thread, {});
    store.removeIds({1, 3, 99});
    store.addId({4, 9, "again", "esme2", 1, 1}, caller.thread, {});
    const std::vector<IdRecord> records = store.loadIds();
    ASSERT_EQ(records.size(), 2u);
    EXPECT_EQ(records[0].id, 2u);
    EXPECT_EQ(records[0].smscId, "SMSC-2");
    EXPECT_EQ(records[1].smscId, "again");
    EXPECT_EQ(records[1].account, "esme2");
}

TEST(Store, AnswersEachCallerInTheOrderOfItsChanges) {
    const StoreFile file;
    constexpr std::uint64_t count = 10'000;  // more than one batch may have
    Caller first;
    Caller second;
    Store store(file.config());
    for (const std::uint64_t number : numbersUpTo(count)) {
        store.addId(someId(number), first.thread, first.noted(number));
        store.keep(someKept(number), second.thread, second.noted(number));
    }
    ASSERT_TRUE(first.turnUntilAnswered(count));
    ASSERT_TRUE(second.turnUntilAnswered(count));
    EXPECT_EQ(first.done, numbersUpTo(count));
    EXPECT_EQ(second.done, numbersUpTo(count));
    EXPECT_EQ(store.figures().changes, 2 * count);
    EXPECT_EQ(store.figures().queued, 0u);
    EXPECT_GE(store.figures().commits, 5u);
    EXPECT_GT(store.figures().commitNanoseconds, 0u);
}

TEST(Store, GivesAConnectorTheSameNumberForEver) {
    const StoreFile file;
    {
        Store store(file.config());
        EXPECT_EQ(store.connectorNumber("north"), 1u);
        EXPECT_EQ(store.connectorNumber("south"), 2u);
        EXPECT_EQ(store.connectorNumber("north"), 1u);
    }
    Store store(file.config());
    EXPECT_EQ(store.connectorNumber("west"), 3u);
    EXPECT_EQ(store.connectorNumber("south"), 2u);
}

TEST(Store, ReservesNoNumberTwice) {
    const StoreFile file;
    std::uint64_t first = 0;
    {
        Store store(file.config());
        first = store.reserveNumbers("id", 1000);
        EXPECT_LT(first, std::uint64_t(1) << 53);
        EXPECT_EQ(store.reserveNumbers("id", 1), first + 1000);
        store.reserveNumbers("kept", 5);
    }
    Store store(file.config());
    EXPECT_EQ(store.reserveNumbers("id", 1), first + 1001);
}

TEST(Store, ReservesNumbersAlsoWithoutAWait) {
    const StoreFile file;
    for (const StoreConfig& config : {file.config(), inMemory()}) {
        Caller caller;
        Store store(config);
        const std::uint64_t before = store.reserveNumbers("id", 10);
        std::optional<std::uint64_t> first;
        store.reserveNumbers("id", 1000, caller.thread, [&](const auto& got) { first = got; });
        EXPECT_FALSE(first) << "its dispatcher has made no turn";
        ASSERT_TRUE(support::turnUntil(caller.thread, [&] { return first.has_value(); }));
        EXPECT_EQ(first, before + 10);
        EXPECT_EQ(store.reserveNumbers("id", 1), before + 1010);
    }
}

TEST(Store, NotesThatItCouldNotReserveNumbers) {
    const StoreFile file;
    support::LogCapture log;
    Caller caller;
    Store store(file.config());
    std::vector<bool> answers;
    const auto reserve = [&] {
        const std::size_t asked = answers.size() + 1;
        const auto note = [&](const auto& first) { answers.push_back(first.has_value()); };
        store.reserveNumbers("id", 1000, caller.thread, note);
        return support::turnUntil(caller.thread, [&] { return answers.size() == asked; });
    };
    {
        const FileLimit full(0);
        ASSERT_TRUE(reserve());
        EXPECT_TRUE(store.figures().lastFailed);
        EXPECT_GE(store.figures().failedCommits, 1u);
        EXPECT_EQ(log.count("changes were rolled back"), 1u);
    }
    ASSERT_TRUE(reserve());
    EXPECT_THAT(answers, ElementsAre(false, true));
    EXPECT_FALSE(store.figures().lastFailed);
}

TEST(Store, CommitsWhatIsQueuedWhenItIsClosed) {
    const StoreFile file;
    Caller caller;
    Store store(file.config());
    for (const std::uint64_t id : numbersUpTo(5000)) {
        store.addId(someId(id), caller.thread, caller.noted(id));
    }
    store.close();
    Store next(file.config());  // the file is free
    EXPECT_EQ(idsIn(next), numbersUpTo(5000));
    EXPECT_TRUE(caller.turnUntilAnswered(5000));
    EXPECT_EQ(caller.done, numbersUpTo(5000));
}

TEST(Store, RefusesChangesOnceItIsClosed) {
    const StoreFile file;
    for (const StoreConfig& config : {file.config(), inMemory()}) {
        Caller caller;
        Store store(config);
        store.close();
        store.close();
        store.addId(someId(1), caller.thread, caller.noted(1));
        store.keep(someKept(2), caller.thread, caller.noted(2));
        store.removeIds({1});
        store.pruneIds(0);
        ASSERT_TRUE(caller.turnUntilAnswered(2));
        EXPECT_THAT(caller.refused, ElementsAre(1, 2));
        EXPECT_EQ(store.figures().queued, 0u);
    }
}

TEST(Store, SaysThatItIsClosedToWhoeverWaits) {
    const StoreFile file;
    Store store(file.config());
    store.close();
    EXPECT_THROW(store.loadIds(), std::runtime_error);
    EXPECT_THROW(store.reserveNumbers("id", 1), std::runtime_error);
}

TEST(Store, DropsTheAnswersForADispatcherThatHasStopped) {
    const StoreFile file;
    Caller gone;
    Caller caller;
    nio::DrainOptions atOnce;
    atOnce.deadline = std::chrono::milliseconds::zero();
    gone.thread.requestClose(atOnce);
    while (gone.thread.turn(std::chrono::nanoseconds::zero())) {
    }
    Store store(file.config());
    store.addId(someId(1), gone.thread, gone.noted(1));
    EXPECT_TRUE(caller.adds(store, someId(2)));
    EXPECT_THAT(idsIn(store), ElementsAre(1, 2));
    EXPECT_THAT(gone.done, IsEmpty());
}

TEST(Store, RemovesWhatIsOlder) {
    const StoreFile file;
    Caller caller;
    Store store(file.config());
    for (const std::uint64_t id : numbersUpTo(3500)) {
        store.addId({id, 1, "", "esme1", static_cast<std::int64_t>(id % 7), 0}, caller.thread, {});
    }
    for (const std::uint64_t number : {1, 2, 3}) {
        store.keep({number, "esme1", static_cast<std::int64_t>(number), {}}, caller.thread, {});
    }
    awaitAll(store);
    const std::uint64_t before = store.figures().commits;
    store.pruneIds(6);
    store.pruneKept(3);
    awaitAll(store);
    EXPECT_EQ(store.loadIds().size(), 500u);
    EXPECT_EQ(idsIn(store).front(), 6u);
    ASSERT_EQ(store.loadKept().size(), 1u);
    EXPECT_EQ(store.loadKept()[0].number, 3u);
    EXPECT_GE(store.figures().commits, before + 3);  // not all rows in one

    store.pruneIds(7);  // again, with an end
    awaitAll(store);
    EXPECT_THAT(store.loadIds(), IsEmpty());
}

TEST(Store, KeepsNothingInMemoryAndAnswersInPlace) {
    Caller caller;
    Store store(inMemory());
    EXPECT_FALSE(store.isDurable());
    ASSERT_TRUE(caller.thread.invokeLater([&] {
        store.addId(someId(1), caller.thread, caller.noted(1));
        store.keep(someKept(2), caller.thread, caller.noted(2));
        EXPECT_THAT(caller.done, ElementsAre(1, 2));
    }));
    ASSERT_TRUE(caller.turnUntilAnswered(2));
    store.removeIds({1});
    store.removeKept({2});
    store.pruneIds(1);
    EXPECT_THAT(store.loadIds(), IsEmpty());
    EXPECT_THAT(store.loadKept(), IsEmpty());
}

TEST(Store, PostsTheAnswerInMemoryToACallerElsewhere) {
    Caller caller;
    Store store(inMemory());
    store.addId(someId(1), caller.thread, caller.noted(1));
    EXPECT_THAT(caller.done, IsEmpty());
    EXPECT_TRUE(caller.turnUntilAnswered(1));
    EXPECT_THAT(caller.done, ElementsAre(1));
}

TEST(Store, NumbersInMemoryWhatItIsAskedFor) {
    Store store(inMemory());
    EXPECT_EQ(store.connectorNumber("north"), 1u);
    EXPECT_EQ(store.connectorNumber("south"), 2u);
    EXPECT_EQ(store.connectorNumber("north"), 1u);
    const std::uint64_t first = store.reserveNumbers("id", 10);
    EXPECT_EQ(store.reserveNumbers("id", 1), first + 10);
    // The next run, whose clock stands later than any number of this one.
    EXPECT_GT(Store(inMemory()).reserveNumbers("id", 1), first);
}

}  // namespace
}  // namespace router
