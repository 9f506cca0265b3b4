// The items that other threads have sent to one connection (ItemHandle::send) and that are in
// flight to it. They count against the high-water mark and the memory budget from the moment they
// are queued. Also the callbacks to run: how each item ended, room again, connection ended.
//
// Allocated with the connection's first handle, or its first send with a SendDone.
//
// Thread: reserve() and release() any; the rest the dispatcher's own.
// Lifetime: shared by the connection, its handles and the items in flight.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include <nio/base/Bytes.h>
#include <nio/base/Result.h>
#include <nio/base/UniqueFunction.h>
#include <nio/connection/StreamOptions.h>

namespace nio {

class MemoryBudget;
class SelectorHandler;
class TaskQueue;

// How a send ended. No error: the kernel has accepted the item. Else it was dropped. Of
// whenWritable() and whenClosed(): see there.
using SendDone = UniqueFunction<void(const std::optional<Error>&)>;

// A SendDone and the dispatcher that runs it.
//
// Thread: any; a value. One to be called in place: the connection's dispatcher.
class SendResult {
  public:
    SendResult() = default;
    // Called in place, on the dispatcher that the connection has by then.
    explicit SendResult(SendDone done) : done_(std::move(done)) {}
    SendResult(std::shared_ptr<TaskQueue> sender, SendDone done)
        : sender_(std::move(sender)), done_(std::move(done)) {}

    // Posts the result to the sender, once. A dispatcher that has stopped is not told; a post that
    // runs out of memory is logged. Throws only what a callback in place throws.
    void tell(const std::optional<Error>& error);
    bool isWanted() const { return static_cast<bool>(done_); }
    bool isInPlace() const { return sender_ == nullptr; }

  private:
    std::shared_ptr<TaskQueue> sender_;
    SendDone done_;
};

class PostedOutput {
  public:
    // `budget` may be null. `connection` must live until closed().
    PostedOutput(const StreamOptions& options, std::shared_ptr<MemoryBudget> budget,
                 const SelectorHandler* connection = nullptr)
        : highMark_(options.outputHighMark),
          limit_(options.outputLimit),
          budget_(std::move(budget)),
          connection_(connection) {}
    PostedOutput(const PostedOutput&) = delete;
    PostedOutput& operator=(const PostedOutput&) = delete;

    // Counts `bytes` as in flight. Errors: operation_would_block (the connection's output is above
    // its high-water mark, the memory budget pauses reads, or the bytes in flight would exceed the
    // mark; while at most half the mark is in flight one item may exceed it, up to outputLimit);
    // outputLimit (the item alone exceeds StreamOptions::outputLimit); notRegistered (the
    // connection has ended).
    Result<void> reserve(std::size_t bytes);
    void release(std::size_t bytes) noexcept;
    std::size_t inFlight() const { return inFlight_.load(std::memory_order_relaxed); }

    // Another handler may have the channel by now.
    bool isOf(const SelectorHandler& handler) const { return connection_ == &handler; }

    // Whether the connection's own output is above its high-water mark.
    void setAboveMark(bool above);
    // `told` is called once there is room again, or the connection has ended.
    void addWritable(SendResult&& told) { addTo(writable_, std::move(told)); }
    // Tells those that wait if there is room: at most half the high-water mark is in flight, or
    // nothing if an item was refused that needs all of outputLimit. True: call again later, since
    // some wait for the budget or for items in flight, whose changes are not reported.
    bool tellWritable();
    void tellWritableAnyway() { tellAll(writable_, {}); }
    // `told` is called with how the connection has ended.
    void addClosed(SendResult&& told) { addTo(closed_, std::move(told)); }
    // Makes the next add() need no memory. Throws std::bad_alloc.
    void makeRoom() {
        if (results_.size() == results_.capacity()) results_.reserve(2 * results_.size() + 1);
    }
    // The item has reached the connection: told by the next flushed() or closed(), and in flight
    // until then.
    void add(SendResult result);
    // The kernel has accepted all output. Throws what a result has thrown, after all are told; so
    // does closed().
    void flushed();
    // The connection has ended, and its pending output is lost.
    void closed(const std::optional<Error>& reason);
    // The same if the connection is being destroyed: drops the callbacks in place.
    void abandoned() noexcept;

  private:
    using Results = std::vector<SendResult>;

    bool fits(std::size_t before, std::size_t bytes) const;
    void hold(std::size_t bytes) noexcept;
    void addTo(Results& results, SendResult&& told);
    static void tellAll(Results& results, const std::optional<Error>& error);
    void tellResults(const std::optional<Error>& error);

    enum class State : std::uint8_t { belowMark, aboveMark, closed };

    const std::size_t highMark_;
    const std::size_t limit_;
    const std::shared_ptr<MemoryBudget> budget_;
    const SelectorHandler* connection_;
    std::atomic<std::size_t> inFlight_{0};
    std::atomic<State> state_{State::belowMark};
    std::atomic<bool> wantsAll_{false};  // a refused item needs all of outputLimit
    Results results_;
    Results writable_;
    Results closed_;
    std::optional<Error> reason_;  // once closed
};

// One item in flight. Destroyed before it has reached the connection, it is dropped: the connection
// or its dispatcher has ended.
//
// Thread: any, one at a time.
class PostedItem {
  public:
    explicit PostedItem(std::shared_ptr<PostedOutput> posted) : posted_(std::move(posted)) {}
    PostedItem(const PostedItem&) = delete;
    PostedItem& operator=(const PostedItem&) = delete;
    ~PostedItem();

    // Sets what the destructor releases and tells. output() has reserved `bytes`.
    void arm(std::size_t bytes, SendResult result) noexcept {
        bytes_ = bytes;
        result_ = std::move(result);
    }
    const PostedOutput& output() const { return *posted_; }
    SendResult& result() { return result_; }
    // The item was not queued: its result is not told.
    void cancel() { result_ = {}; }

  private:
    const std::shared_ptr<PostedOutput> posted_;
    std::size_t bytes_ = 0;
    SendResult result_;
};

}  // namespace nio
