#include <nio/net/Resolver.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "support/FailingMemory.h"
#include "support/TurnUntil.h"

namespace {

using support::turnUntil;

// In a turn of the asker.
template <class F>
void inTurn(nio::SelectorThread& asker, F&& f) {
    bool ran = false;
    ASSERT_TRUE(asker.invokeLater([&] {
        nio::onDispatcher.assertCurrent();
        ran = true;
        f();
    }));
    while (!ran) asker.turn(std::chrono::nanoseconds::zero());
}

void resolve(nio::Resolver& resolver, const char* host, std::uint16_t port,
             nio::SelectorThread& asker, nio::Resolver::Answer answer,
             std::optional<std::weak_ptr<const void>> wanted = {}) {
    inTurn(asker, [&] {
        nio::onDispatcher.assumeCurrent();
        resolver.resolve(host, port, std::move(answer), std::move(wanted));
    });
}

TEST(Resolver, AnswersInATurnOfTheAsker) {
    nio::Resolver resolver;
    nio::SelectorThread asker;
    bool answered = false;
    resolve(resolver, "localhost", 7007, asker, [&](auto found) {
        answered = true;
        EXPECT_TRUE(asker.isCurrent());
        ASSERT_TRUE(found.ok()) << found.error().message();
        ASSERT_FALSE(found.value().empty());
        EXPECT_EQ(found.value().front().port(), 7007);
    });
    EXPECT_FALSE(answered);
    EXPECT_TRUE(turnUntil(asker, [&] { return answered; }));
}

TEST(Resolver, ANumericHostIsAnsweredInTheSameWay) {
    nio::Resolver resolver;
    nio::SelectorThread asker;
    std::string text;
    resolve(resolver, "::1", 80, asker, [&](auto found) {
        ASSERT_EQ(found.value().size(), 1U);
        text = found.value().front().toString();
    });
    EXPECT_TRUE(turnUntil(asker, [&] { return !text.empty(); }));
    EXPECT_EQ(text, "[::1]:80");
}

TEST(Resolver, AnswersComeInTheOrderOfTheQuestions) {
    nio::Resolver resolver;
    nio::SelectorThread asker;
    std::vector<int> order;
    for (int i = 0; i < 20; ++i) {
        resolve(resolver, i % 2 == 0 ? "127.0.0.1" : "localhost", 1, asker,
                [&, i](auto) { order.push_back(i); });
    }
    ASSERT_TRUE(turnUntil(asker, [&] { return order.size() == 20; }));
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(Resolver, LooksNothingUpForWhoHasGoneMeanwhile) {
    nio::Resolver resolver;
    nio::SelectorThread asker;
    auto one = std::make_shared<int>(1);
    const std::weak_ptr<const void> gone = one;
    const auto two = std::make_shared<int>(2);
    one.reset();
    std::vector<std::string> answered;
    const auto note = [&](auto found) {
        answered.push_back(found ? "found" : found.error().message());
    };
    resolve(resolver, "127.0.0.1", 1, asker, note, gone);
    resolve(resolver, "127.0.0.1", 1, asker, note, two);
    ASSERT_TRUE(turnUntil(asker, [&] { return answered.size() == 2; }));
    EXPECT_EQ(answered[0], nio::Error(nio::Errc::cancelled).message());
    EXPECT_EQ(answered[1], "found");
}

TEST(Resolver, AnswersThoughItIsOutOfMemoryForAMoment) {
    if (!support::FailingMemory::isPossible()) GTEST_SKIP() << "operator new is the sanitizer's";
    std::size_t moments = 0;
    for (bool failed = true; failed; ++moments) {
        nio::Resolver resolver;
        nio::SelectorThread asker;
        int answers = 0;
        const auto noMemory = support::FailingMemory::nthElsewhere(moments);
        resolve(resolver, "localhost", 7007, asker, [&](auto found) {
            ++answers;
            EXPECT_TRUE(found || found.error().is(std::errc::not_enough_memory));
        });
        ASSERT_TRUE(turnUntil(asker, [&] { return answers > 0; })) << moments;
        failed = noMemory.hasFailed();
    }
    EXPECT_GT(moments, 1u) << "nothing failed";
}

TEST(Resolver, WhatIsQueuedWhenItEndsIsCancelled) {
    nio::SelectorThread asker;
    std::vector<std::string> answered;
    {
        nio::Resolver resolver;
        for (int i = 0; i < 100; ++i) {
            resolve(resolver, "127.0.0.1", 1, asker, [&](auto found) {
                answered.push_back(found ? "found" : found.error().message());
            });
        }
    }
    ASSERT_TRUE(turnUntil(asker, [&] { return answered.size() == 100; }));
    for (const std::string& each : answered) {
        EXPECT_TRUE(each == "found" || each == nio::Error(nio::Errc::cancelled).message()) << each;
    }
}

TEST(Resolver, AFullQueueOfTheAskerDoesNotLoseTheAnswer) {
    nio::Resolver resolver;
    nio::SelectorThread asker({.maxQueuedTasks = 1});
    bool answered = false;
    inTurn(asker, [&] {
        nio::onDispatcher.assumeCurrent();
        ASSERT_TRUE(asker.invokeLater([] {}));
        resolver.resolve("127.0.0.1", 1, [&](auto) { answered = true; });
    });
    EXPECT_TRUE(turnUntil(asker, [&] { return answered; }));
}

}  // namespace
