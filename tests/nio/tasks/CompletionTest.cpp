#include <nio/tasks/Completion.h>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

namespace nio {
namespace {

using namespace std::chrono_literals;

// How long it looks before it sleeps.
class CompletionTest : public testing::TestWithParam<std::chrono::nanoseconds> {};

INSTANTIATE_TEST_SUITE_P(All, CompletionTest, testing::Values(0ns, 20us, 1s), [](const auto& spin) {
    return "Spinning" + std::to_string(spin.param.count()) + "ns";
});

TEST_P(CompletionTest, DoesNotWaitForWhatIsDoneAlready) {
    Completion completion(GetParam());
    completion.finish();
    completion.wait();
}

TEST_P(CompletionTest, ShowsTheWaiterWhatTheOtherThreadDid) {
    Completion completion(GetParam());
    int value = 0;
    std::thread other([&] {
        value = 42;
        completion.finish();
    });
    completion.wait();
    EXPECT_EQ(value, 42);
    other.join();
}

// The finishing thread must be out of it when wait() returns.
TEST_P(CompletionTest, MayBeDestroyedAsSoonAsTheWaitIsOver) {
    for (int round = 0; round < 1000; ++round) {
        auto completion = std::make_unique<Completion>(GetParam());
        std::thread other([raw = completion.get()] { raw->finish(); });
        completion->wait();
        completion.reset();
        other.join();
    }
}

}  // namespace
}  // namespace nio
