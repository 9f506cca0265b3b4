// Signals without SA_RESTART rain on a thread inside system calls. The descriptors are made
// blocking here, since only a call that sleeps can be interrupted.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include <nio/sys/Kernel.h>

#include "KernelTesting.h"

namespace nio {
namespace {

using kerneltest::ConnectedPair;
using kerneltest::Family;
using kerneltest::Listener;
using kerneltest::TemporaryFolder;

constexpr int rain = SIGUSR1;
std::atomic<int> drops{0};

void countDrop(int) {
    drops.fetch_add(1);
}

void makeBlocking(int fd) {
    ASSERT_EQ(::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK), 0);
}

class KernelInterrupts : public testing::Test {
  protected:
    void SetUp() override {
        struct sigaction action {};
        action.sa_handler = countDrop;
        ASSERT_EQ(::sigaction(rain, &action, &before_), 0);
        drops = 0;
    }
    void TearDown() override { ASSERT_EQ(::sigaction(rain, &before_, nullptr), 0); }

    // Runs `call` on a thread of its own under rain, then `relief`, which lets the call return.
    static void rainOn(const std::function<void()>& call, const std::function<void()>& relief) {
        std::atomic<bool> running{false};
        std::thread thread([&] {
            running = true;
            call();
        });
        while (!running) std::this_thread::yield();
        for (int number = 1; number <= 500; ++number) dropOn(thread, number);
        relief();
        thread.join();
        EXPECT_GT(drops, 0);
    }

    // Gives the thread the time to handle the signal and to fall asleep again. Not for ever: a
    // sanitizer may keep signals back while a call lasts.
    static void dropOn(std::thread& thread, int number) {
        ::pthread_kill(thread.native_handle(), rain);
        const TimePoint end = kernel::now() + std::chrono::milliseconds(1);
        while (drops < number && kernel::now() < end) std::this_thread::yield();
    }

