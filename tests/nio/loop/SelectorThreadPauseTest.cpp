// What reaches a dispatcher with moderation between its last look at its queue and its pause.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <nio/loop/SelectorThread.h>

#include "nio/sys/KernelTesting.h"
#include "support/ReluctantSelector.h"

namespace nio {
namespace {

using namespace std::chrono_literals;
using support::ReluctantSelector;

class PauseTest : public testing::Test {
  protected:
    static SelectorThreadOptions moderated(ReluctantSelector::Mood& mood) {
        SelectorThreadOptions options = ReluctantSelector::options(mood);
        options.moderation = WaitPolicy::longestModeration;
        return options;
    }

    // On the dispatcher, once, when its first pause is about to begin.
    template <class F>
    void beforeThePause(F&& f) {
        mood_.lets = true;
        mood_.onHandOver = [this, f = std::forward<F>(f)] {
            if (std::exchange(hasPaused_, true)) return;
            f();
            isAfterPause_ = true;
        };
        dispatcher_.start();
    }
    // Asks until there has been a pause, and `done` on the dispatcher.
    template <class F>
    bool askUntil(F&& done) {
        const TimePoint end = Clock::now() + kerneltest::patience;
        while (Clock::now() < end) {
            const Result<bool> is =
                dispatcher_.invokeAndWait([&] { return isAfterPause_ && done(); });
            if (is.ok() && is.value()) return true;
        }
        return false;
    }

    ReluctantSelector::Mood mood_;
    bool hasPaused_ = false;
    bool isAfterPause_ = false;
    SelectorThread dispatcher_{moderated(mood_)};
};

TEST_F(PauseTest, ATaskPostedJustBeforeItRunsAfterIt) {
    kernel::WaitTime wait;
    bool ran = false;
    bool wasWoken = true;
    beforeThePause([&] {
        std::thread([&] {
            EXPECT_TRUE(dispatcher_.invokeLater([&] {
                ran = true;
                wait = mood_.lastWait;
                wasWoken = mood_.wasWoken;
            }));
        }).join();
    });
    EXPECT_TRUE(askUntil([&] { return ran; }));
    EXPECT_EQ(wait, kernel::WaitTime(0ns)) << "it sleeps with a task in its queue";
    EXPECT_FALSE(wasWoken) << "the post has cost a system call";
}

}  // namespace
}  // namespace nio
