#include "sms_router/app/AskDispatchers.h"

#include <gtest/gtest.h>

#include "support/TestDispatcher.h"
#include "support/TurnUntil.h"

namespace router {
namespace {

using support::TestDispatcher;
using Answers = std::vector<std::string>;

void stop(TestDispatcher& dispatcher) {
    dispatcher->requestClose({std::chrono::milliseconds(0)});
    while (dispatcher.turn()) {
    }
}

class AskDispatchersTest : public ::testing::Test {
  protected:
    void ask() {
        const std::vector<nio::SelectorThread*> all{&*one, &*other};
        const auto question = [&](std::size_t index) {
            EXPECT_EQ(one->isCurrent(), index == 0);
            EXPECT_EQ(other->isCurrent(), index == 1);
            return "answer " + std::to_string(index);
        };
        askDispatchers<std::string>(all, *asker, patience, question,
                                    [&](Answers answers, Silent missing) {
                                        EXPECT_TRUE(asker->isCurrent());
                                        ++done;
                                        given = std::move(answers);
                                        silent = std::move(missing);
                                    });
    }
    void turnAll() {
        for (int i = 0; i < 3; ++i) {
            for (TestDispatcher* each : {&one, &other, &asker}) each->turn();
        }
    }

    TestDispatcher one{"one"};
    TestDispatcher other{"other"};
    TestDispatcher asker{"asker"};
    std::chrono::nanoseconds patience = std::chrono::hours(1);
    int done = 0;
    Answers given;
    Silent silent;
};

TEST_F(AskDispatchersTest, GivesAllAnswersInTheOrderOfTheDispatchers) {
    ask();
    other.turn();
    asker.turn();
    EXPECT_EQ(done, 0) << "one is still missing";
    one.turn();
    EXPECT_EQ(done, 0) << "it is the asker's turn to hear of it";
    asker.turn();
    EXPECT_EQ(done, 1);
    EXPECT_EQ(given, (Answers{"answer 0", "answer 1"}));
    EXPECT_EQ(silent, Silent{});
    turnAll();
    EXPECT_EQ(done, 1);
}

TEST_F(AskDispatchersTest, OneThatHangsIsNotWaitedForAndItsAnswerIsTooLate) {
    patience = std::chrono::milliseconds(1);
    ask();
    other.turn();
    ASSERT_TRUE(asker.turnUntil([&] { return done == 1; }));
    EXPECT_EQ(given, (Answers{"", "answer 1"}));
    EXPECT_EQ(silent, Silent{0});
    turnAll();
    EXPECT_EQ(done, 1);
    EXPECT_EQ(given, (Answers{"", "answer 1"}));
}

TEST_F(AskDispatchersTest, OneWhoseQuestionFailsIsSilent) {
    const std::vector<nio::SelectorThread*> all{&*one, &*other};
    const auto question = [](std::size_t index) {
        return index == 1 ? throw std::runtime_error("no answer") : std::string("answer");
    };
    askDispatchers<std::string>(all, *asker, patience, question,
                                [&](Answers answers, Silent missing) {
                                    EXPECT_TRUE(asker->isCurrent());
                                    ++done;
                                    given = std::move(answers);
                                    silent = std::move(missing);
                                });
    turnAll();
    EXPECT_EQ(done, 1);
    EXPECT_EQ(given, (Answers{"answer", ""}));
    EXPECT_EQ(silent, Silent{1});
}

TEST_F(AskDispatchersTest, OneThatHasStoppedGivesAnEmptyAnswer) {
    stop(one);
    ask();
    turnAll();
    EXPECT_EQ(done, 1);
    EXPECT_EQ(given, (Answers{"", "answer 1"}));
}

TEST_F(AskDispatchersTest, WhenAllHaveStoppedTheAnswersAreEmpty) {
    stop(one);
    stop(other);
    ask();
    EXPECT_EQ(done, 0) << "not before it returns";
    asker.turn();
    EXPECT_EQ(done, 1);
    EXPECT_EQ(given, (Answers{"", ""}));
}

TEST_F(AskDispatchersTest, OneThatStopsMeanwhileHasAnsweredBefore) {
    ask();
    stop(one);
    turnAll();
    EXPECT_EQ(done, 1);
    EXPECT_EQ(given, (Answers{"answer 0", "answer 1"}));
}

TEST_F(AskDispatchersTest, AnAskerThatHasStoppedHearsNothing) {
    stop(asker);
    ask();
    turnAll();
    EXPECT_EQ(done, 0);
}

TEST_F(AskDispatchersTest, TheAskerMayBeAmongThoseAsked) {
    const std::vector<nio::SelectorThread*> all{&*asker, &*one};
    askDispatchers<int>(
        all, *asker, patience, [](std::size_t index) { return static_cast<int>(index) + 1; },
        [&](std::vector<int> answers, const Silent&) {
            ++done;
            EXPECT_EQ(answers, (std::vector<int>{1, 2}));
        });
    turnAll();
    EXPECT_EQ(done, 1);
}

TEST(AskDispatchers, WorksAcrossThreads) {
    nio::SelectorThread asker;
    std::vector<std::unique_ptr<nio::SelectorThread>> threads;
    std::vector<nio::SelectorThread*> all;
    for (int i = 0; i < 3; ++i) {
        threads.push_back(std::make_unique<nio::SelectorThread>());
        threads.back()->start();
        all.push_back(threads.back().get());
    }
    int rounds = 0;
    for (int round = 0; round < 200; ++round) {
        askDispatchers<std::size_t>(
            all, asker, std::chrono::hours(1), [](std::size_t index) { return index + 1; },
            [&](std::vector<std::size_t> answers, const Silent&) {
                EXPECT_EQ(answers, (std::vector<std::size_t>{1, 2, 3}));
                ++rounds;
            });
    }
    EXPECT_TRUE(support::turnUntil(asker, [&] { return rounds == 200; }));
    for (auto& thread : threads) {
        thread->requestClose({std::chrono::milliseconds(0)});
        thread->join();
    }
}

}  // namespace
}  // namespace router
