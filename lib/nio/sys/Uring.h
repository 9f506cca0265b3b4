// io_uring: operations are queued in memory shared with the kernel, and one call hands over all
// that are queued, waits, and finds what has completed.
//
// A ring belongs to the thread that first waits with it. No other can: submitAndWait() then gives
// std::errc::file_exists, and a new ring must be made (see UringBuffers::startOver). Nothing is
// received but inside submitAndWait().
//
// A send is tried once, within the submitAndWait() that hands it over: it never waits. It completes
// only when something is left (done with fewer bytes, or an error); no completion is success. So a
// ring holds no pointer to output when submitAndWait() returns.
//
// Operations that go on (receive and poll with `again`) complete many times, the last time
// with goesOn == false. A tag comes back with each completion; 0 is for those of no interest.
//
// Thread: open() any; everything else one thread at a time.
// Errors: open() says why the ring is refused: notSupported by this build, the kernel is too old
// (6.1 is needed), or it is forbidden.
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
#include <nio/sys/UringBuffers.h>

struct io_uring_cqe;
struct io_uring_params;
struct io_uring_sqe;

namespace nio::kernel {

struct Completion {
    std::uint64_t tag;
    std::int32_t result;  // as the call would have returned it, or minus an errno
    bool goesOn;
    bool leftSome;  // a receive did not empty the socket; never so of some kinds of sockets
    UringBuffers::Id buffer;  // that it has filled, or none

    bool isFailed() const { return result < 0; }
    std::errc code() const { return static_cast<std::errc>(-result); }
};

class Uring {
  public:
    static constexpr std::size_t maximumPieces = 8;

    // `buffers` is what it receives into; it must outlive the ring.
    static Result<std::unique_ptr<Uring>> open(UringBuffers& buffers);
    Uring(const Uring&) = delete;
    Uring& operator=(const Uring&) = delete;
    ~Uring();

    // --- queue an operation ------------------------------------------------------------------
    // Each may throw std::bad_alloc, and has queued nothing then.

    void receive(int fd, bool again, std::uint64_t tag);
    void poll(int fd, short events, bool again, std::uint64_t tag);
    void send(int fd, ByteView bytes, std::uint64_t tag);
    // At most maximumPieces, which need to stay only where they are, not their list.
    void sendPieces(int fd, std::span<const iovec> pieces, std::uint64_t tag);
    // The operation with that tag ends soon, with std::errc::operation_canceled if it did nothing.
    void cancel(std::uint64_t tag);
    // Takes an operation back that is queued and was not handed over, and what would cancel it.
    // False: there is none.
    bool withdraw(std::uint64_t tag);

    // --- the one call ------------------------------------------------------------------------

    // An interrupted wait returns early, without an error.
    [[gnu::hot]] Result<void> submitAndWait(WaitTime wait);
    // All that was queued is the kernel's; else the next submitAndWait() goes on with it.
    bool isAllSubmitted() const;
    // Completions wait in the kernel for room in the queue: take these, and call again.
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
    // For one that finds the queue full. Throws std::bad_alloc, and has queued nothing.
    io_uring_sqe& waiting();
    bool isFull() const;
    bool fillUp();
    bool makeRoom();
    // Of what is queued.
    template <class Predicate>
    bool anyQueued(Predicate&& predicate);
    long enter(unsigned minimum, const WaitTime& wait);

    UniqueFd fd_;
    Map rings_;
    Map entries_;
    std::deque<Message> messages_;  // they stay where they are
    std::size_t messageCount_ = 0;
    std::vector<io_uring_sqe> waiting_;  // for room in the queue
    UringBuffers* buffers_ = nullptr;
    bool enabled_ = false;

    io_uring_sqe* submissions_ = nullptr;
    std::uint32_t* submissionHead_ = nullptr;
    std::uint32_t* submissionTail_ = nullptr;
    std::uint32_t* submissionFlags_ = nullptr;
    std::uint32_t submissionMask_ = 0;
    std::uint32_t queued_ = 0;  // the tail, before it is told

    io_uring_cqe* completions_ = nullptr;
    std::uint32_t* completionHead_ = nullptr;
    std::uint32_t* completionTail_ = nullptr;
    std::uint32_t completionMask_ = 0;
};

}  // namespace nio::kernel
