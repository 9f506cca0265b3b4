// What other threads have sent to one connection (ItemHandle::send) and has not reached it: it
// counts against the high-water mark and the memory budget from the moment it is queued. And who
// is to be told: how each item ended, when there is room again, when the connection has ended.
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
// Thread: any; a value. One of the connection's own dispatcher: that.
class SendResult {
  public:
    SendResult() = default;
    // Of the connection's own dispatcher, whichever that is then: called in place.
    explicit SendResult(SendDone done) : done_(std::move(done)) {}
    SendResult(std::shared_ptr<TaskQueue> sender, SendDone done)
        : sender_(std::move(sender)), done_(std::move(done)) {}

    // Posts it to the sender, once. A dispatcher that has stopped is not told; if there is no
    // memory for the post, that is logged. Throws only what one that is called in place throws.
    void tell(const std::optional<Error>& error);
    bool isWanted() const { return static_cast<bool>(done_); }
    bool isInPlace() const { return sender_ == nullptr; }

  private:
    std::shared_ptr<TaskQueue> sender_;
    SendDone done_;
};

class PostedOutput {
  public:
    // `budget` may be null. `connection` until closed().
    PostedOutput(const StreamOptions& options, std::shared_ptr<MemoryBudget> budget,
                 const SelectorHandler* connection = nullptr)
        : highMark_(options.outputHighMark),
          limit_(options.outputLimit),
          budget_(std::move(budget)),
          connection_(connection) {}
    PostedOutput(const PostedOutput&) = delete;
    PostedOutput& operator=(const PostedOutput&) = delete;

    // operation_would_block: the connection's output is above its high-water mark, or this would
    // lift what is in flight above it, or the memory budget pauses reads; but one item may lift it
    // up to outputLimit while it is at most half the mark. outputLimit: it is larger than
    // StreamOptions::outputLimit. notRegistered: the connection has ended.
    Result<void> reserve(std::size_t bytes);
    void release(std::size_t bytes) noexcept;
    std::size_t inFlight() const { return inFlight_.load(std::memory_order_relaxed); }

    // Another handler may have the channel by now.
    bool isOf(const SelectorHandler& handler) const { return connection_ == &handler; }

    // Whether the connection's own output is above its high-water mark.
    void setAboveMark(bool above);
    // Told when an item would be taken that is refused now, and once the connection has ended.
    void addWritable(SendResult&& told) { addTo(writable_, std::move(told)); }
    // Tells them if there is room: what is in flight is at most half the high-water mark, or
    // nothing if an item was refused that needs all of outputLimit. True: some wait for what nobody
    // tells this object: the budget, or items still in flight.
    bool tellWritable();
    void tellWritableAnyway() { tellAll(writable_, {}); }
    // Told how the connection has ended.
    void addClosed(SendResult&& told) { addTo(closed_, std::move(told)); }
    // Throws std::bad_alloc; the next add() then needs no memory.
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
    // The same where the connection is gone: nothing is called in place.
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
    std::atomic<bool> wantsAll_{false};  // one was refused that half the mark is too much for
    Results results_;
    Results writable_;
    Results closed_;
    std::optional<Error> reason_;  // once closed
};

// One item in flight. If it is destroyed before it has reached the connection, it is dropped: the
// connection has ended, or its dispatcher.
//
// Thread: any, one at a time.
class PostedItem {
  public:
    explicit PostedItem(std::shared_ptr<PostedOutput> posted) : posted_(std::move(posted)) {}
    PostedItem(const PostedItem&) = delete;
    PostedItem& operator=(const PostedItem&) = delete;
    ~PostedItem();

    // What it releases and tells from now on. `output()` has reserved so many bytes.
    void arm(std::size_t bytes, SendResult result) noexcept {
        bytes_ = bytes;
        result_ = std::move(result);
    }
    const PostedOutput& output() const { return *posted_; }
    SendResult& result() { return result_; }
    // It was not queued: no result is told.
    void cancel() { result_ = {}; }

  private:
    const std::shared_ptr<PostedOutput> posted_;
    std::size_t bytes_ = 0;
    SendResult result_;
};

}  // namespace nio
