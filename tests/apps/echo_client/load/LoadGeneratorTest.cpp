// Who directs a load, with workers that the test plays. They are told in the generator's thread.
#include "echo_client/load/LoadGenerator.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <functional>

#include <nio/net/SignalHandler.h>

namespace load {
namespace {

using namespace std::chrono_literals;

// Connects at once; all else is as the test says.
class PlayedWorker final : public LoadWorker {
  public:
    using Part = std::function<void()>;

    PlayedWorker(LoadWorkerListener& listener, std::size_t index)
        : listener_(listener), index_(index) {}

    void connect() override { onConnect ? onConnect() : listener_.workerConnected(index_, 1); }
    void send(const LoadSchedule&) override { play(onSend); }
    void report() override { play(onReport); }
    void stop() override { play(onStop); }
    void giveUp() override { play(onGiveUp); }
    std::string name() const override { return "played"; }
    std::string selector() const override { return "none"; }

    void reportAnswers(std::uint64_t count) {
        auto figures = std::make_unique<LoadFigures>();
        figures->answered = count;
        figures->inTime = count;
        figures->answeredBytes = 100 * count;
        figures->latency.recordTimes(1ms, count);
        listener_.workerReported(index_, std::move(figures));
    }
    void reportBusy(nio::Clock::duration time) {
        auto figures = std::make_unique<LoadFigures>();
        figures->busy = time;
        figures->covered = time;
        listener_.workerReported(index_, std::move(figures));
    }
    void reportTimeouts(std::size_t count) {
        auto figures = std::make_unique<LoadFigures>();
        figures->errors.timedOut = count;
        listener_.workerReported(index_, std::move(figures));
    }
    void finish() { listener_.workerFinished(index_); }

    Part onConnect;
    Part onSend;
    Part onReport;
    Part onStop;
    Part onGiveUp;

  private:
    static void play(const Part& part) {
        if (part) part();
    }

    LoadWorkerListener& listener_;
    const std::size_t index_;
};

class PlayedCrew final : public LoadCrew {
  public:
    using Direct = std::function<void(std::vector<std::unique_ptr<PlayedWorker>>& workers)>;

    PlayedCrew(std::size_t size, Direct direct) : size_(size), direct_(std::move(direct)) {}

    void begin(LoadWorkerListener& listener) override {
        for (std::size_t i = 0; i < size_; ++i) {
            workers_.push_back(std::make_unique<PlayedWorker>(listener, i));
        }
        direct_(workers_);
    }
    void end() override {}
    std::size_t size() const override { return size_; }
    LoadWorker& operator[](std::size_t index) override { return *workers_[index]; }
    nio::Clock::duration notice() const override { return {}; }

  private:
    const std::size_t size_;
    const Direct direct_;
    std::vector<std::unique_ptr<PlayedWorker>> workers_;
};

class CountingObserver final : public LoadObserver {
  public:
    void observed(const Sample& sample) override { add(sample); }
    void ended(const Sample& rest) override {
        add(rest);
        ++ends;
    }

    void told(const std::string& line) override { lines.push_back(line); }

    std::vector<std::string> lines;
    std::uint64_t answered = 0;
    std::uint64_t bytes = 0;
    int ends = 0;

