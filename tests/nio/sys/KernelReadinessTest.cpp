#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <vector>

#include <nio/sys/Kernel.h>
#include <nio/sys/select/Select.h>

#include "KernelTesting.h"
#include "support/Engines.h"
#include "support/ForkedProcess.h"

namespace nio {
namespace {

using kernel::EpollChange;
using kernel::WaitTime;
using kerneltest::ConnectedPair;
using kerneltest::Family;
using std::chrono::nanoseconds;

const WaitTime noWait = nanoseconds::zero();

short eventsNow(int fd) {
    pollfd entry{fd, POLLIN | POLLOUT, 0};
    EXPECT_TRUE(kernel::waitPoll({&entry, 1}, noWait).ok());
    return entry.revents;
}

bool isReadable(int fd) {
    return (eventsNow(fd) & POLLIN) != 0;
}

class KernelEpoll : public testing::Test {
  protected:
    Result<void> change(EpollChange change, int fd, std::uint32_t events, void* data = nullptr) {
        return kernel::changeEpoll(epoll_.get(), change, fd, events, data);
    }
    std::size_t wait(const WaitTime& wait) {
        return kernel::waitEpoll(epoll_.get(), events_, wait).orThrow();
    }

    UniqueFd epoll_ = kernel::createEpoll().orThrow();
    std::array<epoll_event, 4> events_{};
};

TEST_F(KernelEpoll, TellsWhichDescriptorIsReadyForWhat) {
    const ConnectedPair pair(Family::ipv4);
    int mine = 0;
    ASSERT_TRUE(change(EpollChange::add, pair.server.get(), EPOLLIN, &mine).ok());
    EXPECT_EQ(wait(noWait), 0u);

    ASSERT_TRUE(kernel::send(pair.client.get(), asBytes("x")).isDone());
    ASSERT_EQ(wait({}), 1u);
    EXPECT_EQ(events_[0].data.ptr, &mine);
    EXPECT_EQ(events_[0].events, EPOLLIN);
}

TEST_F(KernelEpoll, ChangesWhatIsWaitedForAndForWhom) {
    const ConnectedPair pair(Family::ipv4);
    int first = 0;
    int second = 0;
    ASSERT_TRUE(change(EpollChange::add, pair.server.get(), EPOLLIN, &first).ok());
    ASSERT_TRUE(change(EpollChange::modify, pair.server.get(), EPOLLOUT, &second).ok());
    ASSERT_EQ(wait({}), 1u);
    EXPECT_EQ(events_[0].data.ptr, &second);
    EXPECT_EQ(events_[0].events, EPOLLOUT);
    ASSERT_TRUE(change(EpollChange::remove, pair.server.get(), 0).ok());
    EXPECT_EQ(wait(noWait), 0u);
}

TEST_F(KernelEpoll, FillsNoMoreThanThereIsRoomFor) {
    std::vector<UniqueFd> signalled;
    for (std::size_t i = 0; i < events_.size() + 1; ++i) {
        signalled.push_back(kernel::createEvent().orThrow());
        kernel::signalEvent(signalled.back().get());
        ASSERT_TRUE(change(EpollChange::add, signalled.back().get(), EPOLLIN).ok());
    }
    EXPECT_EQ(wait({}), events_.size());
}

TEST_F(KernelEpoll, NamesTheChangeThatFailed) {
    const UniqueFd event = kernel::createEvent().orThrow();
    ASSERT_TRUE(change(EpollChange::add, event.get(), EPOLLIN).ok());
    const auto again = change(EpollChange::add, event.get(), EPOLLIN);
    EXPECT_TRUE(again.error().is(std::errc::file_exists));
    EXPECT_EQ(again.error().context(), "epoll_ctl add");
    ASSERT_TRUE(change(EpollChange::remove, event.get(), 0).ok());
    EXPECT_EQ(change(EpollChange::modify, event.get(), 0).error().context(), "epoll_ctl modify");
    EXPECT_EQ(change(EpollChange::remove, event.get(), 0).error().context(), "epoll_ctl remove");
    EXPECT_EQ(kernel::waitEpoll(-1, events_, noWait).error().context(), "epoll_wait");
}

using WaitFunction = std::size_t (*)(int fd, const WaitTime& wait);

std::size_t waitByEpoll(int fd, const WaitTime& wait) {
    const UniqueFd epoll = kernel::createEpoll().orThrow();
    kernel::changeEpoll(epoll.get(), EpollChange::add, fd, EPOLLIN, nullptr).orThrow();
    std::array<epoll_event, 1> events;
    return kernel::waitEpoll(epoll.get(), events, wait).orThrow();
}

std::size_t waitByPoll(int fd, const WaitTime& wait) {
    pollfd entry{fd, POLLIN, 0};
    return kernel::waitPoll({&entry, 1}, wait).orThrow();
}

std::size_t waitBySelect(int fd, const WaitTime& wait) {
    fd_set input, output, exceptional;
    FD_ZERO(&input);
    FD_ZERO(&output);
    FD_ZERO(&exceptional);
    FD_SET(fd, &input);
    return kernel::waitSelect(fd + 1, input, output, exceptional, wait).orThrow();
}

std::string waitName(const testing::TestParamInfo<WaitFunction>& wait) {
    if (wait.param == waitBySelect) return "Select";
    return wait.param == waitByEpoll ? "Epoll" : "Poll";
}

class KernelWait : public testing::TestWithParam<WaitFunction> {};
INSTANTIATE_TEST_SUITE_P(Each, KernelWait, testing::Values(waitByEpoll, waitByPoll, waitBySelect),
                         waitName);

// A signal may cut a wait short, as the contract says, and so may what an earlier test has left
// behind in the kernel: not each of several.
TEST_P(KernelWait, DoesNotEndBeforeItsTime) {
    support::awaitEndOfRing();
    const UniqueFd event = kernel::createEvent().orThrow();
    for (const long time : {1L, 1'000L, 999'999L, 1'000'001L, 3'500'000L}) {
        nanoseconds longest{0};
        for (int i = 0; i < 3 && longest < nanoseconds(time); ++i) {
            const TimePoint begin = kernel::now();
            EXPECT_EQ(GetParam()(event.get(), nanoseconds(time)), 0u);
            longest = std::max<nanoseconds>(longest, kernel::now() - begin);
        }
        EXPECT_GE(longest, nanoseconds(time));
    }
}

TEST_P(KernelWait, AcceptsAnyLengthOfTime) {
    const UniqueFd event = kernel::createEvent().orThrow();
    kernel::signalEvent(event.get());
    for (const WaitTime& wait :
         {WaitTime{}, WaitTime{nanoseconds::max()}, WaitTime{std::chrono::hours(1'000)},
          WaitTime{nanoseconds::zero()}, WaitTime{nanoseconds::min()}}) {
        EXPECT_EQ(GetParam()(event.get(), wait), 1u);
    }
}

TEST_P(KernelWait, DoesNotWaitForATimeThatIsPast) {
    const UniqueFd event = kernel::createEvent().orThrow();
    EXPECT_EQ(GetParam()(event.get(), nanoseconds::zero()), 0u);
    EXPECT_EQ(GetParam()(event.get(), nanoseconds(-1)), 0u);
    EXPECT_EQ(GetParam()(event.get(), nanoseconds::min()), 0u);
}

TEST(KernelPoll, CountsAndMarksTheEntriesWithEvents) {
    const UniqueFd quiet = kernel::createEvent().orThrow();
    const UniqueFd loud = kernel::createEvent().orThrow();
    kernel::signalEvent(loud.get());
    std::array<pollfd, 3> entries{
        {{quiet.get(), POLLIN, 0}, {-1, POLLIN, 0}, {loud.get(), POLLIN, 0}}};
    EXPECT_EQ(kernel::waitPoll(entries, {}).orThrow(), 1u);
    EXPECT_EQ(entries[0].revents, 0);
    EXPECT_EQ(entries[1].revents, 0);
    EXPECT_EQ(entries[2].revents, POLLIN);
}

TEST(KernelEvent, StaysReadableUntilItIsCleared) {
    const UniqueFd event = kernel::createEvent().orThrow();
    EXPECT_FALSE(isReadable(event.get()));
    kernel::signalEvent(event.get());
    kernel::signalEvent(event.get());
    EXPECT_TRUE(isReadable(event.get()));
    EXPECT_TRUE(isReadable(event.get()));
    kernel::clearEvent(event.get());
    EXPECT_FALSE(isReadable(event.get()));
    kernel::clearEvent(event.get());
    EXPECT_FALSE(isReadable(event.get()));
}

TEST(KernelDescriptors, AreCloseOnExecAndNeverBlock) {
    const UniqueFd fds[] = {kernel::createEvent().orThrow(),
                            kernel::createSignalDescriptor({SIGUSR2}).orThrow(),
                            kernel::openReserve().orThrow()};
    for (const UniqueFd& fd : fds) {
        EXPECT_NE(::fcntl(fd.get(), F_GETFD) & FD_CLOEXEC, 0);
        EXPECT_NE(::fcntl(fd.get(), F_GETFL) & O_NONBLOCK, 0);
    }
    EXPECT_NE(::fcntl(kernel::createEpoll().orThrow().get(), F_GETFD) & FD_CLOEXEC, 0);
    kernel::forgetSignalDescriptor(fds[1].get());
}

class KernelSignals : public testing::Test {
  protected:
    void SetUp() override { ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, nullptr, &before_), 0); }
    void TearDown() override { ASSERT_EQ(::pthread_sigmask(SIG_SETMASK, &before_, nullptr), 0); }

  private:
    sigset_t before_;
};

TEST_F(KernelSignals, AreReadTheLowestNumberFirst) {
    const UniqueFd fd = kernel::createSignalDescriptor({SIGUSR1, SIGUSR2}).orThrow();
    EXPECT_FALSE(isReadable(fd.get()));
    EXPECT_EQ(kernel::readSignal(fd.get()), 0);

    ASSERT_EQ(::pthread_kill(::pthread_self(), SIGUSR2), 0);
    ASSERT_EQ(::pthread_kill(::pthread_self(), SIGUSR1), 0);
    EXPECT_TRUE(isReadable(fd.get()));
    EXPECT_EQ(kernel::readSignal(fd.get()), SIGUSR1);
    EXPECT_EQ(kernel::readSignal(fd.get()), SIGUSR2);
    EXPECT_EQ(kernel::readSignal(fd.get()), 0);
    EXPECT_FALSE(isReadable(fd.get()));
    kernel::forgetSignalDescriptor(fd.get());
}

TEST_F(KernelSignals, ThatComeBeforeTheDescriptorAreTold) {
    kernel::catchSignals({SIGUSR1}).orThrow();
    ASSERT_EQ(::raise(SIGUSR1), 0);
    const UniqueFd fd = kernel::createSignalDescriptor({SIGUSR1, SIGUSR2}).orThrow();
    EXPECT_EQ(kernel::readSignal(fd.get()), SIGUSR1);
    const UniqueFd other = kernel::createSignalDescriptor({SIGUSR1}).orThrow();
    EXPECT_EQ(kernel::readSignal(other.get()), 0);
    kernel::forgetSignalDescriptor(fd.get());
    kernel::forgetSignalDescriptor(other.get());
}

TEST_F(KernelSignals, AreNotLostInAFloodOfAnother) {
    const UniqueFd fd = kernel::createSignalDescriptor({SIGUSR1, SIGUSR2}).orThrow();
    for (int i = 0; i < 5000; ++i) ASSERT_EQ(::raise(SIGUSR1), 0);
    ASSERT_EQ(::raise(SIGUSR2), 0);
    EXPECT_EQ(kernel::readSignal(fd.get()), SIGUSR1);
    EXPECT_EQ(kernel::readSignal(fd.get()), SIGUSR1);
    EXPECT_EQ(kernel::readSignal(fd.get()), SIGUSR2);
    EXPECT_EQ(kernel::readSignal(fd.get()), 0);
    kernel::forgetSignalDescriptor(fd.get());
}

TEST_F(KernelSignals, OfAProcessAreNotReadInItsCopy) {
    const UniqueFd fd = kernel::createSignalDescriptor({SIGUSR1}).orThrow();
    ASSERT_EQ(::raise(SIGUSR1), 0);
    support::ForkedProcess copy([&] {
        if (isReadable(fd.get()) || kernel::readSignal(fd.get()) != 0) return 1;
        kernel::catchSignals({SIGUSR1}).orThrow();
        ::raise(SIGUSR1);
        return kernel::readSignal(fd.get()) == SIGUSR1 ? 0 : 2;
    });
    EXPECT_EQ(copy.wait(), 0);
    EXPECT_TRUE(isReadable(fd.get()));
    EXPECT_EQ(kernel::readSignal(fd.get()), SIGUSR1);
    EXPECT_EQ(kernel::readSignal(fd.get()), 0);
    kernel::forgetSignalDescriptor(fd.get());
}

TEST_F(KernelSignals, ThatNobodyHasReadAreToldToANewDescriptor) {
    const UniqueFd one = kernel::createSignalDescriptor({SIGUSR1}).orThrow();
    ASSERT_EQ(::raise(SIGUSR1), 0);
    const UniqueFd two = kernel::createSignalDescriptor({SIGUSR1}).orThrow();
    kernel::forgetSignalDescriptor(one.get());
    EXPECT_EQ(kernel::readSignal(two.get()), SIGUSR1);
    EXPECT_EQ(kernel::readSignal(two.get()), 0);
    kernel::forgetSignalDescriptor(two.get());
}

TEST_F(KernelSignals, AreNotTakenByACopyWithoutDescriptors) {
    const UniqueFd fd = kernel::createSignalDescriptor({SIGUSR1}).orThrow();
    ASSERT_EQ(::raise(SIGUSR1), 0);
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    const rlimit none{0, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    support::ForkedProcess copy([&] { return kernel::readSignal(fd.get()); });
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_EQ(copy.wait(), 0);
    EXPECT_TRUE(isReadable(fd.get()));
    EXPECT_EQ(kernel::readSignal(fd.get()), SIGUSR1);
    kernel::forgetSignalDescriptor(fd.get());
}

TEST_F(KernelSignals, ThatWereNotReadAreToldToTheNext) {
    const UniqueFd one = kernel::createSignalDescriptor({SIGUSR1}).orThrow();
    ASSERT_EQ(::raise(SIGUSR1), 0);
    kernel::forgetSignalDescriptor(one.get());
    const UniqueFd two = kernel::createSignalDescriptor({SIGUSR1}).orThrow();
    EXPECT_EQ(kernel::readSignal(two.get()), SIGUSR1);
    EXPECT_EQ(kernel::readSignal(two.get()), 0);
    kernel::forgetSignalDescriptor(two.get());
}

TEST_F(KernelSignals, AreToldToEachDescriptor) {
    const UniqueFd one = kernel::createSignalDescriptor({SIGUSR1}).orThrow();
    const UniqueFd two = kernel::createSignalDescriptor({SIGUSR1}).orThrow();
    ASSERT_EQ(::raise(SIGUSR1), 0);
    EXPECT_EQ(kernel::readSignal(one.get()), SIGUSR1);
    kernel::forgetSignalDescriptor(one.get());
    ASSERT_EQ(::raise(SIGUSR1), 0);
    EXPECT_EQ(kernel::readSignal(one.get()), 0);
    EXPECT_EQ(kernel::readSignal(two.get()), SIGUSR1);
    EXPECT_EQ(kernel::readSignal(two.get()), SIGUSR1);
    kernel::forgetSignalDescriptor(two.get());
}

TEST_F(KernelSignals, ThatWereBlockedAreUnblockedInTheThread) {
    sigset_t mask;
    ::sigemptyset(&mask);
    ::sigaddset(&mask, SIGUSR1);
    ::pthread_sigmask(SIG_BLOCK, &mask, nullptr);
    const UniqueFd fd = kernel::createSignalDescriptor({SIGUSR1}).orThrow();
    ASSERT_EQ(::raise(SIGUSR1), 0);
    EXPECT_EQ(kernel::readSignal(fd.get()), SIGUSR1);
    kernel::forgetSignalDescriptor(fd.get());
}

TEST_F(KernelSignals, HaveRoomForSixtyFourDescriptors) {
    std::vector<UniqueFd> all;
    for (int i = 0; i < 64; ++i) {
        all.push_back(kernel::createSignalDescriptor({SIGUSR1}).orThrow());
    }
    const auto oneMore = kernel::createSignalDescriptor({SIGUSR1});
    EXPECT_TRUE(oneMore.error().is(std::errc::too_many_files_open));
    for (const UniqueFd& fd : all) kernel::forgetSignalDescriptor(fd.get());
}

TEST_F(KernelSignals, ThatDoNotExistAreRefused) {
    EXPECT_TRUE(kernel::catchSignals({100'000}).error().is(std::errc::invalid_argument));
    EXPECT_TRUE(kernel::createSignalDescriptor({-1}).error().is(std::errc::invalid_argument));
}

}  // namespace
}  // namespace nio
