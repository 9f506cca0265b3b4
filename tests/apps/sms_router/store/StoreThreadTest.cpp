#include "sms_router/store/StoreThread.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <latch>
#include <thread>

#include "apps/sms_router/store/StoreTesting.h"
#include "apps/sms_router/support/FileLimit.h"
#include "support/LogCapture.h"

namespace router {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

auto adding(std::uint64_t id, std::string account = "esme1") {
    return [id, account](StoreTables& tables) { tables.ids.add({id, 1, "smsc", account, 0, 0}); };
}

void fail(StoreTables&) {
    throw std::runtime_error("the test wants it");
}

std::vector<std::uint64_t> idsIn(StoreThread& store) {
    std::vector<std::uint64_t> ids;
    const auto load = [](StoreTables& tables) { return tables.ids.load(); };
    for (const IdRecord& record : store.changeAndWait(load)) ids.push_back(record.id);
    return ids;
}

// Holds the store's dispatcher in the middle of a change, so that whatever comes waits.
class Hold {
  public:
    explicit Hold(StoreThread& store) {
        store.change([latches = latches_](StoreTables&) {
            latches->held.count_down();
            latches->released.wait();
        });
        latches_->held.wait();
    }
    ~Hold() { latches_->released.count_down(); }

  private:
    struct Latches {
        std::latch held{1};
        std::latch released{1};
    };
    // Shared: the one that waits may still be in the latch when the test goes on.
    std::shared_ptr<Latches> latches_ = std::make_shared<Latches>();
};

TEST(StoreThread, MakesOneCommitOfWhatCameMeanwhile) {
    const StoreFile file;
    Caller caller;
    Caller other;
    StoreThread store(file.path());
    {
        const Hold hold(store);
        for (const std::uint64_t id : numbersUpTo(100)) {
            store.change(adding(id), caller.thread, caller.noted(id));
        }
        store.change(adding(101), other.thread, other.noted(101));
        EXPECT_EQ(store.figures().queued, 102u);
    }
    EXPECT_THAT(idsIn(store), testing::SizeIs(101));
    EXPECT_EQ(store.figures().commits, 1u);
    EXPECT_EQ(store.figures().changes, 102u);
    EXPECT_EQ(caller.thread.queue()->size(), 1u);
    EXPECT_EQ(other.thread.queue()->size(), 1u);
    EXPECT_TRUE(caller.turnUntilAnswered(100));
    EXPECT_EQ(caller.done, numbersUpTo(100));
    EXPECT_TRUE(other.turnUntilAnswered(1));
}

TEST(StoreThread, CommitsAtTheLatestWhenABatchIsFull) {
    const StoreFile file;
    StoreThread store(file.path());
    {
        const Hold hold(store);
        for (const std::uint64_t id : numbersUpTo(2 * StoreThread::maxBatch)) {
            store.change(adding(id));
        }
    }
    EXPECT_THAT(idsIn(store), testing::SizeIs(2 * StoreThread::maxBatch));
    EXPECT_EQ(store.figures().commits, 3u);
}

TEST(StoreThread, UndoesAWholeBatchAndGoesOnWithTheNext) {
    const StoreFile file;
    support::LogCapture log;
    Caller caller;
    StoreThread store(file.path());
    {
        const Hold hold(store);
        store.change(adding(1, "new"), caller.thread, caller.noted(1));
        store.change(fail, caller.thread, caller.noted(2));
        store.change(adding(3), caller.thread, caller.noted(3));
    }
    ASSERT_TRUE(caller.turnUntilAnswered(3));
    EXPECT_THAT(caller.refused, ElementsAre(1, 2, 3));
    EXPECT_EQ(store.figures().failedCommits, 1u);
    EXPECT_EQ(store.figures().commits, 0u);
    EXPECT_TRUE(store.figures().lastFailed);
    EXPECT_EQ(log.count("the test wants it; 4 changes were rolled back"), 1u);
    EXPECT_THAT(idsIn(store), IsEmpty());

    store.change(adding(4, "other"), caller.thread, caller.noted(4));
    store.change(adding(5, "new"), caller.thread, caller.noted(5));
    ASSERT_TRUE(caller.turnUntilAnswered(5));
    EXPECT_THAT(caller.done, ElementsAre(4, 5));
    EXPECT_FALSE(store.figures().lastFailed);
    const auto load = [](StoreTables& tables) { return tables.ids.load(); };
    // The number that "new" had in what was undone is another's by now.
    EXPECT_EQ(store.changeAndWait(load)[0].account, "other");
    EXPECT_EQ(store.changeAndWait(load)[1].account, "new");
}

TEST(StoreThread, RemovesWhatAFailedCommitHasUndone) {
    const StoreFile file;
    support::LogCapture log;
    {
        Caller caller;
        StoreThread store(file.path());
        for (const std::uint64_t id : numbersUpTo(4)) {
            store.change(adding(id), caller.thread, caller.noted(id));
        }
        ASSERT_TRUE(caller.turnUntilAnswered(4));
        for (const std::uint64_t answers : {5u, 6u}) {
            {
                const Hold hold(store);
                store.change(fail, caller.thread, caller.noted(answers + 100));
                store.remove({.ids = {answers == 5 ? 1u : 3u}});
            }
            ASSERT_TRUE(caller.turnUntilAnswered(answers));
        }
        // The try of a second later removes them.
        const nio::TimePoint end = nio::Clock::after(std::chrono::seconds(30));
        while (store.figures().lastFailed && nio::Clock::now() < end) std::this_thread::yield();
    }
    StoreThread store(file.path());
    EXPECT_THAT(idsIn(store), ElementsAre(2, 4));
}

TEST(StoreThread, KeepsNobodyOutForARowThatCannotBeRemoved) {
    const StoreFile file;
    support::LogCapture log;
    Caller caller;
    StoreThread store(file.path());
    store.change([](StoreTables& tables) {
        tables.database.execute(
            "CREATE TEMP TRIGGER no BEFORE DELETE ON ids WHEN old.id = 1 "
            "BEGIN SELECT RAISE(ABORT, 'damaged'); END");
    });
    store.change(adding(1), caller.thread, caller.noted(1));
    ASSERT_TRUE(caller.turnUntilAnswered(1));
    {
        const Hold hold(store);
        store.remove({.ids = {1}});
        store.change(adding(2), caller.thread, caller.noted(2));
    }
    ASSERT_TRUE(caller.turnUntilAnswered(2));
    EXPECT_THAT(caller.refused, ElementsAre(2));
    for (const std::uint64_t id : {3u, 4u}) {
        store.change(adding(id), caller.thread, caller.noted(id));
        ASSERT_TRUE(caller.turnUntilAnswered(id));
    }
    EXPECT_THAT(caller.done, ElementsAre(1, 3, 4));
    EXPECT_FALSE(store.figures().lastFailed);
    EXPECT_THAT(idsIn(store), ElementsAre(1, 3, 4));
}

TEST(StoreThread, DoesNotGiveBackWhatMustBeRemoved) {
    const StoreFile file;
    support::LogCapture log;
    StoreThread store(file.path());
    store.change(adding(1));
    ASSERT_THAT(idsIn(store), ElementsAre(1));
    {
        const Hold hold(store);
        store.change(fail);
        store.remove({.ids = {1}});
    }
    EXPECT_THAT(idsIn(store), IsEmpty());
    EXPECT_EQ(store.figures().failedCommits, 1u);
}

TEST(StoreThread, LogsAFailedCommitOnceAMinute) {
    const StoreFile file;
    support::LogCapture log;
    Caller caller;
    StoreThread store(file.path());
    for (const std::uint64_t number : numbersUpTo(5)) {
        store.change(fail, caller.thread, caller.noted(number));
        ASSERT_TRUE(caller.turnUntilAnswered(number));
    }
    EXPECT_EQ(store.figures().failedCommits, 5u);
    EXPECT_THAT(log.lines(), ElementsAre(HasSubstr("the test wants it")));
}

TEST(StoreThread, GetsOverAFileThatMayNotGrow) {
    const StoreFile file;
    support::LogCapture log;
    Caller caller;
    StoreThread store(file.path());
    store.change(
        [](StoreTables& tables) { tables.database.execute("PRAGMA max_page_count = 30"); });
    std::uint64_t id = 0;
    while (caller.refused.empty() && id < 100'000) {
        ++id;
        store.change(adding(id), caller.thread, caller.noted(id));
        if (id % 100 == 0) {
            ASSERT_TRUE(caller.turnUntilAnswered(id));
        }
    }
    ASSERT_FALSE(caller.refused.empty());
    EXPECT_EQ(log.count("full"), 1u);
    EXPECT_EQ(idsIn(store), caller.done);

    store.change(fail, caller.thread, {});
    store.changeAndWait([](StoreTables& tables) {
        tables.database.execute("PRAGMA max_page_count = 1000000");
        return true;
    });
    store.change(adding(id + 1), caller.thread, caller.noted(id + 1));
    ASSERT_TRUE(caller.turnUntilAnswered(id + 1));
    EXPECT_EQ(caller.done.back(), id + 1);
    EXPECT_EQ(idsIn(store), caller.done);
}

TEST(StoreThread, GetsOverADiskThatRefusesTheCommit) {
    const StoreFile file;
    support::LogCapture log;
    Caller caller;
    {
        StoreThread store(file.path());
        store.change(adding(1), caller.thread, caller.noted(1));
        ASSERT_TRUE(caller.turnUntilAnswered(1));
        const auto size = std::filesystem::file_size(file.path() + "-wal");
        {
            const FileLimit limit(size + 10'000);
            {
                const Hold hold(store);
                for (std::uint64_t id = 2; id <= 4000; ++id) {
                    store.change(adding(id), caller.thread, caller.noted(id));
                }
            }
            ASSERT_TRUE(caller.turnUntilAnswered(4000));
        }
        EXPECT_THAT(caller.done, ElementsAre(1));
        EXPECT_THAT(caller.refused, testing::SizeIs(3999));
        EXPECT_TRUE(store.figures().lastFailed);
        EXPECT_EQ(log.count("disk I/O error"), 1u);
        for (std::uint64_t id = 4001; id <= 8000; ++id) {
            store.change(adding(id), caller.thread, caller.noted(id));
        }
        ASSERT_TRUE(caller.turnUntilAnswered(8000));
        EXPECT_THAT(caller.done, testing::SizeIs(4001));
    }
    StoreThread store(file.path());
    EXPECT_EQ(idsIn(store), caller.done);
}

TEST(StoreThread, RefusesChangesWhenItsQueueIsFull) {
    const StoreFile file;
    Caller caller;
    StoreThread store(file.path(), {}, 3);
    {
        const Hold hold(store);
        for (const std::uint64_t id : numbersUpTo(5)) {
            store.change(adding(id), caller.thread, caller.noted(id));
        }
        ASSERT_TRUE(caller.turnUntilAnswered(2));
        EXPECT_THAT(caller.refused, ElementsAre(4, 5));
        ASSERT_TRUE(caller.thread.invokeLater([&] {
            store.change(adding(6), caller.thread, caller.noted(6));
            EXPECT_THAT(caller.refused, ElementsAre(4, 5, 6));  // in place
        }));
        ASSERT_TRUE(caller.turnUntilAnswered(3));
        store.change(adding(7));  // nobody waits: exempt
    }
    ASSERT_TRUE(caller.turnUntilAnswered(6));
    EXPECT_THAT(caller.done, ElementsAre(1, 2, 3));
    EXPECT_THAT(idsIn(store), ElementsAre(1, 2, 3, 7));
    EXPECT_EQ(store.figures().queued, 0u);
}

TEST(StoreThread, TellsTheOthersWhenOneAnswerThrows) {
    const StoreFile file;
    support::LogCapture log;
    Caller caller;
    StoreThread store(file.path());
    {
        const Hold hold(store);
        store.change(adding(1), caller.thread,
                     [](bool) { throw std::runtime_error("a bad answer"); });
        store.change(adding(2), caller.thread, caller.noted(2));
    }
    ASSERT_TRUE(caller.turnUntilAnswered(1));
    EXPECT_THAT(caller.done, ElementsAre(2));
    EXPECT_EQ(log.count("a bad answer"), 1u);
}

TEST(StoreThread, UndoesWhatIsWaitedForWhenItFails) {
    const StoreFile file;
    StoreThread store(file.path());
    store.change(adding(1));
    EXPECT_THROW(store.changeAndWait([](StoreTables& tables) {
        tables.ids.add({2, 1, "", "", 0, 0});
        fail(tables);
        return true;
    }),
                 std::runtime_error);
    EXPECT_THAT(idsIn(store), ElementsAre(1));
}

TEST(StoreThread, WritesItsLogBackBeforeItIsLong) {
    const StoreFile file;
    Caller caller;
    StoreThread store(file.path());
    const auto page = [](std::uint64_t number) {
        return [number](StoreTables& tables) {
            tables.kept.add({number, "esme1", 0, nio::Bytes(64 * 4096)});
        };
    };
    for (const std::uint64_t number : numbersUpTo(60)) {
        store.change(page(number), caller.thread, caller.noted(number));
        ASSERT_TRUE(caller.turnUntilAnswered(number));
    }
    // 60 x 64 pages were written, and a checkpoint is due at 1000.
    EXPECT_LT(std::filesystem::file_size(file.path() + "-wal"), 1200u * 4200u);
}

}  // namespace
}  // namespace router
