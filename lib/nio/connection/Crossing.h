// What the two halves of a connection share where one runs on another dispatcher (nio::on): what
// each has sent and the other has not taken, how much that is, and how to wake the other.
//
//     socket -> stages -> front | back -> stages -> application
//
// CrossingOf has the items themselves. They count for the memory budget of the front's dispatcher
// until the other half has processed them.
//
// Each half is a connection that is registered with its dispatcher, and is visited there by a task:
// one for all that was sent until it runs.
//
// Thread: any.
// Lifetime: shared by both halves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include <nio/base/Error.h>
#include <nio/sys/SocketAddress.h>

namespace nio {

class MemoryBudget;
class SelectorThread;

class Crossing {
  public:
    enum class Half : std::uint8_t { front, back };
    // Takes what has come across, on the half's dispatcher.
    using Visit = void (*)(void* connection);

    // What the front has told, besides items, which come first.
    struct FromFront {
        bool finished = false;  // the peer's end of stream
        bool closed = false;
        std::optional<Error> reason{};
    };
    // The same of the back.
    struct FromBack {
        bool finishes = false;  // shutdownWrite()
        bool closes = false;    // closeAfterFlush()
        bool aborts = false;
        std::optional<Error> reason{};
    };

    // `highMark`: StreamOptions::crossingHighMark.
    explicit Crossing(std::size_t highMark) : highMark_(highMark) {}
    Crossing(const Crossing&) = delete;
    Crossing& operator=(const Crossing&) = delete;
    virtual ~Crossing();

    // The half is on this dispatcher from now on, until detach(). What was sent to it before does
    // not wake it.
    // Thread: that dispatcher's own; so is detach()'s. Errors: std::bad_alloc.
    void attach(Half half, SelectorThread& thread, void* connection, Visit visit);
    void detach(Half half) noexcept;
    // Visits it in a turn of its dispatcher; not if that has stopped. Needs no memory.
    void wake(Half half) noexcept;

    // --- the front --------------------------------------------------------------------------

    void open(std::shared_ptr<MemoryBudget> budget, Result<SocketAddress> peer);
    // More input than the high-water mark waits, or the memory budget pauses reads: stop reading.
    // The back wakes the front when there is room again, and this is false.
    bool mustWait();
    bool isWaiting() const;
    // The back has input to process, or has called setBusy() or pauseReading().
    bool isBackBusy() const;
    // Output that the front has and the kernel has not. Returns whether the back is to be told.
    bool setFrontPending(std::size_t bytes);
    void finish();
    // Nothing is sent to the back any more, and what it sends is lost. Only the first call counts.
    void close(std::optional<Error> reason);

    // --- the back ---------------------------------------------------------------------------

    // All output that the kernel has not accepted.
    std::size_t pendingOutput() const;
    // A callback of the back is over: `taken` bytes of input are processed, and `kept` are kept
    // because they may not be delivered now. Returns whether the front waits for that.
    bool settled(std::size_t taken, std::size_t kept, bool busy);
    // Returns whether that is news.
    bool endOutput(bool closes, const Error* reason);
    // It has ended by itself, if the front has not; or could not begin. That aborts the front, but
    // for the reason of the close that it was told already. Only the first call counts.
    void backEnded(std::optional<Error> reason);
    Result<SocketAddress> peerAddress() const;

  protected:
    // With the lock.
    bool hasBackEnded() const { return backEnded_; }
    void countInbound(std::size_t bytes);
    // Returns all pending output.
    std::size_t countOutbound(std::ptrdiff_t change);
    FromFront& fromFront() { return fromFront_; }
    FromBack& fromBack() { return fromBack_; }

    mutable std::mutex mutex_;

  private:
    class Place;

    std::shared_ptr<Place>& placeOf(Half half) { return places_[static_cast<std::size_t>(half)]; }
    void addToBudget(std::ptrdiff_t change);
    bool budgetPauses() const;

    const std::size_t highMark_;
    // All with the lock.
    std::array<std::shared_ptr<Place>, 2> places_;
    std::shared_ptr<MemoryBudget> budget_;
    std::optional<SocketAddress> peer_;
    std::size_t inbound_ = 0;  // in flight to the back, or being processed
    std::size_t keptByBack_ = 0;
    std::size_t outbound_ = 0;  // in flight to the front
    std::size_t frontPending_ = 0;
    bool isWaited_ = false;  // the front waits for room
    bool isBackBusy_ = false;
    bool backEnded_ = false;
    FromFront fromFront_;
    FromBack fromBack_;
};

}  // namespace nio
