// When the answer to a submit leaves, compared with when the log of the store is on disk: kill -9
// cannot show that, since what was written stays in the system's memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apps/sms_router/durability/Traced.h"
#include "apps/sms_router/scenarios/OneSmsc.h"

namespace router::scenarios {
namespace {

using testing::HasSubstr;

constexpr int messages = 20;
const char* const calls =
    "trace=fdatasync,fsync,sendto,sendmsg,write,writev,read,readv,recvfrom,recvmsg";

bool has(const std::string& line, const std::string& part) {
    return line.find(part) != std::string::npos;
}

// Behind the id of the thread: strace begins each line with it.
std::string callOf(const std::string& line) {
    const std::size_t start = line.find_first_not_of("0123456789 ");
    return start == std::string::npos ? std::string() : line.substr(start);
}

std::string threadOf(const std::string& line) {
    return line.substr(0, line.find(' '));
}

// The steps of the messages, in their order: R the SMSC's answer has been received, ( and ) the
// log's sync has begun and was made, A the ESME's answer is about to leave.
class Steps {
  public:
    explicit Steps(const std::vector<std::string>& lines) {
        for (const std::string& line : lines) look(line);
    }
    const std::string& text() const { return text_; }

  private:
    void look(const std::string& line) {
        const std::string call = callOf(line);
        const bool answer = has(line, R"(\x80\x00\x00\x04\x00\x00\x00\x00)");
        const bool reads = call.starts_with("re") || call.starts_with("<... re");
        if (answer) text_ += reads ? 'R' : 'A';
        const bool syncs = call.starts_with("fdatasync(") || call.starts_with("fsync(");
        // -xx writes the path in hexadecimal, or as it is: by the version of strace.
        const bool ofLog =
            has(line, "router.db-wal") || has(line, R"(\x2e\x64\x62\x2d\x77\x61\x6c)");
        if (syncs && ofLog) {
            text_ += '(';
            syncing_ = threadOf(line);
        }
        const bool made = has(line, ") ") && has(line, "= 0");
        const bool ends = (syncs && ofLog && made) ||
                          (has(call, "sync resumed>") && threadOf(line) == syncing_ && made);
        if (ends) text_ += ')';
    }

    std::string text_;
    std::string syncing_;
};

std::string repeated(const std::string& text, int times) {
    std::string all;
    for (; times > 0; --times) all += text;
    return all;
}

// So many messages, one after another.
Steps stepsOf(const std::string& durability) {
    const Traced traced({calls});
    // The calls that it looks at are those of the engines that make one for each.
    std::vector<std::string> prefix = traced.prefix();
    prefix.insert(prefix.end(), {"env", "NIO_SELECTOR=epoll"});
    OneSmsc scene({.durability = durability, .prefix = prefix});
    SmppPeer esme = scene.router.bound();
    for (int i = 0; i < messages; ++i) scene.accepted(esme, "s" + std::to_string(i));
    scene.router.kill();
    return Steps(traced.lines());
}

TEST(RouterTrace, AnswersASubmitOnceItsIdIsOnDisk) {
    NIO_NEEDS_STRACE();
    // What is written before the first message is synced, too.
    std::string steps = stepsOf("commit").text();
    const std::size_t first = steps.find('R');
    ASSERT_NE(first, std::string::npos);
    steps.erase(0, first);
    EXPECT_EQ(steps, repeated("R()A", messages));
}

TEST(RouterTrace, LeavesTheDiskAloneWithoutDurability) {
    NIO_NEEDS_STRACE();
    EXPECT_EQ(stepsOf("memory").text(), repeated("RA", messages));
}

}  // namespace
}  // namespace router::scenarios
