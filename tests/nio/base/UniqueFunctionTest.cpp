#include <nio/base/UniqueFunction.h>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace nio {
namespace {

using Task = UniqueFunction<void()>;

static_assert(!std::is_copy_constructible_v<Task>);
static_assert(!std::is_copy_assignable_v<Task>);
static_assert(std::is_nothrow_move_constructible_v<Task>);
static_assert(std::is_nothrow_move_assignable_v<Task>);
static_assert(!std::is_constructible_v<Task, int>);
static_assert(!std::is_constructible_v<UniqueFunction<std::string()>, int (*)()>);

// A callable of `size` bytes that counts its heap copies and its living copies.
template <std::size_t size, bool throwingMove = false>
class Counted {
  public:
    static inline int heapCopies = 0;
    static inline int alive = 0;

    explicit Counted(int answer) : answer_(answer) { ++alive; }
    Counted(Counted&& other) noexcept(!throwingMove) : answer_(other.answer_) { ++alive; }
    ~Counted() { --alive; }
    int operator()() { return answer_++; }

    static void* operator new(std::size_t bytes) {
        ++heapCopies;
        return ::operator new(bytes);
    }
    static void* operator new(std::size_t, void* place) { return place; }
    static void operator delete(void* place) { ::operator delete(place); }

  private:
    int answer_;
    std::array<char, size - sizeof(int)> rest_{};
};

template <class Callable>
void expectToWork(int heapCopies) {
    Callable::heapCopies = 0;
    {
        UniqueFunction<int()> function{Callable(40)};
        EXPECT_EQ(Callable::alive, 1);
        EXPECT_EQ(function(), 40);

        UniqueFunction<int()> moved = std::move(function);
        EXPECT_FALSE(function);
        EXPECT_EQ(moved(), 41);

        UniqueFunction<int()> other{Callable(0)};
        EXPECT_EQ(Callable::alive, 2);
        other = std::move(moved);
        EXPECT_EQ(Callable::alive, 1);
        EXPECT_FALSE(moved);
        EXPECT_EQ(other(), 42);
    }
    EXPECT_EQ(Callable::alive, 0);
    EXPECT_EQ(Callable::heapCopies, 2 * heapCopies);
}

TEST(UniqueFunction, KeepsSixPointersInsideItself) {
    expectToWork<Counted<6 * sizeof(void*)>>(0);
}

TEST(UniqueFunction, PutsWhatIsLargerOnTheHeapOnceAndMovesItThere) {
    expectToWork<Counted<6 * sizeof(void*) + sizeof(int)>>(1);
}

TEST(UniqueFunction, PutsWhatMayThrowWhenMovedOnTheHeap) {
    expectToWork<Counted<2 * sizeof(void*), true>>(1);
}

TEST(UniqueFunction, RespectsAnUnusualAlignment) {
    struct alignas(64) Aligned {
        bool operator()() { return reinterpret_cast<std::uintptr_t>(this) % 64 == 0; }
    };
    UniqueFunction<bool()> function{Aligned()};
    EXPECT_TRUE(function());
}

TEST(UniqueFunction, IsEmptyByDefaultAndMadeOfNothing) {
    EXPECT_FALSE(Task());
    EXPECT_FALSE(Task(nullptr));
    EXPECT_TRUE(Task([] {}));
    Task task([] {});
    task = nullptr;
    EXPECT_FALSE(task);
}

TEST(UniqueFunction, OwnsWhatCannotBeCopied) {
    UniqueFunction<int()> function([owned = std::make_unique<int>(7)] { return *owned; });
    const auto moved = std::make_unique<UniqueFunction<int()>>(std::move(function));
    EXPECT_EQ((*moved)(), 7);
}

TEST(UniqueFunction, LetsGoOfWhatItOwnsWhenItIsEmptied) {
    auto owned = std::make_shared<int>(7);
    const std::weak_ptr<int> seen = owned;
    Task task([owned = std::move(owned)] {});
    EXPECT_FALSE(seen.expired());
    task = nullptr;
    EXPECT_TRUE(seen.expired());
}

TEST(UniqueFunction, MayBeCalledManyTimesAndKeepsItsState) {
    UniqueFunction<int()> count([n = 0]() mutable { return ++n; });
    EXPECT_EQ(count(), 1);
    EXPECT_EQ(count(), 2);
}

TEST(UniqueFunction, PassesArgumentsAndResultsThrough) {
    UniqueFunction<std::unique_ptr<int>(std::unique_ptr<int>, int&, const std::string&)> function(
        [](std::unique_ptr<int> value, int& out, const std::string& text) {
            out = static_cast<int>(text.size());
            return value;
        });
    int out = 0;
    EXPECT_EQ(*function(std::make_unique<int>(7), out, "four"), 7);
    EXPECT_EQ(out, 4);
}

TEST(UniqueFunction, LetsExceptionsOut) {
    Task task([] { throw std::runtime_error("on purpose"); });
    EXPECT_THROW(task(), std::runtime_error);
    EXPECT_TRUE(task);
}

TEST(UniqueFunction, SurvivesAssignmentToItself) {
    UniqueFunction<int()> function([] { return 7; });
    UniqueFunction<int()>& same = function;
    function = std::move(same);
    EXPECT_EQ(function(), 7);
}

TEST(UniqueFunction, CanBeAssignedFromWithinTheDestructorOfWhatItOwned) {
    Task task;
    struct Refill {
        Task* task;
        ~Refill() {
            if (task != nullptr) *task = [] {};
        }
        Refill(Task* target) : task(target) {}
        Refill(Refill&& other) noexcept : task(std::exchange(other.task, nullptr)) {}
        void operator()() {}
    };
    { Task refilling{Refill(&task)}; }
    EXPECT_TRUE(task);
}

TEST(UniqueFunction, IsMovedAboutByContainers) {
    std::vector<UniqueFunction<int()>> functions;
    for (int i = 0; i < 100; ++i) {
        functions.emplace_back([owned = std::make_unique<int>(i)] { return *owned; });
    }
    for (int i = 0; i < 100; ++i) EXPECT_EQ(functions[static_cast<std::size_t>(i)](), i);
}

#if !defined(NDEBUG)
TEST(UniqueFunctionDeathTest, RefusesToBeCalledWhenEmpty) {
    EXPECT_DEATH(Task()(), "operations_");
}
#endif

}  // namespace
}  // namespace nio
