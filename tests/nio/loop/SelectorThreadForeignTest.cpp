// Exceptions that are not of C++, in everything of the program that a dispatcher calls: they are
// reported like all others, and end one connection at most.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nio/timers/Deadline.h>

#include "support/ForeignException.h"
#include "support/LogCapture.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using support::Journal;
using support::Link;
using support::makeLink;
using support::raiseForeign;
using support::RecordingHandler;
using support::TestDispatcher;
using testing::Contains;
using testing::ElementsAre;

TEST(SelectorThreadForeign, FromACallbackEndsThatConnectionAlone) {
    Journal journal;
    TestDispatcher dispatcher;
    Link bad = makeLink();
    Link other = makeLink();
    dispatcher.add(bad, "bad", journal).onRead = raiseForeign;
    dispatcher.add(other, "other", journal);
    bad.peer.send("x");
    other.peer.send("x");
    dispatcher.turn();
    EXPECT_THAT(dispatcher.failures, ElementsAre("bad::handleRead: unknown exception"));
    EXPECT_THAT(journal, Contains("other read"));
    EXPECT_THAT(journal, Contains("bad destroyed"));
    EXPECT_EQ(dispatcher->connectionCount(), 1u);
}

TEST(SelectorThreadForeign, FromATaskIsReported) {
    TestDispatcher dispatcher;
    bool nextRan = false;
    ASSERT_TRUE(dispatcher->invokeLater(raiseForeign));
    ASSERT_TRUE(dispatcher->invokeLater([&] { nextRan = true; }));
    dispatcher.turn();
    EXPECT_THAT(dispatcher.failures, ElementsAre("task::invokeLater: unknown exception"));
    EXPECT_TRUE(nextRan);
}

TEST(SelectorThreadForeign, FromADeadlineIsReported) {
    TestDispatcher dispatcher;
    Deadline deadline(dispatcher->deadlines(), raiseForeign);
    dispatcher.inTurn([&] {
        onDispatcher.assertCurrent();
        deadline.wakeAfter(Clock::duration::zero());
    });
    ASSERT_TRUE(dispatcher.turnUntil([&] { return !dispatcher.failures.empty(); }));
    EXPECT_THAT(dispatcher.failures, ElementsAre("deadline::expire: unknown exception"));
}

TEST(SelectorThreadForeign, OfAnInvocationComesOutAtTheCaller) {
    SelectorThread dispatcher;
    dispatcher.start();
    EXPECT_THROW((void)dispatcher.invokeAndWait(raiseForeign), ForeignException);
    EXPECT_TRUE(dispatcher.invokeAndWait([] {}).ok());
}

TEST(SelectorThreadForeign, FromTheFailureHandlerIsLogged) {
    const support::LogCapture log;
    SelectorThreadOptions options;
    options.onFailure = [](const Failure&) { raiseForeign(); };
    SelectorThread dispatcher(std::move(options));
    ASSERT_TRUE(dispatcher.invokeLater([] { throw 5; }));
    ASSERT_TRUE(dispatcher.turn(std::chrono::nanoseconds::zero()));
    EXPECT_EQ(log.count("a failure could not be reported"), 1u);
}

TEST(SelectorThreadForeign, FromTheLoggerGoesToStandardError) {
    setLogger([](LogLevel, std::string_view) { raiseForeign(); });
    testing::internal::CaptureStderr();
    log(LogLevel::warning, "a line");
    setLogger({});
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "nio: warning: a line\n");
}

// Its name, and what deals with its failure, fail as well.
class ForeignHandler final : public ReadWriteSelectorHandler {
  public:
    explicit ForeignHandler(SocketChannel channel) : channel_(std::move(channel)) {}
    SelectableChannel& channel() override { return channel_; }
    std::string name() const override {
        raiseForeign();
        return {};
    }
    void handleRead() override NIO_REQUIRES(onDispatcher) { raiseForeign(); }
    void handleWrite() override NIO_REQUIRES(onDispatcher) {}
    void handleFailure(std::exception_ptr) override NIO_REQUIRES(onDispatcher) { raiseForeign(); }
    void handleClosed() override NIO_REQUIRES(onDispatcher) { raiseForeign(); }

  private:
    SocketChannel channel_;
};

TEST(SelectorThreadForeign, FromEverythingOfAHandlerEndsIt) {
    TestDispatcher dispatcher;
    Link link = makeLink();
    dispatcher.add(std::make_unique<ForeignHandler>(std::move(link.channel)), Interest::read);
    link.peer.send("x");
    dispatcher.turn();
    EXPECT_THAT(dispatcher.failures, ElementsAre("(nameless)::handleRead: unknown exception",
                                                 "(nameless)::handleFailure: unknown exception",
                                                 "(nameless)::handleClosed: unknown exception"));
    EXPECT_EQ(dispatcher->connectionCount(), 0u);
}

}  // namespace
}  // namespace nio
