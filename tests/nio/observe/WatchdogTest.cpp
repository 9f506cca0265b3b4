// A callback that runs for too long is reported while it runs. Each one here ends when the report
// has been seen, and not before: nothing depends on how fast anything is.
#include <nio/observe/Watchdog.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <future>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "support/LogCapture.h"
#include "support/TestDispatcher.h"

namespace {

using nio::Stall;
using support::Journal;
using support::Link;
using support::LogCapture;
using support::makeLink;
using support::RecordingHandler;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

// What was reported, in order.
class Reports {
  public:
    void add(const Stall& stall) {
        const std::lock_guard lock(mutex_);
        stalls_.push_back(stall);
    }
    std::vector<Stall> all() const {
        const std::lock_guard lock(mutex_);
        return stalls_;
    }
    // On a busy machine anybody may be held up: a test looks at those that it has caused.
    std::vector<Stall> of(const std::string& dispatcher, const std::string& callback) const {
        std::vector<Stall> found = all();
        std::erase_if(found, [&](const Stall& stall) {
            return stall.dispatcher != dispatcher || stall.callback != callback;
        });
        return found;
    }
    // Blocks, as a bad callback does, until there are so many.
    void waitFor(const std::string& callback, std::size_t count = 1,
                 const std::string& dispatcher = "watched") const {
        const nio::TimePoint end = nio::Clock::now() + nio::kerneltest::patience;
        while (of(dispatcher, callback).size() < count && nio::Clock::now() < end) {
            std::this_thread::yield();
        }
    }
    void clear() {
        const std::lock_guard lock(mutex_);
        stalls_.clear();
    }

  private:
    mutable std::mutex mutex_;
    std::vector<Stall> stalls_;
};

// Fails as soon as it reads, and takes its time then.
class SlowToFail final
    : public support::RecordingBase<nio::ReadWriteSelectorHandler, nio::SocketChannel> {
  public:
    using RecordingBase::RecordingBase;

    void handleRead() override { throw std::runtime_error("no read"); }
    void handleWrite() override {}
    void handleFailure(std::exception_ptr) override NIO_REQUIRES(nio::onDispatcher) {
        onFailure();
        channel().close();
    }

    Hook onFailure;
};

class WatchdogTest : public testing::Test {
  protected:
    nio::SelectorThreadOptions watched() {
        nio::SelectorThreadOptions options;
        options.name = "watched";
        options.stallLimit = std::chrono::milliseconds(5);
        options.onStall = [this](const Stall& stall) { reports.add(stall); };
        return options;
    }
    // The only one of its kind.
    Stall stall(const std::string& callback) {
        const std::vector<Stall> found = reports.of("watched", callback);
        EXPECT_EQ(found.size(), 1U) << callback;
        return found.empty() ? Stall() : found.front();
    }

