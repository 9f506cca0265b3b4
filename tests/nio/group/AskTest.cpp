#include <nio/group/Ask.h>

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <pthread.h>

#include "support/FailingMemory.h"
#include "support/TestDispatcher.h"

namespace {

using nio::Result;
using support::TestDispatcher;

class AskTest : public testing::Test {
  protected:
    template <class F, class Answer>
    void ask(F function, Answer answer) {
        here.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            nio::ask(*there, std::move(function), std::move(answer));
        });
    }
    auto noting() {
        return [this](Result<std::string> answer) {
            EXPECT_TRUE(here->isCurrent());
            answers.push_back(answer ? answer.value() : answer.error().message());
        };
    }
    void stop(TestDispatcher& dispatcher) {
        dispatcher->requestClose({.deadline = std::chrono::milliseconds::zero()});
        while (dispatcher.turn()) {
        }
    }

    std::vector<std::string> answers;
    TestDispatcher there{"there"};
    TestDispatcher here{"here"};
};

using Answers = std::vector<std::string>;

TEST_F(AskTest, RunsThereAndAnswersHere) {
    bool ranThere = false;
    ask(
        [&] {
            ranThere = there->isCurrent();
            return std::string("found");
        },
        noting());
    here.turns(2);
    EXPECT_TRUE(answers.empty());
    there.turns(1);
    EXPECT_TRUE(ranThere);
    EXPECT_TRUE(answers.empty());
    here.turns(1);
    EXPECT_EQ(answers, Answers{"found"});
}

TEST_F(AskTest, AResultIsTheAnswerItself) {
    std::unique_ptr<int> found;
    ask([]() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(3); },
        [&](Result<std::unique_ptr<int>> answer) { found = std::move(answer).orThrow(); });
    ask([]() -> Result<std::string> { return nio::Error(nio::Errc::nameNotFound, "no"); },
        noting());
    there.turns(1);
    here.turns(1);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(*found, 3);
    EXPECT_EQ(answers, Answers{nio::Error(nio::Errc::nameNotFound, "no").message()});
}

TEST_F(AskTest, AnExceptionIsAnswered) {
    ask([]() -> std::string { throw std::runtime_error("oh"); }, noting());
    there.turns(1);
    here.turns(1);
    EXPECT_EQ(answers, Answers{nio::Error(nio::Errc::handlerFailed, "oh").message()});
    EXPECT_TRUE(there.failures.empty()) << "the asker has it";
}

TEST_F(AskTest, ARefusalIsAnsweredInALaterTurn) {
    stop(there);
    here.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        nio::ask(
            *there, [] { return std::string(); }, noting());
        EXPECT_TRUE(answers.empty());
    });
    here.turns(1);
    EXPECT_EQ(answers, Answers{nio::Error(nio::Errc::stopped).message()});
}

TEST_F(AskTest, AFullQueueIsAnswered) {
    nio::SelectorThreadOptions options;
    options.maxQueuedTasks = 1;
    TestDispatcher narrow("narrow", options);
    narrow.turn();
    here.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        for (int i = 0; i < 2; ++i) {
            nio::ask(
                *narrow, [] { return std::string("in"); }, noting());
        }
    });
    here.turns(1);
    EXPECT_EQ(answers, Answers{nio::Error(nio::Errc::queueFull).message()});
    narrow.turns(1);
    here.turns(1);
    EXPECT_EQ(answers.size(), 2u);
}

TEST_F(AskTest, ADispatcherThatEndsAnswersWhatItHasTaken) {
    ask([] { return std::string("last"); }, noting());
    stop(there);
    here.turns(1);
    EXPECT_EQ(answers, Answers{"last"});
}

TEST_F(AskTest, AFunctionThatEndsItsThreadIsAnswered) {
    nio::SelectorThreadOptions options;
    options.onGivingUp = [](const nio::Error&) {};
    nio::SelectorThread other(options);
    other.start();
    here.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        nio::ask(
            other, []() -> std::string { ::pthread_exit(nullptr); }, noting());
    });
    EXPECT_TRUE(here.turnUntil([&] { return !answers.empty(); }));
    EXPECT_EQ(answers, Answers{nio::Error(nio::Errc::threadEnded).message()});
}

// Says where it is destroyed.
struct Owned {
    explicit Owned(std::string* place) : place_(place) {}
    ~Owned() {
        const nio::DispatcherIdentity* current = nio::DispatcherIdentity::current();
        *place_ = current == nullptr ? "nowhere" : current->name();
    }
    std::string* place_;
};

