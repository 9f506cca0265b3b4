// The watchdog without memory for its report, and with nobody who takes its line.
#include <nio/observe/Watchdog.h>

#include <gtest/gtest.h>

#include <atomic>
#include <list>
#include <new>
#include <thread>

#include <nio/base/Log.h>
#include <nio/loop/SelectorThread.h>

#include "nio/sys/KernelTesting.h"
#include "support/FailingMemory.h"
#include "support/FullPipe.h"
#include "support/LogCapture.h"

namespace {

using namespace std::chrono_literals;
using nio::FlightRecorder;
using nio::SelectorThread;
using nio::Stall;
using nio::Watchdog;
using support::FailingMemory;
using support::FullPipe;
using support::LogCapture;

using OnStall = std::function<void(const Stall&)>;

template <class F>
bool waitUntil(F&& done) {
    const nio::TimePoint end = nio::Clock::now() + nio::kerneltest::patience;
    while (!done() && nio::Clock::now() < end) std::this_thread::yield();
    return done();
}

// A dispatcher's recorder and its watch, looked at by the test.
class Watched {
  public:
    explicit Watched(OnStall onStall = {}) : onStall_(std::move(onStall)) {}

    // The next task begins, and an hour later it still runs.
    void stall() {
        recorder_.tasksBegin(1, recorder_.clock().now());
        recorder_.taskBegins();
        (void)watch_.look(now_);
        now_ += 1h;
    }
    void look() { (void)watch_.look(now_); }
    void beOnDuty() { const Watchdog::Duty duty(watch_); }

  private:
    const nio::IoCounters io_;
    const std::string name_ = "watched";
    const OnStall onStall_;
    FlightRecorder recorder_{8, io_};
    Watchdog::Watch watch_{recorder_, name_, 5ms, onStall_};
    nio::TimePoint now_ = nio::Clock::now();
};

void lookWithout(std::size_t nth, Watched& watched, bool& failed) {
    const FailingMemory memory = FailingMemory::nth(nth);
    EXPECT_NO_THROW(watched.look()) << nth;
    failed = memory.hasFailed();
}

TEST(WatchdogShortage, WhicheverAllocationFailsTheNextStallIsReported) {
    if (!FailingMemory::isPossible()) GTEST_SKIP() << "operator new cannot be replaced";
    std::vector<Stall> reports;
    Watched watched([&](const Stall& stall) { reports.push_back(stall); });
    bool failed = true;
    std::size_t nth = 0;
    for (; failed; ++nth) {
        watched.stall();
        lookWithout(nth, watched, failed);
        reports.clear();
        watched.stall();
        watched.look();
        EXPECT_EQ(reports.size(), 1U) << nth;
    }
    EXPECT_GT(nth, 1U) << "a report needs memory";
}

TEST(WatchdogShortage, WithoutMemoryToNameItTheLogSaysThatThereIsOne) {
    if (!FailingMemory::isPossible()) GTEST_SKIP() << "operator new cannot be replaced";
    std::atomic<int> unnamed{0};
    nio::setLogger([&](nio::LogLevel, std::string_view line) {
        unnamed +=
            line == "a callback exceeds the stall limit; out of memory, so its name is missing";
    });
    Watched watched;
    watched.stall();
    bool failed = false;
    lookWithout(0, watched, failed);
    nio::setLogger({});
    EXPECT_TRUE(failed);
    EXPECT_EQ(unnamed.load(), 1);
}

TEST(WatchdogShortage, LogsOnceThatItLacksMemoryForItsThread) {
    if (!FailingMemory::isPossible()) GTEST_SKIP() << "operator new cannot be replaced";
    std::atomic<int> said{0};
    nio::setLogger([&](nio::LogLevel, std::string_view line) {
        said += line == "no watchdog: out of memory";
    });
    Watched watched;
    for (int i = 0; i < 2; ++i) {
        const FailingMemory none = FailingMemory::from(0);
        EXPECT_NO_THROW(watched.beOnDuty());
    }
    nio::setLogger({});
    EXPECT_EQ(said.load(), 1);
}

nio::SelectorThreadOptions named(const std::string& name, OnStall onStall = {}) {
    nio::SelectorThreadOptions options;
    options.name = name;
    options.stallLimit = 5ms;
    options.onStall = std::move(onStall);
    return options;
}

TEST(WatchdogShortage, ItsThreadSurvivesAReportWithoutMemory) {
    const LogCapture log;
    std::atomic<int> reports{0};
    SelectorThread dispatcher(named("watched", [&](const Stall&) {
        if (++reports == 1) throw std::bad_alloc();
    }));
    dispatcher.start();
    for (int i = 1; i <= 3; ++i) {
        const auto isReported = [&] { return reports.load() >= i; };
        EXPECT_TRUE(dispatcher.invokeAndWait([&] { return waitUntil(isReported); }).value());
    }
    EXPECT_GE(log.count("so its name is missing"), 1U);
}

// Writes as the default logger does, where standard error is a pipe without a reader.
class BlockedLine {
  public:
    BlockedLine() = default;
    BlockedLine(const BlockedLine&) = delete;
    BlockedLine& operator=(const BlockedLine&) = delete;