    Journal journal;
    Reports reports;
    Link link = makeLink(nio::SocketAddress::Family::ipv4);
};

TEST_F(WatchdogTest, NamesDispatcherHandlerConnectionAndCallback) {
    const std::string peer = link.channel.peerAddress().value().toString();
    nio::SelectorThread dispatcher(watched());
    auto handler = std::make_unique<RecordingHandler>(std::move(link.channel), "bad", journal);
    RecordingHandler& bad = *handler;
    std::promise<void> read;
    bad.onRead = [&] {
        reports.waitFor("handleRead");
        bad.channel().close();
        read.set_value();
    };
    ASSERT_TRUE(dispatcher.registerChannelLater(std::move(handler), nio::Interest::read));
    link.peer.send("x");
    dispatcher.start();
    read.get_future().wait();
    const Stall found = stall("handleRead");
    EXPECT_EQ(found.handler, "support::RecordingHandler");
    EXPECT_THAT(found.connection, StartsWith(peer + " (slot 0, descriptor "));
    EXPECT_GE(found.lasts, std::chrono::milliseconds(5));
    EXPECT_THAT(found.toString(),
                MatchesRegex("dispatcher watched: support::RecordingHandler::handleRead of .* has "
                             "been running for [0-9]+ ms"));
}

TEST_F(WatchdogTest, NamesWhatAHandlerDoesAboutItsFailure) {
    const LogCapture log;  // "no read"
    std::promise<void> failed;
    nio::SelectorThread dispatcher(watched());
    auto handler = std::make_unique<SlowToFail>(std::move(link.channel), "bad", journal);
    handler->onFailure = [&] {
        reports.waitFor("handleFailure");
        failed.set_value();
    };
    ASSERT_TRUE(dispatcher.registerChannelLater(std::move(handler), nio::Interest::read));
    link.peer.send("x");
    dispatcher.start();
    failed.get_future().wait();
    EXPECT_THAT(stall("handleFailure").handler, HasSubstr("SlowToFail"));
}

TEST_F(WatchdogTest, NamesATaskAndADeadline) {
    nio::SelectorThread dispatcher(watched());
    dispatcher.start();
    nio::Deadline deadline(dispatcher.deadlines(), [&] { reports.waitFor("expire"); });
    ASSERT_TRUE(dispatcher
                    .invokeAndWait([&] {
                        nio::onDispatcher.assertCurrent();
                        reports.waitFor("invokeLater");
                        deadline.wakeAt(nio::TimePoint());
                    })
                    .ok());
    ASSERT_TRUE(dispatcher.invokeAndWait([] {}).ok());
    const std::vector<Stall> tasks = reports.of("watched", "invokeLater");
    ASSERT_FALSE(tasks.empty());
    EXPECT_EQ(tasks[0].handler, "task");
    EXPECT_EQ(tasks[0].connection, "");
    EXPECT_EQ(stall("expire").handler, "deadline");
}

TEST_F(WatchdogTest, NamesADestructor) {
    nio::SelectorThread dispatcher(watched());
    auto handler = std::make_unique<RecordingHandler>(std::move(link.channel), "bad", journal);
    RecordingHandler& bad = *handler;
    std::promise<void> gone;
    bad.onRead = [&] { bad.channel().close(); };
    bad.onDestroyed = [&] {
        reports.waitFor(nio::FlightRecorder::inBurial);
        gone.set_value();
    };
    ASSERT_TRUE(dispatcher.registerChannelLater(std::move(handler), nio::Interest::read));
    link.peer.send("x");
    dispatcher.start();
    gone.get_future().wait();
    const Stall found = stall(nio::FlightRecorder::inBurial);
    EXPECT_EQ(found.handler, "destructor");
    EXPECT_EQ(found.connection, "");
}

// Where the peer's address is not known any more, the slot and the descriptor are still said.
TEST_F(WatchdogTest, NamesTheSlotOfAConnectionWhosePeerIsGone) {
    nio::SelectorThread dispatcher(watched());
    auto handler = std::make_unique<RecordingHandler>(std::move(link.channel), "bad", journal);
    RecordingHandler& bad = *handler;
    std::promise<void> read;
    bad.onRead = [&] {
        bad.channel().close();
        reports.waitFor("handleRead");
        read.set_value();
    };
    ASSERT_TRUE(dispatcher.registerChannelLater(std::move(handler), nio::Interest::read));
    link.peer.send("x");
    dispatcher.start();
    read.get_future().wait();
    EXPECT_THAT(stall("handleRead").connection, StartsWith("slot 0, descriptor "));
}

TEST_F(WatchdogTest, NamesACallbackInsideATask) {
    nio::SelectorThread dispatcher(watched());
    auto handler = std::make_unique<RecordingHandler>(std::move(link.channel), "bad", journal);
    std::promise<void> registered;
    handler->onRegistered = [&] {
        reports.waitFor("handleRegistered");
        registered.set_value();
    };
    dispatcher.start();
    ASSERT_TRUE(dispatcher.registerChannelLater(std::move(handler), nio::Interest::read));
    registered.get_future().wait();
    EXPECT_EQ(stall("handleRegistered").handler, "support::RecordingHandler");
}

// All are looked at in turn: when the second one is reported, the first was looked at after what
// ran inside.
TEST_F(WatchdogTest, ReportsACallbackOnceAlthoughSomethingRanInside) {
    nio::SelectorThread dispatcher(watched());
    nio::SelectorThreadOptions options = watched();
    options.name = "second";
    nio::SelectorThread second(options);
    auto handler = std::make_unique<RecordingHandler>(std::move(link.channel), "bad", journal);
    RecordingHandler& bad = *handler;
    std::promise<void> read;
    bad.onRead = [&] {
        reports.waitFor("handleRead");
        bad.channel().close();
        const auto task = [&] { reports.waitFor("invokeLater", 1, "second"); };
        EXPECT_TRUE(second.invokeAndWait(task).ok());
        read.set_value();
    };
    ASSERT_TRUE(dispatcher.registerChannelLater(std::move(handler), nio::Interest::read));
    link.peer.send("x");
    second.start();
    while (second.metrics().selectTime.count() == 0) std::this_thread::yield();
    dispatcher.start();
    read.get_future().wait();
    EXPECT_EQ(stall("handleRead").handler, "support::RecordingHandler");
}

TEST_F(WatchdogTest, NamesEachOfAHundredCallbacksOnceAndNobodyWhoSleeps) {
    constexpr std::size_t many = 100;
    const std::string peer = link.channel.peerAddress().value().toString();
    nio::SelectorThreadOptions asleep = watched();
    asleep.name = "asleep";
    nio::SelectorThread sleeper(asleep);
    nio::SelectorThread dispatcher(watched());
    auto handler = std::make_unique<RecordingHandler>(std::move(link.channel), "bad", journal);
    RecordingHandler& bad = *handler;
    std::promise<void> over;
    std::size_t blocked = 0;
    // What has come is not taken: it is called again in the next turn.
    bad.onRead = [&] {
        nio::onDispatcher.assertCurrent();
        if (blocked == many) return over.set_value();
        reports.waitFor("handleRead", ++blocked);
        bad.readOn();
    };
    sleeper.start();
    // On its way to sleep it may have been held up.
    while (sleeper.metrics().selectTime.count() == 0) std::this_thread::yield();
    dispatcher.start();
    ASSERT_TRUE(dispatcher.invokeAndWait([&] { reports.waitFor("invokeLater"); }).ok());
    reports.clear();
    ASSERT_TRUE(dispatcher.registerChannelLater(std::move(handler), nio::Interest::read));
    link.peer.send("x");
    over.get_future().wait();
    const std::vector<Stall> found = reports.of("watched", "handleRead");
    EXPECT_EQ(found.size(), many);
    for (const Stall& each : found) {
        EXPECT_EQ(each.handler, "support::RecordingHandler");
        EXPECT_THAT(each.connection, StartsWith(peer + " (slot 0, descriptor "));
    }
    for (const Stall& each : reports.all()) EXPECT_EQ(each.dispatcher, "watched");
}

// It may be held up between two callbacks, by the log say. Looked at by the test, an hour later.
TEST(WatchdogLook, NamesTheDispatcherWhereNothingOfItsProgramRuns) {
    const nio::IoCounters io;
    const std::string name = "watched";
    Reports reports;
    const nio::Watchdog::OnStall onStall = [&](const Stall& stall) { reports.add(stall); };
    nio::FlightRecorder recorder(8, io);
    nio::Watchdog::Watch watch(recorder, name, std::chrono::milliseconds(5), onStall);
    recorder.turns(1, recorder.clock().now());
    const nio::TimePoint now = nio::Clock::now();
    (void)watch.look(now);
    (void)watch.look(now + std::chrono::hours(1));
    const std::vector<Stall> found = reports.of(name, nio::FlightRecorder::turnBegins);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].handler, "dispatcher");
    EXPECT_EQ(found[0].connection, "");
}

