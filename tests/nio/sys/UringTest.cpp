#include <nio/sys/uring/Uring.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <new>
#include <thread>

#include "support/FailingMemory.h"
#include "support/Required.h"
#include "support/TestSockets.h"
#include "support/Verdict.h"

namespace nio {
namespace {

using namespace std::chrono_literals;
using kernel::Completion;
using kernel::Uring;
using kernel::UringBuffers;
using support::FailingMemory;
using support::Link;
using support::makeLink;

class UringTest : public testing::Test {
  protected:
    static constexpr std::size_t bufferBytes = 1000;

    void SetUp() override { open(8); }
    void open(std::size_t buffers) {
        ring_.reset();
        auto reserved = UringBuffers::reserve(buffers, bufferBytes);
        if (!reserved) NIO_SKIP_OR_FAIL(reserved.error().message());
        buffers_ = std::move(reserved).value();
        auto ring = Uring::open(buffers_);
        if (!ring) NIO_SKIP_OR_FAIL(ring.error().message());
        ring_ = std::move(ring).value();
        buffers_.publish();
    }
    std::vector<Completion> wait(kernel::WaitTime time = 0ns) {
        EXPECT_TRUE(ring_->submitAndWait(time));
        std::vector<Completion> all;
        for (Completion one{}; ring_->take(one);) all.push_back(one);
        return all;
    }
    // Of each tag from 1 on, one.
    void expectCompletions(std::uint64_t operations);
    std::string textOf(const Completion& completion) {
        const auto bytes = static_cast<std::size_t>(completion.result);
        return std::string(asText({buffers_.data(completion.buffer), bytes}));
    }

