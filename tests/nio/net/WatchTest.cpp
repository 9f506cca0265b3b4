// Functions that are called when a descriptor is ready.
#include <nio/net/Watch.h>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "support/Engines.h"
#include "support/FailingMemory.h"
#include "support/LogCapture.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using support::TestDispatcher;

struct Ends {
    Ends() {
        int both[2] = {-1, -1};
        EXPECT_EQ(::pipe2(both, O_NONBLOCK | O_CLOEXEC), 0);
        out = UniqueFd(both[0]);
        in = UniqueFd(both[1]);
    }
    void write(const std::string& text) const {
        EXPECT_EQ(::write(in.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    std::string read() const {
        char text[64];
        const ssize_t count = ::read(out.get(), text, sizeof text);
        return {text, count > 0 ? static_cast<std::size_t>(count) : 0};
    }
    UniqueFd out;
    UniqueFd in;
};

class WatchTest : public testing::TestWithParam<SelectorKind> {
  protected:
    WatchTest() : dispatcher_("watch", support::with(GetParam())) {}

    Result<Watch> watchNow(int fd, Interest interest, UniqueFunction<void(Interest)> f) {
        std::optional<Result<Watch>> made;
        dispatcher_.inTurn([&] { made = watch(*dispatcher_, fd, interest, std::move(f)); });
        return std::move(*made);
    }

    TestDispatcher dispatcher_;
    Ends pipe_;
};

TEST_P(WatchTest, CallsForInputUntilUnwatched) {
    std::string received;
    Watch input = watch(*dispatcher_, pipe_.out.get(), Interest::read, [&] {
                      received += pipe_.read();
                  }).orThrow();
    pipe_.write("a");
    ASSERT_TRUE(dispatcher_.turnUntil([&] { return received == "a"; }));
    pipe_.write("b");
    ASSERT_TRUE(dispatcher_.turnUntil([&] { return received == "ab"; }));
    EXPECT_TRUE(input.isOn());
    input.unwatch();
    EXPECT_FALSE(input.isOn());
    pipe_.write("c");
    dispatcher_.turns(5);
    EXPECT_EQ(received, "ab");
    EXPECT_EQ(pipe_.read(), "c") << "the descriptor is the caller's";
}

TEST_P(WatchTest, CallsAsLongAsInputIsThere) {
    int calls = 0;
    const Watch input =
        watch(*dispatcher_, pipe_.out.get(), Interest::read, [&] { ++calls; }).orThrow();
    pipe_.write("unread");
    EXPECT_TRUE(dispatcher_.turnUntil([&] { return calls == 3; }));
}

TEST_P(WatchTest, CallsForTheEndOfInput) {
    Watch input;
    input = watch(*dispatcher_, pipe_.out.get(), Interest::read, [&] {
                char byte = 0;
                if (::read(pipe_.out.get(), &byte, 1) == 0) input.unwatch();
            }).orThrow();
    pipe_.in.reset();
    EXPECT_TRUE(dispatcher_.turnUntil([&] { return !input.isOn(); }));
}

TEST_P(WatchTest, HasAFunctionForEachDirection) {
    support::Link link = support::makeLink();
    const int fd = link.channel.fd();
    int reads = 0;
    int writes = 0;
    Watch input = watch(*dispatcher_, fd, Interest::read, [&] { ++reads; }).orThrow();
    Watch output = watch(*dispatcher_, fd, Interest::write, [&] { ++writes; }).orThrow();
    ASSERT_TRUE(dispatcher_.turnUntil([&] { return writes > 1; }));
    EXPECT_EQ(reads, 0);
    output.unwatch();
    dispatcher_.turn();
    const int before = writes;
    link.peer.send("x");
    ASSERT_TRUE(dispatcher_.turnUntil([&] { return reads > 1; }));
    EXPECT_EQ(writes, before);
}

TEST_P(WatchTest, TellsOfUrgentData) {
    support::Link link = support::makeLink(SocketAddress::Family::ipv4);
    const int fd = link.channel.fd();
    std::vector<Interest> told;
    const auto note = [&](Interest ready) { told.push_back(ready); };
    if (GetParam() == SelectorKind::kqueue) {
        EXPECT_TRUE(watchNow(fd, Interest::exceptional, note).error().is(Errc::notSupported));
        return;
    }
    const auto urgent = watchNow(fd, Interest::exceptional, note);
    ASSERT_TRUE(urgent.ok());
    dispatcher_.turns(3);
    EXPECT_TRUE(told.empty());
    ASSERT_EQ(::send(link.peer.fd(), "!", 1, MSG_OOB), 1);
    ASSERT_TRUE(dispatcher_.turnUntil([&] { return told.size() == 2; }));
    EXPECT_EQ(told[0], Interest::exceptional);
    char byte = 0;
    EXPECT_EQ(::recv(fd, &byte, 1, MSG_OOB), 1);
    EXPECT_EQ(byte, '!');
    told.clear();
    link.peer.send("x");
    bool isRead = false;
    const Watch input = watch(*dispatcher_, fd, Interest::read, [&] { isRead = true; }).orThrow();
    ASSERT_TRUE(dispatcher_.turnUntil([&] { return isRead; }));
    dispatcher_.turns(3);
    EXPECT_TRUE(told.empty()) << "ordinary input is not urgent";
}

TEST_P(WatchTest, TellsWhatIsReady) {
    support::Link link = support::makeLink();
    link.peer.send("x");
    std::vector<Interest> told;
    const auto both = watchNow(link.channel.fd(), Interest::read | Interest::write,
                               [&](Interest ready) { told.push_back(ready); });
    ASSERT_TRUE(both.ok());
    ASSERT_TRUE(dispatcher_.turnUntil([&] { return told.size() >= 2; }));
    EXPECT_EQ(told[0], Interest::read);
    EXPECT_EQ(told[1], Interest::write);
}

TEST_P(WatchTest, EndsAllWatchesOfADescriptor) {
    int calls = 0;
    const Ends other;
    std::vector<Watch> watches;
    for (const int fd : {pipe_.out.get(), pipe_.out.get(), other.out.get()}) {
        watches.push_back(watch(*dispatcher_, fd, Interest::read, [&] { ++calls; }).orThrow());
    }
    dispatcher_.turn();
    ASSERT_TRUE(unwatchAll(*dispatcher_, pipe_.out.get()));
    dispatcher_.turn();
    EXPECT_FALSE(watches[0].isOn());
    EXPECT_FALSE(watches[1].isOn());
    EXPECT_TRUE(watches[2].isOn());
    pipe_.write("x");
    dispatcher_.turns(3);
    EXPECT_EQ(calls, 0);
}

TEST_P(WatchTest, UnwatchesWhatThrows) {
    const Watch input = watch(*dispatcher_, pipe_.out.get(), Interest::read, [] {
                            throw std::runtime_error("no");
                        }).orThrow();
    pipe_.write("x");
    ASSERT_TRUE(dispatcher_.turnUntil([&] { return !input.isOn(); }));
    EXPECT_EQ(dispatcher_.failures.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Each, WatchTest, testing::ValuesIn(support::everyEngine()),
                         support::EngineName());

TEST(Watch, RefusesWhatCannotBeWatched) {
    TestDispatcher dispatcher;
    const Ends ends;
    const auto closed = watch(*dispatcher, -1, Interest::read, [] {});
    EXPECT_TRUE(closed.error().is(std::errc::bad_file_descriptor));
    for (const Interest interest : {Interest::none, Interest::accept}) {
        const auto refused = watch(*dispatcher, ends.out.get(), interest, [] {});
        EXPECT_TRUE(refused.error().is(std::errc::invalid_argument));
    }
}

TEST(Watch, TellsTheReasonOfTheKernelInATurn) {
    TestDispatcher dispatcher("test", support::with(SelectorKind::epoll));
    const kerneltest::TemporaryFolder folder;
    std::FILE* file = std::fopen(folder.file("regular").c_str(), "w");
    dispatcher.inTurn([&] {
        const auto refused = watch(*dispatcher, ::fileno(file), Interest::read, [] {});
        ASSERT_FALSE(refused.ok());
        EXPECT_TRUE(refused.error().is(std::errc::operation_not_permitted));
    });
    const support::LogCapture log;
    const Watch later = watch(*dispatcher, ::fileno(file), Interest::read, [] {}).orThrow();
    dispatcher.turn();
    EXPECT_FALSE(later.isOn());
    EXPECT_EQ(log.lines().size(), 1u);
    std::fclose(file);
}

TEST(Watch, OutlivesItsDispatcher) {
    const Ends ends;
    Watch input;
    {
        TestDispatcher dispatcher;
        input = watch(*dispatcher, ends.out.get(), Interest::read, [] {}).orThrow();
        dispatcher.turn();
        EXPECT_TRUE(input.isOn());
    }
    EXPECT_FALSE(input.isOn());
    input.unwatch();
}

TEST(Watch, IsRefusedByAStoppedDispatcher) {
    const Ends ends;
    SelectorThread dispatcher;
    dispatcher.requestClose();
    dispatcher.run();
    const auto refused = watch(dispatcher, ends.out.get(), Interest::read, [] {});
    EXPECT_TRUE(refused.error().is(Errc::stopped));
}

TEST(Watch, SaysWhyADispatcherRefusesIt) {
    const Ends pipe;
    SelectorThreadOptions options;
    options.maxQueuedTasks = 1;
    SelectorThread thread(options);
    const auto enter = [&] { return watch(thread, pipe.out.get(), Interest::read, [] {}); };
    if (support::FailingMemory::isPossible()) {
        const Result<Watch> refused = [&] {
            const support::FailingMemory none = support::FailingMemory::from(4096);
            return enter();
        }();
        ASSERT_FALSE(refused);
        EXPECT_TRUE(refused.error().is(std::errc::not_enough_memory));
    }
    const Watch first = enter().orThrow();
    EXPECT_TRUE(enter().error().is(Errc::queueFull));
}

TEST(Watch, UnwatchesFromAnotherThread) {
    const Ends ends;
    SelectorThread dispatcher;
    std::atomic<int> calls{0};
    Watch input = watch(dispatcher, ends.out.get(), Interest::read, [&] { ++calls; }).orThrow();
    dispatcher.start();
    ends.write("x");
    while (calls == 0) std::this_thread::yield();
    input.unwatch();
    ASSERT_TRUE(dispatcher.invokeAndWait([] {}).ok());
    const int before = calls;
    ASSERT_TRUE(dispatcher.invokeAndWait([] {}).ok());
    EXPECT_EQ(calls, before);
}

}  // namespace
}  // namespace nio