TEST_F(AskTest, AnAskerThatEndsDestroysItsAnswer) {
    std::string answerEnds, functionEnds;
    bool ran = false;
    ask([&, owned = std::make_unique<Owned>(&functionEnds)] { ran = true; },
        [this, owned = std::make_unique<Owned>(&answerEnds)](auto) { answers.push_back("told"); });
    stop(here);
    EXPECT_EQ(answerEnds, "here");
    EXPECT_EQ(functionEnds, "");
    there.turns(1);
    EXPECT_TRUE(ran) << "what was taken is run";
    EXPECT_EQ(functionEnds, "there");
    EXPECT_TRUE(answers.empty());
}

TEST_F(AskTest, WhatRunsWhileItsAskerEndsHarmsNobody) {
    for (int round = 0; round < 50; ++round) {
        nio::SelectorThread asked, asker;
        asked.start();
        asker.start();
        std::string place;
        auto owned = std::make_unique<Owned>(&place);
        ASSERT_TRUE(asker.invokeAndWait([&] {
            nio::onDispatcher.assertCurrent();
            nio::ask(
                asked, [] { return std::string(100, 'x'); },
                [owned = std::move(owned)](Result<std::string>) {});
        }));
        asker.requestClose(nio::DrainOptions::atOnce());
        asker.join();
        EXPECT_EQ(place, asker.name());
    }
}

TEST_F(AskTest, OutsideOfATurnNobodyCouldBeAnswered) {
    nio::onDispatcher.assumeCurrent();
    EXPECT_THROW(nio::ask(
                     *there, [] {}, [](Result<void>) {}),
                 nio::WrongThreadError);
}

TEST_F(AskTest, AnAnswerMayAskAgain) {
    ask([] { return std::string("one"); },
        [this](Result<std::string> first) {
            nio::onDispatcher.assertCurrent();
            nio::ask(
                *there, [text = first.value()] { return text + " two"; }, noting());
        });
    for (int i = 0; i < 3; ++i) there.turns(1), here.turns(1);
    EXPECT_EQ(answers, Answers{"one two"});
}

TEST_F(AskTest, WithoutMemoryItIsAnsweredAllTheSame) {
    if (!support::FailingMemory::isPossible()) GTEST_SKIP() << "operator new is the sanitizer's";
    bool fails = true;
    for (std::size_t n = 0; fails; ++n) {
        answers.clear();
        TestDispatcher asked("asked"), asker("asker");
        bool threw = false;
        asker.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            const auto noMemory = support::FailingMemory::nth(n);
            try {
                nio::ask(
                    *asked, [] { return 1; },
                    [&](Result<int> answer) {
                        answers.push_back(answer ? "1" : answer.error().message());
                    });
            } catch (const std::bad_alloc&) {
                threw = true;
            }
            fails = noMemory.hasFailed();
        });
        asked.turns(1);
        asker.turns(2);
        EXPECT_EQ(answers.size(), threw ? 0u : 1u) << n;
    }
}

TEST_F(AskTest, AnAnswerNeedsNoMemory) {
    if (!support::FailingMemory::isPossible()) GTEST_SKIP() << "operator new is the sanitizer's";
    ask([] { return std::string("late"); }, noting());
    {
        const auto noMemory = support::FailingMemory::from(0);
        there.turn();
    }
    here.turns(1);
    EXPECT_EQ(answers, Answers{"late"});
    EXPECT_EQ(here->queue()->size(), 0u);
}

TEST_F(AskTest, APlainThreadGetsAFuture) {
    nio::SelectorThread other;
    other.start();
    EXPECT_EQ(nio::ask(other, [] { return 42; }).get(), 42);
    nio::ask(other, [] {}).get();
    EXPECT_THROW(nio::ask(other, [] { throw std::out_of_range("mine"); }).get(), std::out_of_range);
    EXPECT_TRUE(nio::ask(other, [&] { return other.isCurrent(); }).get());
}

TEST_F(AskTest, AFutureOfADispatcherThatHasStoppedThrows) {
    stop(there);
    auto future = nio::ask(*there, [] { return 42; });
    try {
        (void)future.get();
        FAIL();
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), make_error_code(nio::Errc::stopped));
    }
}

}  // namespace
