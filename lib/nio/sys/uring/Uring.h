// io_uring: operations are queued in memory shared with the kernel; one system call submits the
// queue, waits, and collects completions.
//
// A ring belongs to the first thread that waits with it. On other threads submitAndWait() fails
// with std::errc::file_exists, and a new ring must be opened (see UringBuffers::startOver). Input
// is only received inside submitAndWait().
//
// A send is attempted once, within the submitAndWait() that submits it, and never waits. It
// produces a completion only if it was short or failed; no completion means success. So the ring
// holds no pointer to output when submitAndWait() returns.
//
// Multishot operations (receive and poll with `again`) complete many times; the last completion has
// `goesOn` false. Each completion has the tag of its operation; tag 0 means that it is ignored.
//
// Thread: open() any; everything else one thread at a time.
// Errors: open() reports why there is no ring: notSupported by this build, the kernel is too old
// (6.1 is needed), or io_uring is forbidden.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <vector>

#include <nio/base/Bytes.h>
#include <nio/base/Result.h>
#include <nio/sys/Kernel.h>
#include <nio/sys/UniqueFd.h>
#include <nio/sys/uring/UringBuffers.h>

struct io_uring_cqe;
struct io_uring_params;
struct io_uring_sqe;

namespace nio::kernel {

struct Completion {
    std::uint64_t tag;
    std::int32_t result;  // the result of the call, or a negative errno
    bool goesOn;
    bool leftSome;  // a receive did not empty the socket (not set for all kinds of sockets)
    UringBuffers::Id buffer;  // the buffer it has filled, or none

    bool isFailed() const { return result < 0; }
    std::errc code() const { return static_cast<std::errc>(-result); }
};

class Uring {
  public:
    static constexpr std::size_t maximumPieces = 8;

    // Receives into `buffers`, which must outlive the ring.
    static Result<std::unique_ptr<Uring>> open(UringBuffers& buffers);
    Uring(const Uring&) = delete;
    Uring& operator=(const Uring&) = delete;
    ~Uring();

    // Signals this event with each completion, and when the next submitAndWait() has some to make.
    Result<void> signalTo(int event);

    // --- queue an operation ------------------------------------------------------------------
    // Each may throw std::bad_alloc, and then queues nothing.

    void receive(int fd, bool again, std::uint64_t tag);
    void poll(int fd, short events, bool again, std::uint64_t tag);
    void send(int fd, ByteView bytes, std::uint64_t tag);
    // At most maximumPieces; the bytes must stay valid, the list need not.
    void sendPieces(int fd, std::span<const iovec> pieces, std::uint64_t tag);
    // Cancels the operation with that tag: it completes with std::errc::operation_canceled if it
    // has transferred nothing.
    void cancel(std::uint64_t tag);
    // Removes an operation that is queued and not submitted, and its cancellation. False: there is
    // none.
    bool withdraw(std::uint64_t tag);

    // --- the one call ------------------------------------------------------------------------

    // Returns early, without an error, if interrupted.
    [[gnu::hot]] Result<void> submitAndWait(WaitTime wait);
    // Whether the whole queue was submitted; if not, the next submitAndWait() continues.
    bool isAllSubmitted() const;
    // The completion queue has overflowed: take the completions and call again.
    bool hasOverflow() const;
    // The next completion, in order.
    bool take(Completion& completion);

  private:
    struct Map {
        void* at = nullptr;
        std::size_t bytes = 0;
        ~Map();
    };
    struct Message {
        msghdr header;
        std::array<iovec, maximumPieces> pieces;
    };

    explicit Uring(UniqueFd fd);
    Result<void> map(const io_uring_params& parameters);
    Result<void> registerBuffers(const UringBuffers& buffers);
    Result<void> enable();
    io_uring_sqe& entry(int operation, int fd, std::uint64_t tag);
    // Stores an operation while the queue is full. Throws std::bad_alloc, and then queues nothing.
    io_uring_sqe& waiting();
    bool isFull() const;
    bool fillUp();
    bool makeRoom();
    // The queued messages.
    template <class Predicate>
    bool anyQueued(Predicate&& predicate);
    long enter(unsigned minimum, const WaitTime& wait);

    UniqueFd fd_;
    Map rings_;
    Map entries_;
    std::deque<Message> messages_;  // with stable addresses
    std::size_t messageCount_ = 0;
    std::vector<io_uring_sqe> waiting_;  // operations that wait for room in the queue
    UringBuffers* buffers_ = nullptr;
    bool enabled_ = false;

    io_uring_sqe* submissions_ = nullptr;
    std::uint32_t* submissionHead_ = nullptr;
    std::uint32_t* submissionTail_ = nullptr;
    std::uint32_t* submissionFlags_ = nullptr;
    std::uint32_t submissionMask_ = 0;
    std::uint32_t queued_ = 0;  // the tail, not yet published

    io_uring_cqe* completions_ = nullptr;
    std::uint32_t* completionHead_ = nullptr;
    std::uint32_t* completionTail_ = nullptr;
    std::uint32_t completionMask_ = 0;
};

}  // namespace nio::kernel