class WatchdogLogTest : public WatchdogTest {
  protected:
    nio::SelectorThreadOptions logging() {
        nio::SelectorThreadOptions options = watched();
        options.onStall = {};
        return options;
    }
    std::size_t said() const { return log.count("dispatcher watched: task::invokeLater has been"); }
    // Until there are so many lines.
    void waitForLines(std::size_t count) const {
        const nio::TimePoint end = nio::Clock::now() + nio::kerneltest::patience;
        while (said() < count && nio::Clock::now() < end) std::this_thread::yield();
    }

    const LogCapture log;
};

TEST_F(WatchdogLogTest, HasALineByDefault) {
    nio::SelectorThread dispatcher(logging());
    dispatcher.start();
    ASSERT_TRUE(dispatcher.invokeAndWait([&] { waitForLines(1); }).ok());
    EXPECT_EQ(said(), 1U);
}

// Dispatchers are looked at in turn: once the second one, which blocks inside of the first one's
// task, has been reported twice, the first one has been seen to block, too.
TEST_F(WatchdogLogTest, HasALineASecondAndSaysHowManyItHeldBack) {
    nio::SelectorThread dispatcher(logging());
    nio::SelectorThreadOptions others = watched();
    others.name = "second";
    nio::SelectorThread second(others);
    dispatcher.start();
    second.start();
    const auto blockBoth = [&] {
        const std::size_t before = reports.of("second", "invokeLater").size();
        for (std::size_t more = 1; more <= 2; ++more) {
            const auto task = [&] { reports.waitFor("invokeLater", before + more, "second"); };
            EXPECT_TRUE(second.invokeAndWait(task).ok());
        }
    };
    const nio::TimePoint began = nio::Clock::now();
    const auto seconds = [&] {
        return static_cast<std::size_t>((nio::Clock::now() - began) / std::chrono::seconds(1));
    };
    ASSERT_TRUE(dispatcher.invokeAndWait([&] { waitForLines(1); }).ok());
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(dispatcher.invokeAndWait(blockBoth).ok());
    EXPECT_LE(said(), 1 + seconds());
    while (log.count(" more like this)") == 0 &&
           nio::Clock::now() < began + nio::kerneltest::patience) {
        ASSERT_TRUE(dispatcher.invokeAndWait(blockBoth).ok());
    }
    EXPECT_GE(log.count(" more like this)"), 1U);
    EXPECT_LT(log.count(" more like this)"), said());
    EXPECT_LE(said(), 1 + seconds());
}

