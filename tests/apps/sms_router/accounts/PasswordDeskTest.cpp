#include "sms_router/accounts/PasswordDesk.h"

#include <gtest/gtest.h>

#include <optional>

#include "support/TestDispatcher.h"
#include "support/TurnUntil.h"

namespace router {
namespace {

using Cost = PasswordHash::Cost;

// Asks, and makes turns of the asker until there is an answer.
std::optional<bool> ask(PasswordDesk& desk, support::TestDispatcher& asker,
                        const PasswordHash& hash, const std::string& password) {
    std::optional<bool> answer;
    desk.check(hash, password, *asker, [&](bool right) { answer = right; });
    EXPECT_FALSE(answer) << "answered in place";
    EXPECT_TRUE(support::turnUntil(*asker, [&] { return answer.has_value(); }));
    return answer;
}

TEST(PasswordDesk, TellsRightFromWrongInATurnOfTheAsker) {
    support::TestDispatcher asker;
    PasswordDesk desk;
    const auto hash = PasswordHash::of("secret1", Cost::cheap);
    EXPECT_EQ(ask(desk, asker, hash, "secret1"), true);
    EXPECT_EQ(ask(desk, asker, hash, "secret2"), false);
    bool current = false;
    bool answered = false;
    desk.check(hash, "secret1", *asker, [&](bool) {
        current = asker->isCurrent();
        answered = true;
    });
    EXPECT_TRUE(support::turnUntil(*asker, [&] { return answered; }));
    EXPECT_TRUE(current);
}

TEST(PasswordDesk, HashesOnceForAThousandBindsOfOneAccount) {
    support::TestDispatcher asker;
    PasswordDesk desk;
    const auto hash = PasswordHash::of("secret1", Cost::cheap);
    int right = 0;
    for (int i = 0; i < 1'000; ++i) {
        desk.check(hash, "secret1", *asker, [&](bool is) { right += is ? 1 : 0; });
    }
    EXPECT_TRUE(support::turnUntil(*asker, [&] { return right == 1'000; }));
    EXPECT_EQ(desk.hashed(), 1u);
}

TEST(PasswordDesk, HashesAWrongPasswordEachTime) {
    support::TestDispatcher asker;
    PasswordDesk desk;
    const auto hash = PasswordHash::of("secret1", Cost::cheap);
    EXPECT_EQ(ask(desk, asker, hash, "secret1"), true);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(desk, asker, hash, "secret2"), false);
    EXPECT_EQ(desk.hashed(), 4u);
    EXPECT_EQ(ask(desk, asker, hash, "secret1"), true);
    EXPECT_EQ(desk.hashed(), 4u);
}

TEST(PasswordDesk, AnswersFalseWhenTooManyWait) {
    support::TestDispatcher asker;
    PasswordDesk desk({.queued = 0, .cached = 10});
    const auto hash = PasswordHash::of("secret1", Cost::cheap);
    EXPECT_EQ(ask(desk, asker, hash, "secret1"), false);
    EXPECT_EQ(desk.refused(), 1u);
    EXPECT_EQ(desk.hashed(), 0u);
}

TEST(PasswordDesk, HasRoomAgainOnceItHasAnswered) {
    support::TestDispatcher asker;
    PasswordDesk desk({.queued = 1, .cached = 0});
    const auto hash = PasswordHash::of("secret1", Cost::cheap);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(desk, asker, hash, "secret1"), true);
    EXPECT_EQ(desk.refused(), 0u);
}

TEST(PasswordDesk, AnswersAnAskerWhoseOwnQueueIsFull) {
    nio::SelectorThreadOptions options;
    options.maxQueuedTasks = 0;
    support::TestDispatcher asker("full", options);
    PasswordDesk desk;
    EXPECT_EQ(ask(desk, asker, PasswordHash::of("secret1", Cost::cheap), "secret1"), true);
}

TEST(PasswordDesk, DropsTheAnswerOfAnAskerThatHasEnded) {
    bool answered = false;
    support::TestDispatcher other;
    PasswordDesk desk;
    const auto hash = PasswordHash::of("secret1", Cost::cheap);
    {
        support::TestDispatcher asker;
        asker->requestClose();
        EXPECT_TRUE(support::turnUntil(*asker, [&] { return asker->isStopped(); }));
        desk.check(hash, "wrong", *asker, [&](bool) { answered = true; });
    }
    // Behind the other's in the queue.
    EXPECT_EQ(ask(desk, other, hash, "wrong"), false);
    EXPECT_FALSE(answered);
}

TEST(PasswordDesk, EndsWithoutHashingForThoseWhoWait) {
    bool answered = false;
    support::TestDispatcher asker;
    {
        PasswordDesk desk;
        // So many hashes would take longer than any test may.
        const auto hash = PasswordHash::of("secret1");
        for (int i = 0; i < 10'000; ++i) {
            desk.check(hash, "wrong", *asker, [&](bool) { answered = true; });
        }
    }
    EXPECT_LT(asker->queuedTasks(), 10'000u);
}

}  // namespace
}  // namespace router