    void operator()(const Stall& stall) {
        if (!counts_) return;
        const std::string line = stall.toString();
        ++begun_;
        EXPECT_EQ(::write(pipe_.fd(), line.data(), line.size()), static_cast<ssize_t>(line.size()));
        ++written_;
    }
    void begin() { counts_ = true; }
    bool holdsSomebody() const { return begun_ > written_; }
    std::string release() {
        counts_ = false;
        std::string text;
        while (holdsSomebody()) text += pipe_.drain();
        return text + pipe_.drain();
    }

  private:
    FullPipe pipe_;
    std::atomic<bool> counts_{false};
    std::atomic<int> begun_{0};
    std::atomic<int> written_{0};
};

// Runs tasks, each after a sleep, while the watchdog hangs.
bool goesOn(SelectorThread& dispatcher) {
    for (int i = 0; i < 20; ++i) {
        const auto ran = std::make_shared<std::atomic<bool>>(false);
        if (!dispatcher.invokeLater([ran] { *ran = true; })) return false;
        if (!waitUntil([&] { return ran->load(); })) return false;
    }
    return true;
}

void stallOnce(SelectorThread& dispatcher, const std::atomic<int>& reports) {
    const int before = reports.load();
    const auto isReported = [&] { return reports.load() > before; };
    EXPECT_TRUE(dispatcher.invokeAndWait([&] { return waitUntil(isReported); }).value());
}

// One that the watchdog has let sleep wakes it when it has something to do.
TEST(WatchdogShortage, ALineThatNobodyTakesHoldsUpNoDispatcher) {
    std::atomic<int> reports{0};
    std::atomic<bool> ended{false};
    BlockedLine line;
    SelectorThread asleep(named("asleep", [](const Stall&) {}));
    SelectorThread often(named("often", [&](const Stall&) { ++reports; }));
    SelectorThread watched(named("watched", [&](const Stall& stall) { line(stall); }));
    for (SelectorThread* each : {&asleep, &often, &watched}) each->start();
    EXPECT_TRUE(waitUntil([&] { return asleep.metrics().selectTime.count() > 0; }));
    // With each of these all were looked at.
    for (int i = 0; i < 4; ++i) stallOnce(often, reports);
    line.begin();
    ASSERT_TRUE(watched.invokeLater([&] {
        EXPECT_TRUE(waitUntil([&] { return line.holdsSomebody(); }));
        ended = true;
    }));
    EXPECT_TRUE(waitUntil([&] { return ended.load(); }));
    EXPECT_TRUE(goesOn(asleep));
    EXPECT_TRUE(goesOn(watched));
    EXPECT_TRUE(line.holdsSomebody());
    EXPECT_NE(line.release().find("dispatcher watched: "), std::string::npos);
}

}  // namespace
