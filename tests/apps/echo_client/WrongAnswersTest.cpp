// Wrong answers in runs that the report is not about: they decide all the same.
#include <signal.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "apps/echo_client/EchoClientTesting.h"

namespace {

using namespace echoclient;
using testing::HasSubstr;
using testing::StartsWith;

nio::Bytes damaged(nio::ByteView bytes) {
    nio::Bytes copy = nio::copyOf(bytes);
    copy.back() ^= nio::Byte{0x10};
    return copy;
}

class WrongAnswers : public testing::Test {
  protected:
    ~WrongAnswers() override { std::filesystem::remove(bad_); }

    // Of one connection, whose first wrong answer goes to a file.
    Arguments load(const OddServer& server, const Arguments& more) const {
        return Arguments{bin("echo-client"), "--quiet", "--port",   server.port(),
                         "--connections",    "1",       "--warmup", "0",
                         "--keep-bad",       bad_} +
               more;
    }
    std::string kept() const {
        std::ifstream file(bad_);
        return {std::istreambuf_iterator<char>(file), {}};
    }

  private:
    const std::string bad_ = testing::TempDir() + "echo-client-wrong-" + std::to_string(::getpid());
};

// In the second run, at whichever rate that is, the server damages an answer.
TEST_F(WrongAnswers, OfARateThatWasTooHighFailTheSearch) {
    std::size_t answers = 0;
    const OddServer server([&answers](OddConnection& connection, nio::ByteView bytes) {
        nio::onDispatcher.assertCurrent();
        connection.send(++answers == 35 ? damaged(bytes) : nio::copyOf(bytes));
    });
    Process run(load(server, {"--find-max", "p50<60s", "--rate", "100", "--duration", "0.3"}));
    EXPECT_EQ(run.wait(), 3);
    EXPECT_THAT(run.errors(), HasSubstr("echo-client: wrong answer: connection 0, message "));
    EXPECT_THAT(kept(), HasSubstr("byte 63 is 0x"));
}

// The first run has the wrong answer, the second one the lower throughput: of two it is the median.
TEST_F(WrongAnswers, OfARunThatIsNotTheMedianAreKept) {
    std::size_t runs = 0;
    const OddServer server([&runs](OddConnection& connection, nio::ByteView bytes) {
        nio::onDispatcher.assertCurrent();
        if (connection.calls == 1) ++runs;
        if (runs > 1 && connection.calls > 5) return;
        connection.send(connection.calls == 5 && runs == 1 ? damaged(bytes) : nio::copyOf(bytes));
    });
    Process run(load(server, {"--repeat", "2", "--duration", "0.3", "--timeout", "100ms"}));
    EXPECT_EQ(run.wait(), 3);
    EXPECT_THAT(kept(), HasSubstr("message 4: byte 63 is 0x"));
}

// Of the second run the report says nothing: it is not over when it is interrupted.
TEST_F(WrongAnswers, OfARunThatWasInterruptedCount) {
    std::size_t runs = 0;
    std::atomic<bool> wrong{false};
    const OddServer server([&](OddConnection& connection, nio::ByteView bytes) {
        nio::onDispatcher.assertCurrent();
        if (connection.calls == 1) ++runs;
        const bool isWrong = runs == 2 && connection.calls == 5;
        connection.send(isWrong ? damaged(bytes) : nio::copyOf(bytes));
        if (isWrong) wrong = true;
    });
    Process run(load(server, {"--repeat", "3", "--duration", "1.5"}));
    const nio::TimePoint end = nio::Clock::now() + Process::patience;
    while (!wrong && nio::Clock::now() < end) std::this_thread::yield();
    run.signal(SIGINT);
    EXPECT_EQ(run.wait(), 3);
    EXPECT_THAT(run.errors(), StartsWith("echo-client: wrong answer: "));
    EXPECT_THAT(kept(), HasSubstr("message 4: byte 63 is 0x"));
}

}  // namespace