using Threads = std::set<std::string>;

Threads threadsOfThisProcess() {
    Threads threads;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        threads.insert(task.path().filename());
    }
    return threads;
}

// So many that were not there before. A thread that was joined may still be listed for a moment.
bool newThreadsBecome(std::size_t wanted, const Threads& before) {
    const nio::TimePoint end = nio::Clock::now() + nio::kerneltest::patience;
    for (;;) {
        const Threads now = threadsOfThisProcess();
        const auto isNew = [&](const std::string& thread) { return before.count(thread) == 0; };
        const auto count = std::count_if(now.begin(), now.end(), isNew);
        if (static_cast<std::size_t>(count) == wanted) return true;
        if (nio::Clock::now() > end) return false;
        std::this_thread::yield();
    }
}

TEST_F(WatchdogTest, HasAThreadOnlyWhileSomebodyIsWatched) {
    nio::SelectorThreadOptions unwatched = watched();
    unwatched.stallLimit = std::chrono::milliseconds::zero();
    nio::SelectorThreadOptions options = watched();
    options.stallLimit = std::chrono::hours(1);
    nio::SelectorThread first(unwatched);
    first.start();  // a sanitizer's own thread comes with a process's first
    const Threads before = threadsOfThisProcess();
    const auto comeWith = [&](const nio::SelectorThreadOptions& with, std::size_t wanted) {
        nio::SelectorThread dispatcher(with);
        dispatcher.start();
        return dispatcher.invokeAndWait([&] { return newThreadsBecome(wanted, before); }).value();
    };
    EXPECT_TRUE(comeWith(options, 2));
    EXPECT_TRUE(newThreadsBecome(0, before));
    EXPECT_TRUE(comeWith(unwatched, 1));
    EXPECT_TRUE(comeWith(nio::SelectorThreadOptions::forBlocking("files"), 1));
}

}  // namespace