    UringBuffers buffers_;
    std::unique_ptr<Uring> ring_;
    Link link_ = makeLink();
};

TEST_F(UringTest, ReceivesAgainAndAgainIntoItsBuffers) {
    ring_->receive(link_.channel.fd(), true, 7);
    EXPECT_TRUE(wait().empty());
    for (const char* text : {"one", "two"}) {
        link_.peer.send(text);
        const auto found = wait();
        ASSERT_EQ(found.size(), 1u);
        EXPECT_EQ(found[0].tag, 7u);
        EXPECT_TRUE(found[0].goesOn);
        EXPECT_EQ(textOf(found[0]), text);
    }
    link_.peer.finish();
    const auto end = wait();
    ASSERT_EQ(end.size(), 1u);
    EXPECT_EQ(end[0].result, 0);
    EXPECT_FALSE(end[0].goesOn);
    EXPECT_EQ(end[0].buffer, UringBuffers::none);
}

// More than the queue has room for, and no memory for them to wait in.
// Also where some wait already for room: the first allocation, or the nth one, fails.
TEST_F(UringTest, QueuesMoreThanItHasRoomForWithoutMemory) {
    if (!FailingMemory::isPossible()) GTEST_SKIP() << "operator new cannot be replaced";
    constexpr std::uint64_t operations = 3000;
    const auto queueAll = [&] {
        for (std::uint64_t tag = 1; tag <= operations; ++tag) {
            ring_->poll(link_.channel.fd(), POLLOUT, false, tag);
        }
    };
    for (std::size_t n = 0; n < 5; ++n) {
        open(8);
        EXPECT_TRUE(wait().empty());  // the first one enables it
        {
            const FailingMemory noMemory = n == 0 ? FailingMemory::from(0) : FailingMemory::nth(n);
            queueAll();
        }
        expectCompletions(operations);
    }
}

// One that is not yet its thread's, and one of another thread: what has found room stays queued.
TEST_F(UringTest, RefusesASubmissionThatHasNoRoom) {
    if (!FailingMemory::isPossible()) GTEST_SKIP() << "operator new cannot be replaced";
    for (const bool ofAnotherThread : {false, true}) {
        open(8);
        std::uint64_t queued = 0;
        const auto queueAll = [&] {
            const FailingMemory noMemory = FailingMemory::from(0);
            for (; queued < 3000; ++queued) {
                ring_->poll(link_.channel.fd(), POLLOUT, false, queued + 1);
            }
        };
        if (ofAnotherThread) {
            EXPECT_TRUE(wait().empty());  // the first one enables it
            std::thread([&] { EXPECT_THROW(queueAll(), std::bad_alloc); }).join();
        } else {
            EXPECT_THROW(queueAll(), std::bad_alloc);
        }
        EXPECT_GT(queued, 0u);
        expectCompletions(queued);
    }
}

void UringTest::expectCompletions(std::uint64_t operations) {
    std::vector<bool> completed(operations + 1);
    std::size_t count = 0;
    for (int i = 0; i < 100 && count < operations; ++i) {
        for (const Completion& each : wait()) {
            EXPECT_FALSE(completed.at(each.tag));
            completed.at(each.tag) = true;
            ++count;
        }
    }
    EXPECT_EQ(count, operations);
}

TEST_F(UringTest, EndsAReceiveWithoutBuffersAndResumesIt) {
    open(2);
    link_.peer.send(std::string(3 * bufferBytes, 'x'));
    ring_->receive(link_.channel.fd(), true, 7);
    auto found = wait();
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[2].code(), std::errc::no_buffer_space);
    EXPECT_FALSE(found[2].goesOn);
    EXPECT_EQ(buffers_.waiting(), 0u);
    buffers_.giveBack(found[1].buffer);
    ring_->receive(link_.channel.fd(), true, 8);
    EXPECT_EQ(wait().at(0).code(), std::errc::no_buffer_space) << "not published yet";
    buffers_.publish();
    ring_->receive(link_.channel.fd(), true, 9);
    found = wait();
    ASSERT_FALSE(found.empty());
    EXPECT_EQ(textOf(found[0]), std::string(bufferBytes, 'x'));
}

TEST_F(UringTest, ProvidesTwiceAsManyBuffersUntilAllAreProvided) {
    open(64);
    EXPECT_EQ(buffers_.provided(), 16u);
    EXPECT_TRUE(buffers_.provideMore());
    EXPECT_EQ(buffers_.provided(), 32u);
    EXPECT_TRUE(buffers_.provideMore());
    EXPECT_FALSE(buffers_.provideMore());
    EXPECT_EQ(buffers_.waiting(), 64u);
}

TEST_F(UringTest, SaysNothingOfASendThatSucceeds) {
    ring_->send(link_.channel.fd(), asBytes("hello "), 7);
    std::string a = "wor";
    std::string b = "ld";
    const std::array<iovec, 2> pieces{iovec{a.data(), a.size()}, iovec{b.data(), b.size()}};
    ring_->sendPieces(link_.channel.fd(), pieces, 8);
    EXPECT_TRUE(wait().empty());
    EXPECT_TRUE(ring_->isAllSubmitted());
    EXPECT_EQ(link_.peer.receive(11), "hello world");
}

// All that UringIo knows of a stalled peer hangs on it, on every kernel.
TEST_F(UringTest, SaysHowMuchOfASendWasTakenAndNeverWaits) {
    for (const bool inPieces : {false, true}) {
        Link link = makeLink(SocketAddress::Family::ipv4);
        kernel::setSendBufferBytes(link.channel.fd(), 16 * 1024).orThrow();
        std::string text(8 * 1024 * 1024, 'x');
        const std::array<iovec, 2> pieces{iovec{text.data(), 5}, iovec{text.data(), text.size()}};
        inPieces ? ring_->sendPieces(link.channel.fd(), pieces, 7)
                 : ring_->send(link.channel.fd(), asBytes(text), 7);
        auto found = wait();
        ASSERT_EQ(found.size(), 1u);
        EXPECT_EQ(found[0].tag, 7u);
        ASSERT_GT(found[0].result, 0);
        const auto taken = static_cast<std::size_t>(found[0].result);
        EXPECT_LT(taken, text.size());
        ring_->send(link.channel.fd(), asBytes(text), 8);
        found = wait();
        ASSERT_EQ(found.size(), 1u);
        const std::size_t more = static_cast<std::size_t>(std::max(found[0].result, 0));
        if (found[0].result < 0) {
            EXPECT_EQ(found[0].code(), std::errc::resource_unavailable_try_again);
        }
        kernel::shutdownWrite(link.channel.fd()).orThrow();
        EXPECT_EQ(link.peer.receiveAll().size(), taken + more);
        EXPECT_TRUE(wait().empty()) << "nothing was sent later";
    }
}

TEST_F(UringTest, SaysWhyASendFailed) {
    link_.peer.close();
    ring_->send(link_.channel.fd(), asBytes("x"), 7);
    EXPECT_EQ(wait().at(0).code(), std::errc::broken_pipe);
}

TEST_F(UringTest, TakesMoreOperationsThanItsQueueHolds) {
    constexpr std::size_t many = 3000;
    Link link = makeLink(SocketAddress::Family::ipv4);
    for (std::size_t i = 0; i < many; ++i) ring_->send(link.channel.fd(), asBytes("x"), 7);
    EXPECT_TRUE(wait().empty());
    EXPECT_TRUE(ring_->isAllSubmitted());
    EXPECT_EQ(link.peer.receive(many).size(), many);
}

TEST_F(UringTest, CancelsWhatStands) {
    ring_->receive(link_.channel.fd(), true, 7);
    wait();
    ring_->cancel(7);
    auto found = wait();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].code(), std::errc::operation_canceled);
    EXPECT_FALSE(found[0].goesOn);
}