  private:
    struct sigaction before_ {};
};

TEST_F(KernelInterrupts, AreNotSeenWhileReceiving) {
    const ConnectedPair pair(Family::ipv4);
    makeBlocking(pair.server.get());
    std::array<Byte, 8> buffer;
    IoResult result;
    rainOn([&] { result = kernel::receive(pair.server.get(), buffer); },
           [&] { EXPECT_TRUE(kernel::send(pair.client.get(), asBytes("x")).isDone()); });
    EXPECT_TRUE(result.isDone()) << result.error().message();
    EXPECT_EQ(result.bytes, 1u);
}

// Makes room for whoever waits to write on the other side.
void drain(int fd) {
    Bytes buffer(1 << 20);
    while (kernel::receive(fd, buffer).isDone()) continue;
}

void fillUp(int fd) {
    const Bytes block(65536);
    while (kernel::send(fd, block).isDone()) continue;
}

TEST_F(KernelInterrupts, AreNotSeenWhileSending) {
    const ConnectedPair pair(Family::unix_);
    fillUp(pair.client.get());
    makeBlocking(pair.client.get());
    IoResult result;
    rainOn([&] { result = kernel::send(pair.client.get(), asBytes("x")); },
           [&] { drain(pair.server.get()); });
    EXPECT_TRUE(result.isDone()) << result.error().message();
    EXPECT_EQ(result.bytes, 1u);
}

TEST_F(KernelInterrupts, AreNotSeenWhileSendingPieces) {
    const ConnectedPair pair(Family::unix_);
    fillUp(pair.client.get());
    makeBlocking(pair.client.get());
    char letter = 'x';
    const iovec piece{&letter, 1};
    IoResult result;
    rainOn(
        [&] {
            result = kernel::sendPieces(pair.client.get(), {&piece, 1});
        },
        [&] { drain(pair.server.get()); });
    EXPECT_TRUE(result.isDone()) << result.error().message();
    EXPECT_EQ(result.bytes, 1u);
}

TEST_F(KernelInterrupts, AreNotSeenWhileAccepting) {
    const TemporaryFolder folder;
    const Listener listener(Family::ipv4, folder);
    makeBlocking(listener.fd());
    const UniqueFd client = kernel::openStreamSocket(Family::ipv4).orThrow();
    kernel::Accepted accepted;
    rainOn([&] { accepted = kernel::accept(listener.fd()); },
           [&] { EXPECT_TRUE(kerneltest::connectTo(client.get(), listener.address()).isDone()); });
    EXPECT_TRUE(accepted.result.isDone()) << accepted.result.error().message();
    EXPECT_TRUE(accepted.fd);
}

// Any interruption ends a wait, without an event and without an error.
using Wait = std::function<Result<std::size_t>()>;

void expectWaitsToEndEmpty(const Wait& wait) {
    std::atomic<bool> returned{false};
    Result<std::size_t> count = std::size_t{99};
    std::thread thread([&] {
        count = wait();
        returned = true;
    });
    const TimePoint end = kernel::now() + kerneltest::patience;
    while (!returned && kernel::now() < end) {
        ::pthread_kill(thread.native_handle(), rain);
        std::this_thread::yield();
    }
    thread.join();
    ASSERT_TRUE(count.ok()) << count.error().message();
    EXPECT_EQ(count.value(), 0u);
}

TEST_F(KernelInterrupts, EndAnEpollWaitWithoutAnEvent) {
    const UniqueFd epoll = kernel::createEpoll().orThrow();
    std::array<epoll_event, 4> events;
    for (const kernel::WaitTime& time :
         {kernel::WaitTime{}, kernel::WaitTime{10 * kerneltest::patience}}) {
        expectWaitsToEndEmpty([&] { return kernel::waitEpoll(epoll.get(), events, time); });
    }
}

TEST_F(KernelInterrupts, EndAPollWithoutAnEvent) {
    const UniqueFd event = kernel::createEvent().orThrow();
    pollfd entry{event.get(), POLLIN, 0};
    for (const kernel::WaitTime& time :
         {kernel::WaitTime{}, kernel::WaitTime{10 * kerneltest::patience}}) {
        expectWaitsToEndEmpty([&] { return kernel::waitPoll({&entry, 1}, time); });
    }
}

constexpr std::size_t total = 4 << 20;

Byte byteAt(std::size_t position) {
    return static_cast<Byte>(position * 31 / 7);
}

// Sends the numbered bytes and half-closes; whether every call went well.
bool sendAll(int fd) {
    Bytes bytes(total);
    for (std::size_t i = 0; i < total; ++i) bytes[i] = byteAt(i);
    for (std::size_t sent = 0; sent < total;) {
        const std::size_t size = std::min<std::size_t>(total - sent, 3001);
        const IoResult result = kernel::send(fd, {bytes.data() + sent, size});
        if (result.isFailed()) return false;
        sent += result.bytes;
        if (!result.isDone() && !kerneltest::waitFor(fd, POLLOUT)) return false;
    }
    return kernel::shutdownWrite(fd).ok();
}

// The number of bytes that came, in order and unharmed, before the end of the stream.
std::size_t receiveAll(int fd) {
    std::array<Byte, 4096> buffer;
    for (std::size_t received = 0;;) {
        const IoResult result = kernel::receive(fd, buffer);
        if (result.status == IoStatus::closed) return received;
        if (result.isFailed()) return 0;
        for (std::size_t i = 0; i < result.bytes; ++i) {
            if (buffer[i] != byteAt(received + i)) return 0;
        }
        received += result.bytes;
        if (!result.isDone() && !kerneltest::waitFor(fd, POLLIN)) return 0;
    }
}

TEST_F(KernelInterrupts, LoseNoByteOfATransfer) {
    for (const Family family : {Family::ipv4, Family::unix_}) {
        const ConnectedPair pair(family);
        std::atomic<int> running{2};
        bool sent = false;
        std::size_t received = 0;
        std::thread sender([&] { sent = sendAll(pair.client.get()), --running; });
        std::thread receiver([&] { received = receiveAll(pair.server.get()), --running; });
        while (running > 0) {
            ::pthread_kill(sender.native_handle(), rain);
            ::pthread_kill(receiver.native_handle(), rain);
            std::this_thread::yield();
        }
        sender.join();
        receiver.join();
        EXPECT_TRUE(sent);
        EXPECT_EQ(received, total);
        EXPECT_GT(drops, 0);
    }
}

}  // namespace
}  // namespace nio
