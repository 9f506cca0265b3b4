#include <nio/net/Resolver.h>

#include <gtest/gtest.h>

#include <algorithm>

#include "support/FailingMemory.h"
#include "support/TurnUntil.h"

namespace {

using support::turnUntil;

TEST(Resolver, AnswersInATurnOfTheAsker) {
    nio::Resolver resolver;
    nio::SelectorThread asker;
    bool answered = false;
    resolver.resolve("localhost", 7007, asker, [&](auto found) {
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
    resolver.resolve("::1", 80, asker, [&](auto found) {
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
        resolver.resolve(i % 2 == 0 ? "127.0.0.1" : "localhost", 1, asker,
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
    std::vector<int> answered;
    resolver.resolve(
        "127.0.0.1", 1, asker, [&](auto) { answered.push_back(1); }, gone);
    resolver.resolve(
        "127.0.0.1", 1, asker, [&](auto) { answered.push_back(2); }, two);
    ASSERT_TRUE(turnUntil(asker, [&] { return !answered.empty(); }));
    EXPECT_EQ(answered, std::vector{2});
}

TEST(Resolver, AnswersThoughItIsOutOfMemoryForAMoment) {
    if (!support::FailingMemory::isPossible()) GTEST_SKIP() << "operator new is the sanitizer's";
    std::size_t moments = 0;
    for (bool failed = true; failed; ++moments) {
        nio::Resolver resolver;
        nio::SelectorThread asker;
        int answers = 0;
        const auto noMemory = support::FailingMemory::nthElsewhere(moments);
        resolver.resolve("localhost", 7007, asker, [&](auto found) {
            ++answers;
            EXPECT_TRUE(found || found.error().is(std::errc::not_enough_memory));
        });
        ASSERT_TRUE(turnUntil(asker, [&] { return answers > 0; })) << moments;
        failed = noMemory.hasFailed();
    }
    EXPECT_GT(moments, 1u) << "nothing failed";
}

TEST(Resolver, AnswersForADispatcherThatHasStoppedAreDropped) {
    auto asker = std::make_unique<nio::SelectorThread>();
    bool answered = false;
    {
        nio::Resolver resolver;
        asker->requestClose();
        while (asker->turn(std::chrono::milliseconds(1))) {
        }
        resolver.resolve("127.0.0.1", 1, *asker, [&](auto) { answered = true; });
        asker.reset();
    }
    EXPECT_FALSE(answered);
}

TEST(Resolver, AFullQueueOfTheAskerDoesNotLoseTheAnswer) {
    nio::Resolver resolver;
    nio::SelectorThread asker({.maxQueuedTasks = 1});
    ASSERT_TRUE(asker.invokeLater([] {}));
    bool answered = false;
    resolver.resolve("127.0.0.1", 1, asker, [&](auto) { answered = true; });
    EXPECT_TRUE(turnUntil(asker, [&] { return answered; }));
}

}  // namespace
