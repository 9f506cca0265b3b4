#include <nio/observe/FlightDump.h>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include <nio/codec/LineDecoder.h>
#include <nio/connection/StreamHandler.h>
#include <nio/pipeline/On.h>
#include <nio/pipeline/PipelineFactory.h>
#include <nio/sys/Signals.h>

#include "support/Sanitized.h"
#include "support/TestDispatcher.h"

namespace {

using nio::FlightDump;
using nio::FlightRecorder;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

// What is written to a descriptor.
class Written {
  public:
    Written() : file_(std::tmpfile()) {}
    ~Written() { std::fclose(file_); }
    int fd() const { return ::fileno(file_); }
    std::string text() {
        std::string text;
        std::rewind(file_);
        for (int letter = std::fgetc(file_); letter != EOF; letter = std::fgetc(file_)) {
            text += static_cast<char>(letter);
        }
        return text;
    }

  private:
    FILE* file_;
};

std::string dump() {
    Written written;
    FlightDump::writeTo(written.fd(), "test");
    return written.text();
}

// From the line of this dispatcher to that of the next.
std::string dumpOf(const std::string& dispatcher) {
    const std::string all = dump();
    const std::size_t begin = all.find("dispatcher " + dispatcher + " ");
    if (begin == std::string::npos) return {};
    return all.substr(begin, all.find("\ndispatcher ", begin) - begin);
}

TEST(FlightDump, BeginsAndEndsWithALineOfItsOwn) {
    EXPECT_THAT(dump(), testing::StartsWith("nio-flight 1 test process "));
    EXPECT_THAT(dump(), testing::EndsWith("\nnio-flight end\n"));
}

TEST(FlightDump, NamesTheHalfOfAConnectionBehindOn) {
    support::Link link = support::makeLink();
    support::TestDispatcher front("front");
    support::TestDispatcher back("back");
    int received = 0;
    const auto make = nio::pipeline(nio::lines(), nio::on(*back),
                                    [&received](auto&, std::string_view) { ++received; });
    front.add(make(std::move(link.channel)), nio::Interest::read);
    link.peer.send("x\n");
    ASSERT_TRUE(front.turnUntil([&] {
        back.turn();
        return received == 1;
    }));
    EXPECT_THAT(dumpOf("back"), ContainsRegex("handleRegistered slot 0 fd nio::on handler "));
    link.peer.close();
    EXPECT_TRUE(front.turnUntil([&] {
        back.turn();
        return front->connectionCount() + back->connectionCount() == 0;
    }));
}

TEST(FlightDump, SaysWhatADispatcherDidWithBytesAndEnds) {
    support::Journal journal;
    support::Link link = support::makeLink();
    support::TestDispatcher dispatcher("dumped");
    auto& handler = dispatcher.add(link, "handler", journal);
    const std::string slotAndFd = "slot 0 fd " + std::to_string(handler.channel().fd());
    link.peer.send("hello");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return handler.kept == "hello"; }));
    const std::string text = dumpOf("dumped");
    EXPECT_THAT(text, ContainsRegex("\n[0-9]+ -?[0-9]+ turn number [0-9]+ events 1 in 0 out 0\n"));
    EXPECT_THAT(text, ContainsRegex("\n[0-9]+ -?[0-9]+ handleRegistered " + slotAndFd));
    EXPECT_THAT(text, ContainsRegex("\n[0-9]+ -?[0-9]+ tasks again waiting "));
    EXPECT_THAT(text, ContainsRegex("\n[0-9]+ -?[0-9]+ handleRead " + slotAndFd +
                                    " handler .*RecordingHandlerE? in 5 out 0\n"));
}

TEST(FlightDump, SaysHowAConnectionEnded) {
    class Silent final : public nio::StreamHandler {
      public:
        using StreamHandler::end;
        using StreamHandler::StreamHandler;

      protected:
        void bytesArrived(nio::ByteView) override {}
    };
    support::Link link = support::makeLink();
    support::TestDispatcher dispatcher("ending");
    auto& handler = dispatcher.add(
        std::make_unique<Silent>(std::move(link.channel), std::make_shared<nio::StreamOptions>()),
        nio::Interest::read);
    dispatcher.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        handler.end(nio::Error(std::errc::connection_reset), true);
    });
    EXPECT_THAT(dumpOf("ending"), ContainsRegex("ended slot 0 reason reset code 104 in 0 out 0\n"));
}

