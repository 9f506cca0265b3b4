#include <nio/dispatch/Completion.h>

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace nio {
namespace {

TEST(Completion, DoesNotWaitForWhatIsDoneAlready) {
    Completion completion;
    completion.finish();
    completion.wait();
}

TEST(Completion, ShowsTheWaiterWhatTheOtherThreadDid) {
    Completion completion;
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
TEST(Completion, MayBeDestroyedAsSoonAsTheWaitIsOver) {
    for (int round = 0; round < 1000; ++round) {
        auto completion = std::make_unique<Completion>();
        std::thread other([raw = completion.get()] { raw->finish(); });
        completion->wait();
        completion.reset();
        other.join();
    }
}

}  // namespace
}  // namespace nio
