#include "sms_router/app/Reloader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <optional>

#include "apps/sms_router/app/CoreBench.h"
#include "support/FaultySelector.h"
#include "support/LogCapture.h"
#include "support/TestDispatcher.h"

namespace router {
namespace {

using support::TestDispatcher;
using testing::ElementsAre;

class ReloaderTest : public ::testing::Test {
  protected:
    // What shards still have refers to "files", and what that has to the reloader.
    ~ReloaderTest() override {
        bench.group.end();
        stopFiles();
    }

    // `read`: what the source has, one reload after the other.
    void ask(const std::string& name) {
        reloader->reload(*asker, [this, name](Reloaded reloaded) {
            EXPECT_TRUE(asker->isCurrent());
            answers.push_back(name + (reloaded.isInForce() ? " reloaded" : " not"));
            last = std::move(reloaded);
        });
    }
    void has(const ConfigOf& config) { read.push_back({config.shared(), {}, {}}); }
    void hasMistakes() { read.push_back({nullptr, {{1, "no TOML"}}, {}}); }
    ConfigReading next() {
        const ConfigReading reading = read.front();
        read.pop_front();
        return reading;
    }
    // Of those who are not in the shards.
    void turn() {
        files.turns(3);
        asker.turns(3);
    }
    void turnAll() {
        for (int i = 0; i < 3; ++i) {
            turn();
            bench.turn();
        }
        turn();
    }
    void stopFiles() {
        files->requestClose({std::chrono::milliseconds(0)});
        while (files.turn()) {
        }
    }

    support::LogCapture log;
    support::FaultySelector::Faults faults;
    // Destroyed after the bench, whose dispatchers still answer them.
    TestDispatcher asker{"control"};
    TestDispatcher files{"files"};
    CoreBench bench{CoreBench::inMemory(), 64, 2, support::FaultySelector::options(faults)};
    std::atomic<bool> draining{false};
    std::deque<ConfigReading> read;
    std::vector<std::string> answers;
    Reloaded last;
    std::optional<Reloader> reloader{
        std::in_place, ConfigSource{"f", [this] { return next(); }}, ConfigOf().shared(),
        Reloader::Surroundings{bench.deployment, bench.group, *files, draining},
        [](const RouterConfig&) {}};
};

TEST_F(ReloaderTest, ReportsAConfigurationOnceAllShardsUseIt) {
    has(ConfigOf().account("esme1"));
    ask("it");
    turn();
    EXPECT_THAT(answers, ElementsAre());
    EXPECT_EQ(log.count("reloaded"), 0u);
    turnAll();
    EXPECT_THAT(answers, ElementsAre("it reloaded"));
    EXPECT_EQ(log.count("reloaded"), 1u);
    EXPECT_EQ(bench.shards[0].config().accounts.size(), 1u);
}

TEST_F(ReloaderTest, BeginsTheNextOneWhenTheOneBeforeIsOver) {
    has(ConfigOf().account("esme1"));
    hasMistakes();
    ask("first");
    ask("second");
    turn();
    EXPECT_EQ(read.size(), 1u) << "the second one is not read before that";
    EXPECT_THAT(answers, ElementsAre());
    turnAll();
    EXPECT_THAT(answers, ElementsAre("first reloaded", "second not"));
    EXPECT_EQ(log.lines().back(), "configuration not reloaded: the old one stays in force");
    has(ConfigOf());
    ask("third");
    turnAll();
    EXPECT_THAT(answers, ElementsAre("first reloaded", "second not", "third reloaded"));
}

TEST_F(ReloaderTest, NamesADispatcherThatHangs) {
    has(ConfigOf());
    ask("it");
    ASSERT_TRUE(files.turnUntil([&] {
        asker.turn();
        return !answers.empty();
    }));
    EXPECT_THAT(last.warnings,
                ElementsAre(testing::StartsWith("dispatcher nio-1 does not answer"),
                            testing::StartsWith("dispatcher nio-2 does not answer")));
}

TEST_F(ReloaderTest, NamesAListenerThatCouldNotBeTaken) {
    faults.watch = true;
    has(ConfigOf().listener("plain"));
    ask("it");
    turnAll();
    faults.watch = false;
    EXPECT_THAT(last.warnings, ElementsAre("listener plain no longer accepts connections"));
}

TEST_F(ReloaderTest, ReportsReloadsThatAShutdownLeftUnconfirmed) {
    has(ConfigOf());
    ask("first");
    ask("second");
    files.turns(3);
    stopFiles();
    bench.turn();
    reloader.reset();
    asker.turns(3);
    EXPECT_THAT(answers, ElementsAre("first reloaded", "second not"));
    EXPECT_EQ(log.count("reloaded"), 2u);
    EXPECT_THAT(last.refusal, testing::StartsWith("the router has stopped"));
}

TEST_F(ReloaderTest, RefusesWhatIsAskedForWhenItHasStopped) {
    stopFiles();
    ask("it");
    asker.turns(3);
    EXPECT_THAT(answers, ElementsAre("it not"));
    EXPECT_THAT(last.refusal, testing::StartsWith("the router has stopped"));
}

}  // namespace
}  // namespace router