  private:
    void add(const Sample& sample) {
        answered += sample.answered;
        bytes += sample.bytes;
    }
};

// The signals are blocked in this thread, and given back as they were.
class LoadGeneratorTest : public testing::Test {
  protected:
    LoadGeneratorTest() {
        ::pthread_sigmask(SIG_SETMASK, nullptr, &before_);
        nio::SignalHandler::block({SIGINT, SIGTERM}).orThrow();
    }
    ~LoadGeneratorTest() override { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

    LoadResult run(nio::Clock::duration time, std::size_t workers,
                   const PlayedCrew::Direct& direct) {
        LoadOptions options;
        options.warmup = {};
        options.duration = std::chrono::duration_cast<std::chrono::milliseconds>(time);
        options.answerTimeout = 200ms;
        const LoadPlan plan(options, nio::SocketAddress::loopback4(1));
        PlayedCrew crew(workers, direct);
        return LoadGenerator(plan, crew, {&observer}, closePatience).run();
    }

    nio::Clock::duration closePatience = 100s;

    CountingObserver observer;

  private:
    sigset_t before_{};
};

TEST_F(LoadGeneratorTest, MeasuresNoTimeOfWhichNothingWasReported) {
    const LoadResult result = run(100s, 1, [](auto& workers) {
        workers[0]->onSend = [] { ::raise(SIGINT); };
        workers[0]->onStop = [] { ::raise(SIGTERM); };
        workers[0]->onGiveUp = [] { ::raise(SIGINT); };
    });
    EXPECT_TRUE(result.interrupted);
    EXPECT_EQ(result.measured.count(), 0);
    EXPECT_EQ(observer.lines, std::vector<std::string>{"waiting for answers; Ctrl-C again ends"});
}

TEST_F(LoadGeneratorTest, KeepsWhatWasCountedUntilTheFirstOfTwoSignals) {
    const LoadResult result = run(100s, 1, [](auto& workers) {
        PlayedWorker& worker = *workers[0];
        worker.onSend = [] { ::raise(SIGINT); };
        worker.onStop = [&worker] { worker.onReport = [&worker] { worker.reportAnswers(10); }; };
        worker.onGiveUp = [] { ::raise(SIGTERM); };
    });
    EXPECT_TRUE(result.interrupted);
    EXPECT_EQ(result.total.inTime, 10u);
    EXPECT_GT(result.measured.count(), 0);
}

TEST_F(LoadGeneratorTest, ShowsItsObserversWhatIsLeftAtTheEnd) {
    (void)run(20ms, 1, [](auto& workers) {
        PlayedWorker& worker = *workers[0];
        worker.onStop = [&worker] {
            worker.reportAnswers(10);
            worker.finish();
        };
    });
    EXPECT_EQ(observer.answered, 10u);
    EXPECT_EQ(observer.bytes, 1000u) << "measured or not";
    EXPECT_EQ(observer.ends, 1);
}

TEST_F(LoadGeneratorTest, EndsItsSeriesWithWhatCameAfterTheStop) {
    const LoadResult result = run(20ms, 1, [](auto& workers) {
        PlayedWorker& worker = *workers[0];
        worker.onStop = [&worker] {
            worker.reportAnswers(10);
            worker.reportTimeouts(3);
            worker.finish();
        };
    });
    ASSERT_FALSE(result.series.empty());
    EXPECT_GT(result.series.back().perSecond, 0);
    EXPECT_EQ(result.series.back().errors, 3u);
    EXPECT_FALSE(result.series.back().isMeasured());
}

TEST_F(LoadGeneratorTest, MeasuresAllPointsWhereThereIsNoWarmUp) {
    const LoadResult result = run(100s, 1, [](auto& workers) {
        PlayedWorker& worker = *workers[0];
        worker.onSend = [&worker] {
            worker.reportAnswers(10);
            worker.finish();
        };
    });
    ASSERT_FALSE(result.series.empty());
    EXPECT_TRUE(result.series.front().isMeasured());
}

TEST_F(LoadGeneratorTest, CountsTheWholePlanWhereTheServerEndedEarly) {
    const LoadResult result = run(100s, 1, [](auto& workers) {
        PlayedWorker& worker = *workers[0];
        worker.onSend = [&worker] {
            worker.reportAnswers(200);
            worker.finish();
        };
    });
    EXPECT_EQ(result.measured, 100s);
    EXPECT_EQ(result.perSecond(), 2);
}

TEST_F(LoadGeneratorTest, WaitsForNoAnswersWhileItConnects) {
    (void)run(100s, 1, [](auto& workers) {
        PlayedWorker& worker = *workers[0];
        worker.onConnect = [] { ::raise(SIGINT); };
        worker.onStop = [&worker] { worker.finish(); };
    });
    EXPECT_EQ(observer.lines, std::vector<std::string>{"closing connections; Ctrl-C again ends"});
}

TEST_F(LoadGeneratorTest, AddsNothingToItsSeriesWhereNothingCameAfterTheStop) {
    const LoadResult result = run(20ms, 1, [](auto& workers) {
        PlayedWorker& worker = *workers[0];
        worker.onStop = [&worker] { worker.finish(); };
    });
    EXPECT_TRUE(result.series.empty());
}

TEST_F(LoadGeneratorTest, CountsAWorkerThatDoesNotFinishAsAnError) {
    closePatience = 1ms;
    const LoadResult result = run(20ms, 2, [](auto& workers) {
        PlayedWorker& good = *workers[0];
        good.onStop = [&good] {
            good.reportAnswers(10);
            good.finish();
        };
    });
    EXPECT_EQ(result.total.errors.toString(), "1 played did not finish");
    EXPECT_EQ(result.total.answered, 10u);
}

TEST_F(LoadGeneratorTest, CountsNoErrorWhereItsUserDoesNotWaitForTheWorkers) {
    const LoadResult result = run(100s, 1, [](auto& workers) {
        workers[0]->onSend = [] { ::raise(SIGINT); };
        workers[0]->onStop = [] { ::raise(SIGTERM); };
        workers[0]->onGiveUp = [] { ::raise(SIGINT); };
    });
    EXPECT_EQ(result.total.errors.toString(), "none");
}

TEST_F(LoadGeneratorTest, TakesAWorkerThatHasFinishedEarlyForIdle) {
    const LoadResult result = run(5s, 2, [](auto& workers) {
        PlayedWorker& early = *workers[0];
        PlayedWorker& late = *workers[1];
        early.onSend = [&early] {
            early.reportBusy(1ns);
            early.finish();
        };
        late.onSend = [&late] { late.onReport = [&late] { late.finish(); }; };
    });
    EXPECT_LT(result.dispatchers[0].busy, 0.5);
}

}  // namespace
}  // namespace load
