// kill -9, and what is there afterwards. The child is this same program and test, told by the
// environment to be it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>
#include <stdexcept>

#include "apps/sms_router/store/StoreTesting.h"
#include "support/Process.h"

namespace router {
namespace {

constexpr const char* childFile = "NIO_TEST_STORE_FILE";
constexpr std::size_t window = 50;

void report(std::uint64_t id) {
    const std::string line = "id " + std::to_string(id) + "\n";
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::_Exit(1);
}

// Adds ids, `window` of them at a time, and says each once it is committed.
class Adder {
  public:
    explicit Adder(const StoreConfig& config) : store_(config) {
        next_ = store_.reserveNumbers("id", 1'000'000);
    }
    void run() {
        for (std::size_t i = 0; i < window; ++i) addNext();
        thread_.run();
    }

  private:
    void addNext() {
        const std::uint64_t id = next_++;
        store_.addId(someId(id), thread_, [this, id](bool committed) {
            if (committed) report(id);
            addNext();
        });
    }

    nio::SelectorThread thread_;
    Store store_;
    std::uint64_t next_ = 0;
};

void addUntilKilled(const std::string& path) {
    StoreConfig config;
    config.path = path;
    Adder(config).run();
}

// The ids that the child had reported when it was killed, after `lines` of them.
std::vector<std::uint64_t> killedAfter(std::size_t lines, const std::string& path) {
    // Whatever part of the tests this process has to run.
    support::Process child({"env", "-u", "GTEST_TOTAL_SHARDS", "-u", "GTEST_SHARD_INDEX",
                            std::string(childFile) + "=" + path,
                            std::filesystem::read_symlink("/proc/self/exe"),
                            "--gtest_filter=StoreCrash.*"});
    std::vector<std::uint64_t> ids;
    const auto take = [&](const std::string& line) {
        if (line.starts_with("id ")) ids.push_back(std::stoull(line.substr(3)));
    };
    while (ids.size() < lines) {
        const std::string line = child.readLine();
        if (line.empty()) throw std::runtime_error("the child ended: " + child.errors());
        take(line);
    }
    child.signal(SIGKILL);
    EXPECT_EQ(child.wait(), 128 + SIGKILL);
    for (std::string line = child.readLine(); !line.empty(); line = child.readLine()) take(line);
    return ids;
}

TEST(StoreCrash, LosesNothingThatWasAnswered) {
    if (const char* path = std::getenv(childFile)) return addUntilKilled(path);

    const StoreFile file;
    std::mt19937 random(4711);
    std::set<std::uint64_t> reported;
    for (int round = 0; round < 20; ++round) {
        for (const std::uint64_t id : killedAfter(random() % 400, file.path())) {
            EXPECT_TRUE(reported.insert(id).second) << id << " was given out twice";
        }
        Store store(file.config());
        const std::vector<std::uint64_t> ids = idsIn(store);
        const std::set<std::uint64_t> found(ids.begin(), ids.end());
        for (const std::uint64_t id : reported) ASSERT_TRUE(found.contains(id)) << id;
    }
    EXPECT_GT(reported.size(), 1000u);
}

}  // namespace
}  // namespace router
