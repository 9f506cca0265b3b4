#include "sms_router/records/RecordLog.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <sstream>
#include <system_error>
#include <thread>

#include <nio/sys/UniqueFd.h>
#include <nlohmann/json.hpp>

#include "apps/sms_router/records/LogFile.h"
#include "apps/sms_router/records/SomeRecord.h"
#include "support/LogCapture.h"

namespace router {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

RecordsConfig recordsIn(const std::string& path) {
    RecordsConfig config;
    config.path = path;
    return config;
}

// Each line has to be whole.
std::vector<std::string> idsIn(const std::vector<std::string>& lines) {
    std::vector<std::string> ids;
    for (const std::string& line : lines) ids.push_back(nlohmann::json::parse(line)["message_id"]);
    return ids;
}

std::vector<std::string> idsFrom(int first, int last) {
    std::vector<std::string> ids;
    for (int id = first; id <= last; ++id) ids.push_back(std::to_string(id));
    return ids;
}

void writeFrom(RecordLog& log, int first, int last) {
    for (const std::string& id : idsFrom(first, last)) log.write(someRecord(id));
}

TEST(RecordLog, HasALineForEveryRecordWhenItEnds) {
    const LogFile file;
    {
        RecordLog log(recordsIn(file.path()));
        EXPECT_TRUE(log.isOn());
        writeFrom(log, 1, 2000);  // more than one buffer takes
    }
    EXPECT_EQ(idsIn(file.lines()), idsFrom(1, 2000));
}

TEST(RecordLog, TakesRecordsFromManyThreads) {
    const LogFile file;
    {
        RecordLog log(recordsIn(file.path()));
        std::thread other([&] { writeFrom(log, 1, 500); });
        writeFrom(log, 501, 1000);
        other.join();
    }
    std::vector<std::string> found = idsIn(file.lines());
    EXPECT_THAT(found, testing::UnorderedElementsAreArray(idsFrom(1, 1000)));
}

TEST(RecordLog, MasksAddressesIfItIsTold) {
    const LogFile file;
    RecordsConfig config = recordsIn(file.path());
    config.maskAddresses = true;
    RecordLog(config).write(someRecord());
    ASSERT_THAT(file.lines(), SizeIs(1));
    EXPECT_THAT(file.lines()[0], HasSubstr("xxxxxxxxx567"));
}

TEST(RecordLog, MasksFromWhenItIsTold) {
    const LogFile file;
    {
        RecordLog log(recordsIn(file.path()));
        log.write(someRecord());
        log.maskAddresses(true);
        log.write(someRecord());
    }
    ASSERT_THAT(file.lines(), SizeIs(2));
    EXPECT_THAT(file.lines()[1], HasSubstr("xxxxxxxxx567"));
}

TEST(RecordLog, LosesNoLineWhenItIsReopened) {
    const LogFile file;
    {
        RecordLog log(recordsIn(file.path()));
        writeFrom(log, 1, 1000);
        std::filesystem::rename(file.path(), file.path("old"));
        writeFrom(log, 1001, 1100);
        log.reopen();
        writeFrom(log, 1101, 2000);
    }
    EXPECT_EQ(idsIn(file.lines("old")), idsFrom(1, 1100));
    EXPECT_EQ(idsIn(file.lines()), idsFrom(1101, 2000));
}

TEST(RecordLog, StaysWithTheOldFileIfTheNewOneCannotBeOpened) {
    const LogFile file;
    support::LogCapture said;
    std::filesystem::create_directory(file.path("folder"));
    {
        RecordLog log(recordsIn(file.path("folder/cdr.log")));
        log.write(someRecord("1"));
        std::filesystem::rename(file.path("folder"), file.path("moved"));
        log.reopen();
        log.write(someRecord("2"));
    }
    EXPECT_EQ(idsIn(file.lines("moved/cdr.log")), idsFrom(1, 2));
    EXPECT_EQ(said.count("the old file stays in use"), 1u);
}

TEST(RecordLog, IsOffWithoutAPath) {
    RecordLog log{RecordsConfig()};
    EXPECT_FALSE(log.isOn());
    log.write(someRecord());
    log.reopen();
    EXPECT_EQ(log.dropped() + log.failed(), 0u);
}

TEST(RecordLog, RefusesAFileThatCannotBeOpened) {
    const LogFile file;
    EXPECT_THROW(RecordLog(recordsIn(file.path("no/such"))), std::system_error);
}

TEST(RecordLog, CountsWhatAFullDiskRefusesAndSaysItOnceAMinute) {
    support::LogCapture said;
    {
        RecordLog log(recordsIn("/dev/full"));
        for (std::uint64_t id = 1; id <= 3; ++id) {
            log.write(someRecord(std::to_string(id)));
            while (log.failed() < id) std::this_thread::yield();
        }
    }
    EXPECT_THAT(said.lines(), testing::ElementsAre(testing::AllOf(HasSubstr("records /dev/full: "),
                                                                  HasSubstr("1 records lost"))));
}

TEST(RecordLog, IsFailingUntilItCanBeWrittenAgain) {
    support::LogCapture said;
    const LogFile file;
    std::filesystem::create_symlink("/dev/full", file.path());
    RecordLog log(recordsIn(file.path()));
    EXPECT_FALSE(log.isFailing());
    log.write(someRecord());
    while (!log.isFailing()) std::this_thread::yield();
    std::filesystem::remove(file.path());
    log.reopen();
    while (!std::filesystem::exists(file.path())) std::this_thread::yield();
    EXPECT_TRUE(log.isFailing()) << "nothing was written yet";
    log.write(someRecord());
    while (log.isFailing()) std::this_thread::yield();
    EXPECT_EQ(log.failed(), 1u);
}

// What comes until the other side closes.
std::string readAll(int fd) {
    std::string read;
    char bytes[4096];
    for (ssize_t n = 0; (n = ::read(fd, bytes, sizeof bytes)) > 0;) {
        read.append(bytes, static_cast<std::size_t>(n));
    }
    return read;
}

// A pipe that nobody reads is a disk that is too slow.
TEST(RecordLog, DropsWhatThereIsNoRoomForAndSaysSoInTheLog) {
    support::LogCapture said;
    const LogFile pipe;
    ASSERT_EQ(::mkfifo(pipe.path().c_str(), 0600), 0);
    const nio::UniqueFd reader(::open(pipe.path().c_str(), O_RDONLY | O_NONBLOCK));
    auto log = std::make_unique<RecordLog>(recordsIn(pipe.path()), RecordLog::GivingUp(), 10);
    int written = 0;
    for (; log->dropped() < 5; ++written) log->write(someRecord());

    ::fcntl(reader.get(), F_SETFL, 0);
    auto reading = std::async(std::launch::async, [&] { return readAll(reader.get()); });
    log.reset();
    std::istringstream lines(reading.get());
    int records = 0;
    int missing = 0;
    for (std::string text; std::getline(lines, text);) {
        const auto line = nlohmann::json::parse(text);
        if (line["kind"] == "dropped")
            missing += line["count"].get<int>();
        else
            ++records;
    }
    EXPECT_EQ(missing, 5);
    EXPECT_EQ(records, written - 5);
    EXPECT_EQ(said.count("records dropped: the disk is too slow"), 1u);
}

}  // namespace
}  // namespace router