TEST(FlightDump, LeavesOutWhoHasGoneOrKeepsNothing) {
    { support::TestDispatcher gone("gone"); }
    nio::SelectorThreadOptions options;
    options.flightRecords = 0;
    options.stallLimit = std::chrono::milliseconds::zero();
    support::TestDispatcher silent("silent", options);
    silent.turns(3);
    EXPECT_THAT(dump(), Not(HasSubstr("dispatcher gone ")));
    EXPECT_THAT(dump(), Not(HasSubstr("dispatcher silent ")));
}

TEST(FlightDump, HasNoMoreDispatchersThanItsLimit) {
    const nio::IoCounters io;
    const FlightRecorder recorder(2, io);
    const std::string name = "one of many";
    std::vector<std::unique_ptr<FlightDump::Member>> members;
    for (std::size_t i = 0; i <= FlightDump::mostDispatchers; ++i) {
        members.push_back(std::make_unique<FlightDump::Member>(recorder, name));
    }
    EXPECT_THAT(dump(), HasSubstr("dispatcher one of many "));
    members.clear();
    EXPECT_THAT(dump(), Not(HasSubstr("dispatcher one of many ")));
}

TEST(FlightDump, IsWrittenAtAStallOnlyWhereThatWasAskedFor) {
    const std::filesystem::path file =
        std::filesystem::path(testing::TempDir()) / ("stall" + std::to_string(::getpid()));
    FlightDump::Options options;
    options.file = file;
    options.onStall = false;
    options.onCrash = false;
    options.signal = 0;
    FlightDump::install(options);
    FlightDump::stalled();
    EXPECT_FALSE(std::filesystem::exists(file));
    options.onStall = true;
    FlightDump::install(options);
    FlightDump::stalled();
    FlightDump::stalled();
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    EXPECT_THAT(text.str(), testing::StartsWith("nio-flight 1 stall process "));
    EXPECT_EQ(text.str().find("nio-flight 1", 1), std::string::npos) << "once a minute";
    options.file.clear();
    options.onStall = false;
    FlightDump::install(options);
    std::filesystem::remove(file);
}

TEST(FlightDump, HasAsManyRecordsAsTheRingKeeps) {
    nio::SelectorThreadOptions options;
    options.flightRecords = 8;
    support::TestDispatcher dispatcher("small", options);
    dispatcher.turns(100);
    const std::string text = dumpOf("small");
    EXPECT_THAT(text, HasSubstr(" turn number 100 "));
    EXPECT_THAT(text, HasSubstr(" turn number 94 "));
    EXPECT_THAT(text, Not(HasSubstr(" turn number 92 ")));
}

// A pipe that nobody empties holds the writer up.
TEST(FlightDump, KeepsTheLastRecordWholeWhileTheDispatcherRuns) {
    support::Journal journal;
    support::Link link = support::makeLink();
    nio::SelectorThreadOptions options;
    options.flightRecords = 8192;
    support::TestDispatcher dispatcher("going", options);
    auto& handler = dispatcher.add(link, "handler", journal);
    dispatcher.turns(4000);
    link.peer.send("hello");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return handler.kept == "hello"; }));
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    nio::UniqueFd reader(ends[0]);
    nio::UniqueFd written(ends[1]);
    std::thread writer([&] {
        FlightDump::writeTo(written.get(), "test");
        written.reset();
    });
    for (int waiting = 0; waiting < 60'000;) ASSERT_EQ(::ioctl(ends[0], FIONREAD, &waiting), 0);
    link.peer.send(", more");
    EXPECT_TRUE(dispatcher.turnUntil([&] { return handler.kept == "hello, more"; }));
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t size = 0; (size = ::read(ends[0], part.data(), part.size())) > 0;) {
        text.append(part.data(), static_cast<std::size_t>(size));
    }
    writer.join();
    EXPECT_THAT(text, ContainsRegex("handleRead [^\n]* in 5 out 0\n"));
    EXPECT_THAT(text, Not(ContainsRegex("handleRead [^\n]* in 11 ")));
}