TEST_F(UringTest, WithdrawsWhatTheKernelHasNotSeen) {
    ring_->receive(link_.channel.fd(), true, 7);
    ring_->send(link_.channel.fd(), asBytes("x"), 8);
    EXPECT_TRUE(ring_->withdraw(8));
    EXPECT_FALSE(ring_->withdraw(9));
    wait();
    EXPECT_FALSE(ring_->withdraw(7)) << "too late";
    EXPECT_EQ(link_.peer.receiveWhatIsThere(), "");
}

TEST_F(UringTest, LeavesTheCancelOfWhatTheKernelHas) {
    ring_->receive(link_.channel.fd(), true, 7);
    wait();
    ring_->cancel(7);
    EXPECT_FALSE(ring_->withdraw(7)) << "the kernel has it";
    auto found = wait();
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].code(), std::errc::operation_canceled);
    ring_->receive(link_.channel.fd(), true, 8);
    ring_->cancel(8);
    EXPECT_TRUE(ring_->withdraw(8)) << "with its cancel";
    for (const Completion& each : wait()) EXPECT_EQ(each.tag, 0u) << "nobody's";
}

TEST_F(UringTest, BelongsToTheThreadThatWaitsFirstAndTellsOthersSo) {
    wait();
    std::thread([&] {
        const auto refused = ring_->submitAndWait(0ns);
        ASSERT_FALSE(refused);
        EXPECT_TRUE(refused.error().is(std::errc::file_exists));
    }).join();
}

TEST_F(UringTest, LateInputIsLeftToTheNextRing) {
    ring_->receive(link_.channel.fd(), true, 7);
    wait();
    buffers_.prepareToStartOver().orThrow();
    auto second = Uring::open(buffers_).orThrow();
    buffers_.startOver();
    link_.peer.send("kept");
    EXPECT_EQ(wait().at(0).code(), std::errc::no_buffer_space);
    ring_ = std::move(second);
    buffers_.publish();
    ring_->receive(link_.channel.fd(), true, 7);
    EXPECT_EQ(textOf(wait().at(0)), "kept");
}

TEST_F(UringTest, ASecondRingThatIsNeverOpenedChangesNothing) {
    ring_->receive(link_.channel.fd(), true, 7);
    wait();
    buffers_.prepareToStartOver().orThrow();
    buffers_.prepareToStartOver().orThrow();
    link_.peer.send("here");
    EXPECT_EQ(textOf(wait().at(0)), "here");
}

void refuse(int number) {
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_io_uring_setup, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(number)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const sock_fprog filter{4, program};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) support::verdict("no_new_privs");
    if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) support::verdict("seccomp");
}

void expectRefusal(int number, const char* words) {
    refuse(number);
    UringBuffers buffers = UringBuffers::reserve(8, 100).orThrow();
    const auto refused = Uring::open(buffers);
    if (refused) support::verdict("it was not refused");
    const std::string message = refused.error().message();
    support::verdict(message.find(words) == std::string::npos ? message : "");
}

TEST(UringRefusal, SaysWhatMayForbidIt) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(expectRefusal(EPERM, "kernel.io_uring_disabled or a seccomp filter"),
                testing::ExitedWithCode(0), "");
    EXPECT_EXIT(expectRefusal(ENOSYS, "no io_uring here"), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(expectRefusal(EINVAL, "the kernel is too old"), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(expectRefusal(ENOMEM, "RLIMIT_MEMLOCK"), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace nio
