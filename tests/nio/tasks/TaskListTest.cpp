#include <nio/tasks/TaskList.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <vector>

namespace nio {
namespace {

constexpr std::size_t manyTasks = 3000;  // several chunks of them

class TaskListTest : public testing::Test {
  protected:
    void add(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            list_.add([this, number = added_ + i] { ran_.push_back(number); });
        }
        added_ += count;
    }
    void runAll() {
        while (!list_.isEmpty()) {
            list_.first()();
            list_.removeFirst();
        }
    }

    TaskList list_;
    std::size_t added_ = 0;
    std::vector<std::size_t> ran_;
};

TEST_F(TaskListTest, KeepsTheOrderAcrossItsChunks) {
    add(manyTasks);
    EXPECT_EQ(list_.size(), manyTasks);
    runAll();
    ASSERT_EQ(ran_.size(), manyTasks);
    for (std::size_t i = 0; i < manyTasks; ++i) EXPECT_EQ(ran_[i], i);
}

TEST_F(TaskListTest, NeverMovesATask) {
    list_.add([] {});
    const PostedTask* const first = &list_.first();
    add(manyTasks);
    EXPECT_EQ(&list_.first(), first);
}

TEST_F(TaskListTest, FillsItsChunksAgain) {
    std::size_t chunks = 0;
    for (int round = 0; round < 5; ++round) {
        add(manyTasks);
        if (round == 0) chunks = list_.chunkCount();
        EXPECT_GT(chunks, 1u);
        EXPECT_EQ(list_.chunkCount(), chunks);
        runAll();
        list_.recycle();
    }
    EXPECT_EQ(ran_.size(), 5 * manyTasks);
}

TEST_F(TaskListTest, GivesBackWhatABurstHasGrown) {
    while (list_.chunkCount() <= TaskList::keptChunks + 10) add(100);
    runAll();
    list_.recycle();
    EXPECT_EQ(list_.chunkCount(), TaskList::keptChunks);
    add(1);
    runAll();
    EXPECT_EQ(ran_.back(), added_ - 1);
}

TEST_F(TaskListTest, DestroysWhatWasNotRun) {
    auto token = std::make_shared<int>(1);
    {
        TaskList list;
        for (std::size_t i = 0; i < manyTasks; ++i) list.add([token] {});
        list.removeFirst();
        EXPECT_EQ(token.use_count(), static_cast<long>(manyTasks));
    }
    EXPECT_EQ(token.use_count(), 1);
}

TEST_F(TaskListTest, GivesBackPreparedTasksThatWereNotRun) {
    struct Prepared final : PreparedTask {
        void perform() override {}
    };
    const auto task = std::make_shared<Prepared>();
    const auto other = std::make_shared<Prepared>();
    {
        TaskList list;
        list.addPrepared(task);
        list.add([] {});
        list.addPrepared(other);
        EXPECT_EQ(list.size(), 3u);
        EXPECT_EQ(task.use_count(), 2);
    }
    EXPECT_EQ(task.use_count(), 1);
    EXPECT_EQ(other.use_count(), 1);
}

TEST_F(TaskListTest, GoesOnAfterItWasEmptyWithoutBeingRecycled) {
    for (int round = 0; round < 4000; ++round) {
        add(static_cast<std::size_t>(1 + round % 3));
        runAll();
    }
    EXPECT_EQ(ran_.size(), added_);
    EXPECT_EQ(ran_.back(), added_ - 1);
}

// Of `bytes`, which all must be there when it runs.
template <std::size_t bytes>
struct Sized {
    std::vector<std::size_t>* ran;
    std::array<char, bytes - sizeof(ran)> content;
    explicit Sized(std::vector<std::size_t>& log) : ran(&log) { content.fill('x'); }
    void operator()() {
        EXPECT_EQ(std::count(content.begin(), content.end(), 'x'), std::ssize(content));
        ran->push_back(bytes);
    }
};

TEST_F(TaskListTest, TakesCallablesOfAnySize) {
    for (int round = 0; round < 100; ++round) {
        list_.add(Sized<9>(ran_));
        list_.add(Sized<504>(ran_));
        list_.add(Sized<505>(ran_));
        list_.add(Sized<50'000>(ran_));
        list_.add([this] { ran_.push_back(1); });
    }
    runAll();
    ASSERT_EQ(ran_.size(), 500u);
    EXPECT_THAT(std::span(ran_).last(5), testing::ElementsAre(9, 504, 505, 50'000, 1));
}

TEST_F(TaskListTest, RespectsAnUnusualAlignment) {
    struct alignas(64) Aligned {
        std::vector<std::size_t>* ran;
        void operator()() { ran->push_back(reinterpret_cast<std::uintptr_t>(this) % 64); }
    };
    list_.add([] {});
    list_.add(Aligned{&ran_});
    runAll();
    EXPECT_THAT(ran_, testing::ElementsAre(0));
}

TEST_F(TaskListTest, StaysWholeWhenATaskCannotBeMade) {
    struct Unwilling {
        Unwilling() = default;
        Unwilling(const Unwilling&) { throw std::runtime_error("on purpose"); }
        void operator()() {}
        std::array<char, 400> large{};
    };
    const Unwilling unwilling;
    for (int round = 0; round < 200; ++round) {
        EXPECT_THROW(list_.add(unwilling), std::runtime_error);
        add(1);
    }
    EXPECT_EQ(list_.size(), 200u);
    runAll();
    EXPECT_EQ(ran_.size(), 200u);
}

TEST_F(TaskListTest, IsSwappedWithEverythingInIt) {
    add(manyTasks);
    TaskList other;
    other.swap(list_);
    EXPECT_TRUE(list_.isEmpty());
    EXPECT_EQ(other.size(), manyTasks);
    other.swap(list_);
    runAll();
    EXPECT_EQ(ran_.size(), manyTasks);
}

}  // namespace
}  // namespace nio