TEST(FlightDump, IsWrittenWhileDispatchersWorkAndComeAndGo) {
    nio::SelectorThread worker;
    worker.start();
    std::atomic<bool> done{false};
    std::thread writer([&] {
        while (!done.load()) EXPECT_THAT(dump(), HasSubstr("nio-flight end\n"));
    });
    for (int i = 0; i < 200; ++i) {
        const nio::SelectorThread comesAndGoes;
        ASSERT_TRUE(worker.invokeAndWait([] {}).ok());
    }
    done.store(true);
    writer.join();
}

// --- in a process that dies of it -------------------------------------------------------------

std::string contentsOf(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    return text.str();
}

class FlightDumpDeathTest : public testing::Test {
  protected:
    FlightDumpDeathTest() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

TEST_F(FlightDumpDeathTest, ACrashWritesItAndStillIsOne) {
    EXPECT_DEATH(
        {
            FlightDump::install({});
            support::TestDispatcher dispatcher("crashed");
            dispatcher.inTurn([] { std::abort(); });
        },
        "nio-flight 1 crash process [0-9]+\ndispatcher crashed works tasks 1\n1 0 tasks waiting 1 "
        "before 0 in 0 out 0\nnio-flight end\n");
}

// Nobody gives it null: it has no end. What it returns keeps the calls from becoming a loop.
int fallDown(volatile int* above) {
    if (above == nullptr) return 0;
    volatile int here[64] = {*above};
    return fallDown(here) + here[1];
}

TEST_F(FlightDumpDeathTest, AStackThatHasRunOutIsACrashOnADispatchersThread) {
    if (support::sanitized) GTEST_SKIP() << "the sanitizer has its own way with that";
    EXPECT_DEATH(
        {
            FlightDump::install({});
            nio::SelectorThreadOptions options;
            options.name = "fallen";
            nio::SelectorThread dispatcher(options);
            dispatcher.start();
            volatile int bottom = 0;
            (void)dispatcher.invokeAndWait([&] { return fallDown(&bottom); }).ok();
        },
        "nio-flight 1 crash process [0-9]+\ndispatcher fallen works");
}

TEST_F(FlightDumpDeathTest, ReportsAStackOverflowOfTheInstallingThread) {
    if (support::sanitized) GTEST_SKIP() << "the sanitizer has its own way with that";
    EXPECT_DEATH(
        {
            FlightDump::install({});
            support::TestDispatcher dispatcher("fallen");
            volatile int bottom = 0;
            dispatcher.inTurn([&] { (void)fallDown(&bottom); });
        },
        "nio-flight 1 crash process [0-9]+\ndispatcher fallen works");
}

// How often the two dumps name their dispatcher.
int timesInFile(const std::string& file) {
    const std::string text = contentsOf(file);
    std::filesystem::remove(file);
    int times = 0;
    const std::string line = "\ndispatcher signalled works tasks 0\n";
    for (std::size_t at = text.find(line); at != std::string::npos; at = text.find(line, at + 1)) {
        ++times;
    }
    return times;
}

TEST_F(FlightDumpDeathTest, ASignalAppendsItToTheFileAndTheProgramGoesOn) {
    const auto signalTwice = [] {
        FlightDump::Options options;
        options.file = std::filesystem::temp_directory_path() /
                       ("flight." + std::to_string(nio::kernel::processId()));
        FlightDump::install(options);
        support::TestDispatcher dispatcher("signalled");
        dispatcher.turn();
        std::raise(SIGUSR1);
        std::raise(SIGUSR1);
        std::exit(timesInFile(options.file));
    };
    EXPECT_EXIT(signalTwice(), testing::ExitedWithCode(2), "");
}

}  // namespace
