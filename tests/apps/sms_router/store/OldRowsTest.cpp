// How old rows leave a table that has many others.
#include "sms_router/store/OldRows.h"

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "apps/sms_router/store/StoreTesting.h"
#include "sms_router/store/StoreTables.h"

namespace router {
namespace {

constexpr std::int64_t oldTime = 1000, youngTime = 2000, olderThan = 1500;

// 20,000 rows in each table.
class OldRowsTest : public testing::Test {
  protected:
    OldRowsTest() {
        sqlite3_progress_handler(
            tables_.database.handle(), instructions,
            [](void* steps) { return ++*static_cast<std::size_t*>(steps), 0; }, &steps_);
    }
    void fill(std::int64_t old) {
        const std::string numbers =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM "
            "n WHERE i < 20000) INSERT INTO ";
        const std::string time = "CASE WHEN i <= " + std::to_string(old) + " THEN " +
                                 std::to_string(oldTime) + " ELSE " + std::to_string(youngTime) +
                                 " END";
        execute(numbers + "sent SELECT (i * 7919) % 20011, 1, " + time + ", x'', x'' FROM n");
        execute(numbers + "answers SELECT i, 1, i, " + time + ", x'', 202, x'' FROM n");
    }
    void execute(const std::string& sql) { tables_.database.execute(sql.c_str()); }
    std::int64_t rowsOf(const std::string& table) {
        return tables_.database.number(("SELECT count(*) FROM " + table).c_str());
    }
    // Of the database, to remove what is old.
    std::size_t stepsToPrune(OldRows& rows) {
        steps_ = 0;
        for (auto from = std::optional(OldRows::start); from;) {
            from = rows.prune(*from, olderThan, 1000);
        }
        return steps_;
    }

    static constexpr int instructions = 100;  // of a step
    const StoreFile file_;
    StoreTables tables_{file_.path()};
    std::size_t steps_ = 0;
};

TEST_F(OldRowsTest, AreFoundWithoutALookAtTheOthers) {
    fill(0);
    EXPECT_LT(stepsToPrune(tables_.sent.oldRows()), 10u);
    EXPECT_LT(stepsToPrune(tables_.answers.oldRows()), 10u);
    EXPECT_EQ(rowsOf("sent"), 20'000);
}

TEST_F(OldRowsTest, AllLeaveSomeAtATime) {
    fill(2000);
    const auto next = tables_.sent.oldRows().prune(OldRows::start, olderThan, 1000);
    EXPECT_TRUE(next);
    EXPECT_EQ(rowsOf("sent"), 19'000);
    stepsToPrune(tables_.sent.oldRows());
    stepsToPrune(tables_.answers.oldRows());
    EXPECT_EQ(rowsOf("sent"), 18'000);
    EXPECT_EQ(rowsOf("answers"), 18'000);
}

}  // namespace
}  // namespace router
