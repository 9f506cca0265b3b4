// Packets that other threads have sent to one connection (PacketHandle::send) and that have not
// reached it: they count against its high-water mark and the memory budget from the moment they are
// queued, and each one's end is told.
//
// Allocated with the connection's first handle.
//
// Thread: reserve() and release() any; the rest the dispatcher's own.
// Lifetime: shared by the connection, its handles and the packets in flight.
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
class TaskQueue;

// How a send ended. No error: the kernel has accepted the packet. Else it was dropped.
using SendDone = UniqueFunction<void(const std::optional<Error>&)>;

// A SendDone and the dispatcher that runs it.
//
// Thread: any; a value.
class SendResult {
  public:
    SendResult() = default;
    SendResult(std::shared_ptr<TaskQueue> sender, SendDone done)
        : sender_(std::move(sender)), done_(std::move(done)) {}

    // Posts it to the sender, once. A dispatcher that has stopped is not told; if there is no
    // memory for the post, that is logged.
    void tell(const std::optional<Error>& error) noexcept;
    bool isWanted() const { return static_cast<bool>(done_); }

  private:
    std::shared_ptr<TaskQueue> sender_;
    SendDone done_;
};

class PostedOutput {
  public:
    // `budget` may be null.
    PostedOutput(const StreamOptions& options, std::shared_ptr<MemoryBudget> budget)
        : highMark_(options.outputHighMark),
          limit_(options.outputLimit),
          budget_(std::move(budget)) {}
    PostedOutput(const PostedOutput&) = delete;
    PostedOutput& operator=(const PostedOutput&) = delete;

    // operation_would_block: the connection's output is above its high-water mark, or this would
    // lift what is in flight above it, or the memory budget pauses reads; a single packet may be in
    // flight whatever its size. outputLimit: it is larger than StreamOptions::outputLimit.
    // notRegistered: the connection has ended.
    Result<void> reserve(std::size_t bytes);
    void release(std::size_t bytes) noexcept;
    std::size_t inFlight() const { return inFlight_.load(std::memory_order_relaxed); }

    // Whether the connection's own output is above its high-water mark.
    void setAboveMark(bool above);
    // Throws std::bad_alloc; the next add() then needs no memory.
    void makeRoom() {
        if (results_.size() == results_.capacity()) results_.reserve(2 * results_.size() + 1);
    }
    // The packet has reached the connection: told by the next flushed() or closed(), and in flight
    // until then.
    void add(SendResult result);
    // The kernel has accepted all output.
    void flushed() noexcept;
    // The connection has ended, and its pending output is lost.
    void closed(const Error& reason) noexcept;

  private:
    void hold(std::size_t bytes) noexcept;
    void tellAll(const std::optional<Error>& error) noexcept;

    enum class State : std::uint8_t { belowMark, aboveMark, closed };

    const std::size_t highMark_;
    const std::size_t limit_;
    const std::shared_ptr<MemoryBudget> budget_;
    std::atomic<std::size_t> inFlight_{0};
    std::atomic<State> state_{State::belowMark};
    std::vector<SendResult> results_;
    std::optional<Error> reason_;  // once closed
};

// One packet in flight. If it is destroyed before it has reached the connection, it is dropped: the
// connection has ended, or its dispatcher.
//
// Thread: any, one at a time.
class PostedPacket {
  public:
    // `posted` has reserved memoryOf(packet).
    PostedPacket(std::shared_ptr<PostedOutput> posted, ByteView packet, SendResult result)
        : posted_(std::move(posted)),
          packet_(packet.begin(), packet.end()),
          result_(std::move(result)) {}
    PostedPacket(const PostedPacket&) = delete;
    PostedPacket& operator=(const PostedPacket&) = delete;
    ~PostedPacket();

    static std::size_t memoryOf(ByteView packet) { return sizeof(PostedPacket) + packet.size(); }

    bool isFor(const PostedOutput& output) const { return posted_.get() == &output; }
    ByteView bytes() const { return packet_; }
    SendResult& result() { return result_; }
    // It was not queued: no result is told.
    void cancel() { result_ = {}; }

  private:
    const std::shared_ptr<PostedOutput> posted_;
    const Bytes packet_;
    SendResult result_;
};

}  // namespace nio
