// A dispatcher in a loop of the program's own, which waits for its descriptor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>

#include <stdexcept>
#include <thread>

#include <nio/net/HostedTurns.h>
#include <nio/timers/Deadline.h>

#include "support/Engines.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using namespace std::chrono_literals;
using support::Journal;
using support::Link;
using support::makeLink;
using support::RecordingHandler;
using support::TestDispatcher;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

UniqueFd watching(int fd) {
    UniqueFd epoll = kernel::createEpoll().orThrow();
    kernel::changeEpoll(epoll.get(), kernel::EpollChange::add, fd, EPOLLIN, nullptr).orThrow();
    return epoll;
}

// A loop that has nothing else to do.
class HostLoop {
  public:
    explicit HostLoop(SelectorKind kind) : dispatcher("hosted", support::with(kind)) {}

    // Turns until it would wait. For how long? Absent: the dispatcher has more to do after far more
    // turns than it needs.
    std::optional<kernel::WaitTime> settle() {
        dispatcher.turn();
        return goOn();
    }
    // The same after a turn.
    std::optional<kernel::WaitTime> goOn() {
        for (int i = 0; i < 50; ++i) {
            const kernel::WaitTime wait = turns.prepareToWait();
            if (wait != 0ns && !becomesReadable(0ns)) return wait;
            dispatcher.turn();
        }
        return std::nullopt;
    }
    // As most loops do: by an epoll that watches the descriptor from the beginning.
    bool becomesReadable(std::chrono::nanoseconds within = kerneltest::patience) {
        epoll_event event{};
        return kernel::waitEpoll(epoll_.get(), {&event, 1}, within).orThrow() > 0;
    }

    Journal journal;
    TestDispatcher dispatcher;
    HostedTurns turns{*dispatcher};

  private:
    UniqueFd epoll_ = watching(turns.descriptor().orThrow());
};

const std::optional<kernel::WaitTime> withoutLimit{kernel::WaitTime()};

class HostedTurnsTest : public testing::TestWithParam<SelectorKind> {
  protected:
    HostLoop host_{GetParam()};
    TestDispatcher& dispatcher_ = host_.dispatcher;
    Journal& journal_ = host_.journal;
};

std::vector<SelectorKind> enginesWithADescriptor() {
    std::vector<SelectorKind> engines = support::everyEngine();
    std::erase(engines, SelectorKind::poll);
    std::erase(engines, SelectorKind::select);
    return engines;
}

INSTANTIATE_TEST_SUITE_P(Engine, HostedTurnsTest, testing::ValuesIn(enginesWithADescriptor()),
                         support::EngineName());

TEST_P(HostedTurnsTest, IsReadableWhileInputWaits) {
    Link link = makeLink();
    dispatcher_.add(link, "a", journal_);
    for (int round = 1; round <= 3; ++round) {
        ASSERT_EQ(host_.settle(), withoutLimit);
        link.peer.send("x");
        EXPECT_TRUE(host_.becomesReadable());
        ASSERT_EQ(host_.settle(), withoutLimit);
        EXPECT_EQ(journal_.size(), static_cast<std::size_t>(round));
    }
}

TEST_P(HostedTurnsTest, IsReadableWhenATaskIsPosted) {
    int ran = 0;
    for (int round = 1; round <= 3; ++round) {
        ASSERT_EQ(host_.settle(), withoutLimit);
        std::thread([&] { EXPECT_TRUE(dispatcher_->invokeLater([&] { ++ran; })); }).join();
        EXPECT_TRUE(host_.becomesReadable());
        dispatcher_.turn();
        EXPECT_EQ(ran, round);
    }
}

TEST_P(HostedTurnsTest, DoesNotWaitWhileATaskWaits) {
    ASSERT_EQ(host_.settle(), withoutLimit);
    ASSERT_TRUE(dispatcher_->invokeLater([] {}));
    EXPECT_EQ(host_.turns.prepareToWait(), 0ns);
    EXPECT_EQ(host_.settle(), withoutLimit);
}

TEST_P(HostedTurnsTest, WaitsUntilTheNextDeadline) {
    int due = 0;
    Deadline deadline(dispatcher_->deadlines(), [&] { ++due; });
    dispatcher_.inTurn([&] { deadline.wakeAfter(1h); });
    const auto wait = host_.settle();
    ASSERT_TRUE(wait && *wait);
    EXPECT_LE(**wait, 1h);
    EXPECT_GT(**wait, 50min);
    dispatcher_.inTurn([&] { deadline.wakeAfter(0ns); });
    EXPECT_EQ(host_.settle(), withoutLimit);
    EXPECT_EQ(due, 1);
}

