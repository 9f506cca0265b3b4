#include "sms_router/ingress/PasswordDesk.h"

#include <gtest/gtest.h>

#include <optional>

#include "support/TestDispatcher.h"
#include "support/TurnUntil.h"

namespace router {
namespace {

using Cost = PasswordHash::Cost;
using Verdict = PasswordDesk::Verdict;

// Of who asks as long as the tests run.
const std::shared_ptr<const void> present = std::make_shared<char>();

// Asks, and makes turns of the asker until there is an answer.
std::optional<Verdict> ask(PasswordDesk& desk, support::TestDispatcher& asker,
                           const PasswordHash& hash, const std::string& password,
                           const std::string& account = "a") {
    std::optional<Verdict> answer;
    desk.check({hash, password, account, "here", present}, *asker,
               [&](Verdict verdict) { answer = verdict; });
    EXPECT_FALSE(answer) << "answered in place";
    EXPECT_TRUE(support::turnUntil(*asker, [&] { return answer.has_value(); }));
    return answer;
}

TEST(PasswordDesk, TellsRightFromWrongInATurnOfTheAsker) {
    support::TestDispatcher asker;
    PasswordDesk desk;
    const auto hash = PasswordHash::of("secret1", Cost::cheap);
    EXPECT_EQ(ask(desk, asker, hash, "secret1"), Verdict::right);
    EXPECT_EQ(ask(desk, asker, hash, "secret2"), Verdict::wrong);
    bool current = false;
    bool answered = false;
    desk.check({hash, "secret1", "a", "here", present}, *asker, [&](Verdict) {
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
        desk.check({hash, "secret1", "a", "here", present}, *asker,
                   [&](Verdict is) { right += is == Verdict::right ? 1 : 0; });
    }
    EXPECT_TRUE(support::turnUntil(*asker, [&] { return right == 1'000; }));
    EXPECT_EQ(desk.hashed(), 1u);
}

TEST(PasswordDesk, HashesAWrongPasswordEachTime) {
    support::TestDispatcher asker;
    PasswordDesk desk;
    const auto hash = PasswordHash::of("secret1", Cost::cheap);
    EXPECT_EQ(ask(desk, asker, hash, "secret1"), Verdict::right);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(desk, asker, hash, "secret2"), Verdict::wrong);
    EXPECT_EQ(desk.hashed(), 4u);
    EXPECT_EQ(ask(desk, asker, hash, "secret1"), Verdict::right);
    EXPECT_EQ(desk.hashed(), 4u);
}

TEST(PasswordDesk, AKnownOneWaitsBehindGuessesFromItsNetwork) {
    std::string order;
    support::TestDispatcher asker;
    PasswordDesk desk;
    const auto hash = PasswordHash::of("secret1");
    EXPECT_EQ(ask(desk, asker, hash, "secret1"), Verdict::right);
    const auto guess = [&](const char* network, const char* password) {
        desk.check({hash, password, "a", network, present}, *asker,
                   [&](Verdict is) { order += is == Verdict::right ? 'r' : 'w'; });
    };
    for (int i = 0; i < 3; ++i) guess("there", "secret2");
    guess("there", "secret1");
    EXPECT_TRUE(support::turnUntil(*asker, [&] { return order.size() == 4; }));
    EXPECT_EQ(order, "wwwr");
}

TEST(PasswordDesk, IsBusyWhenTooManyWait) {
    support::TestDispatcher asker;
    const auto hash = PasswordHash::of("secret1", Cost::cheap);
    for (const PasswordDesk::Limits limits :
         {PasswordDesk::Limits{.queued = 0, .queuedOfOne = 10, .cached = 10},
          PasswordDesk::Limits{.queued = 10, .queuedOfOne = 0, .cached = 10}}) {
        PasswordDesk desk(limits);
        for (std::uint64_t i = 1; i <= 11; ++i) {
            EXPECT_EQ(ask(desk, asker, hash, "secret1"), Verdict::busy);
            EXPECT_EQ(desk.refused(), i);
        }
        EXPECT_EQ(desk.hashed(), 0u);
    }
}

TEST(PasswordDesk, LetsNobodyWaitForOneWhoTriesManyPasswords) {
    support::TestDispatcher asker;
    PasswordDesk desk;
    // So many hashes would take longer than any test may.
    const auto hash = PasswordHash::of("secret1");
    for (int i = 0; i < 1'000; ++i)
        desk.check({hash, "wrong", "him", "here", present}, *asker, [](Verdict) {});
    EXPECT_EQ(ask(desk, asker, hash, "secret1", "another"), Verdict::right);
    EXPECT_LT(desk.hashed(), 1'000u) << "it has not waited for all of his";
}

TEST(PasswordDesk, KeepsNobodyOutForOneWhoFillsIt) {
    int busy = 0;
    support::TestDispatcher asker;
    PasswordDesk desk({.queued = 100, .queuedOfOne = 50, .cached = 10});
    const auto hash = PasswordHash::of("secret1");
    for (int i = 0; i < 1'000; ++i) {
        desk.check({hash, "wrong", "his " + std::to_string(i % 4), "here", present}, *asker,
                   [&](Verdict is) { busy += is == Verdict::busy ? 1 : 0; });
    }
    EXPECT_EQ(ask(desk, asker, hash, "secret1", "another"), Verdict::right);
    EXPECT_GT(busy, 0);
    EXPECT_EQ(desk.refused(), static_cast<std::uint64_t>(busy));
}

TEST(PasswordDesk, HashesNothingForThoseWhoDoNotAskAnyMore) {
    bool answered = false;
    support::TestDispatcher asker;
    PasswordDesk desk;
    const auto hash = PasswordHash::of("secret1", Cost::cheap);
    for (int i = 0; i < 100; ++i) {
        desk.check({hash, "wrong", "a", "here", {}}, *asker, [&](Verdict) { answered = true; });
    }
    EXPECT_EQ(ask(desk, asker, hash, "secret1"), Verdict::right);
    EXPECT_EQ(desk.hashed(), 1u);
    EXPECT_FALSE(answered);
}

TEST(PasswordDesk, HasRoomAgainOnceItHasAnswered) {
    support::TestDispatcher asker;
    PasswordDesk desk({.queued = 1, .queuedOfOne = 1, .cached = 0});
    const auto hash = PasswordHash::of("secret1", Cost::cheap);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(desk, asker, hash, "secret1"), Verdict::right);
    EXPECT_EQ(desk.refused(), 0u);
}

TEST(PasswordDesk, AnswersAnAskerWhoseOwnQueueIsFull) {
    nio::SelectorThreadOptions options;
    options.maxQueuedTasks = 0;
    support::TestDispatcher asker("full", options);
    PasswordDesk desk;
    EXPECT_EQ(ask(desk, asker, PasswordHash::of("secret1", Cost::cheap), "secret1"),
              Verdict::right);
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
        desk.check({hash, "wrong", "a", "here", present}, *asker,
                   [&](Verdict) { answered = true; });
    }
    // Behind the other's in the queue.
    EXPECT_EQ(ask(desk, other, hash, "wrong"), Verdict::wrong);
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
            desk.check({hash, "wrong", "a", "here", present}, *asker,
                       [&](Verdict) { answered = true; });
        }
    }
    EXPECT_LT(asker->queue()->size(), 10'000u);
}

}  // namespace
}  // namespace router