// After the select of that turn: the kernel does not know it yet.
TEST_P(HostedTurnsTest, WaitsForWhatACallbackHasRegistered) {
    Link link = makeLink();
    RecordingHandler& handler = dispatcher_.add(link, "a", journal_);
    auto listener = ServerSocketChannel::open(SocketAddress::loopback4(0)).orThrow();
    const SocketAddress address = listener.localAddress().orThrow();
    handler.onFlush = [&] {
        onDispatcher.assertCurrent();
        auto made = std::make_unique<support::RecordingAcceptHandler>(std::move(listener),
                                                                      "listener", journal_);
        ASSERT_TRUE(dispatcher_->registerChannelNow(std::move(made), Interest::accept).ok());
    };
    // Not by a task, whose post would be another reason for a turn.
    Deadline deadline(dispatcher_->deadlines(),
                      [&] { dispatcher_->flushLater(handler.channel()); });
    dispatcher_.inTurn([&] { deadline.wakeAfter(20ms); });
    while (journal_.empty()) {
        const kernel::WaitTime wait = host_.turns.prepareToWait();
        ASSERT_TRUE(wait);
        (void)host_.becomesReadable(*wait);
        dispatcher_.turn();
    }
    ASSERT_EQ(host_.goOn(), withoutLimit);
    const UniqueFd client = kernel::openStreamSocket(SocketAddress::Family::ipv4).orThrow();
    EXPECT_TRUE(kerneltest::connectTo(client.get(), address).isDone());
    EXPECT_TRUE(host_.becomesReadable());
    ASSERT_EQ(host_.settle(), withoutLimit);
    EXPECT_THAT(journal_, ElementsAre("a flush", "listener accept"));
}

TEST_P(HostedTurnsTest, WaitsForTheInterestOfACallback) {
    Link first = makeLink();
    Link second = makeLink();
    RecordingHandler& other = dispatcher_.add(second, "second", journal_, Interest::none);
    RecordingHandler& handler = dispatcher_.add(first, "first", journal_);
    handler.onRead = [&] {
        onDispatcher.assertCurrent();
        (void)handler.channel().receive();
        other.readOn();
    };
    ASSERT_EQ(host_.settle(), withoutLimit);
    first.peer.send("x");
    ASSERT_TRUE(host_.becomesReadable());
    ASSERT_EQ(host_.settle(), withoutLimit);
    ASSERT_THAT(journal_, ElementsAre("first read"));
    second.peer.send("x");
    EXPECT_TRUE(host_.becomesReadable());
    ASSERT_EQ(host_.settle(), withoutLimit);
    EXPECT_THAT(journal_, ElementsAre("first read", "second read"));
}

TEST_P(HostedTurnsTest, WaitsWhileNothingReadsTheInput) {
    Link link = makeLink();
    RecordingHandler& handler = dispatcher_.add(link, "a", journal_, Interest::none);
    dispatcher_.inTurn([&] {
        onDispatcher.assertCurrent();
        handler.channel().unread(asBytes("kept"));
    });
    link.peer.send("sent");
    EXPECT_EQ(host_.settle(), withoutLimit);
    EXPECT_THAT(journal_, IsEmpty());
    dispatcher_.inTurn([&] {
        onDispatcher.assertCurrent();
        handler.readOn();
    });
    EXPECT_EQ(host_.settle(), withoutLimit);
    EXPECT_EQ(handler.kept, "keptsent");
}

// Stays open in a drain, until its peer closes.
class Staying final : public support::RecordingBase<ReadWriteSelectorHandler, SocketChannel> {
  public:
    using RecordingBase::RecordingBase;
    void handleRead() override NIO_REQUIRES(onDispatcher) { channel().close(); }
    void handleWrite() override NIO_REQUIRES(onDispatcher) {}
    void handleDrain(const DrainOptions&) override NIO_REQUIRES(onDispatcher) { call("drain", {}); }
};

TEST_P(HostedTurnsTest, EndsWithItsLastConnection) {
    Link link = makeLink();
    dispatcher_.add(std::make_unique<Staying>(std::move(link.channel), "a", journal_),
                    Interest::read);
    ASSERT_EQ(host_.settle(), withoutLimit);
    std::thread([&] { dispatcher_->requestClose(); }).join();
    EXPECT_TRUE(host_.becomesReadable());
    ASSERT_TRUE(host_.settle());
    ASSERT_THAT(journal_, ElementsAre("a drain"));
    link.peer.close();
    for (bool goesOn = true; goesOn;) {
        const kernel::WaitTime wait = host_.turns.prepareToWait();
        if (wait != 0ns) {
            ASSERT_TRUE(host_.becomesReadable());
        }
        goesOn = dispatcher_.turn();
    }
    EXPECT_THAT(journal_, ElementsAre("a drain", "a destroyed"));
}

TEST_P(HostedTurnsTest, IsNotAskedInATurn) {
    EXPECT_THROW(dispatcher_.inTurn([&] { host_.turns.prepareToWait(); }), std::logic_error);
}

TEST(HostedTurns, NeedsAnEngineWithADescriptor) {
    for (const SelectorKind kind : {SelectorKind::poll, SelectorKind::select}) {
        TestDispatcher dispatcher("none", support::with(kind));
        const Result<int> found = HostedTurns(*dispatcher).descriptor();
        ASSERT_FALSE(found);
        EXPECT_TRUE(found.error().is(Errc::notSupported));
        EXPECT_THAT(found.error().message(), HasSubstr(nameOf(kind)));
    }
}

}  // namespace
}  // namespace nio
