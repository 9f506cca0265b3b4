// The state shared by the two halves of a connection that nio::on divides between two dispatchers:
// the events in flight between them, the size of the items in flight, and how to wake either half.
//
//     socket -> stages -> front | back -> stages -> application
//
// CrossingOf holds the items themselves. They count for the memory budget of the front's dispatcher
// until the other half has processed them.
//
// Each half is a connection registered with its own dispatcher. A task visits it there: one for
// everything sent before the task runs.
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

    // Events from the front. The items sent before come first.
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

    // The half is on this dispatcher until detach(). What was sent to it before does not wake it.
    // Thread: that dispatcher's own; so is detach()'s. Errors: std::bad_alloc.
    void attach(Half half, SelectorThread& thread, void* connection, Visit visit);
    void detach(Half half) noexcept;
    // Visits the half in a turn of its dispatcher, unless that has stopped. Needs no memory.
    void wake(Half half) noexcept;

    // --- the front --------------------------------------------------------------------------

    void open(std::shared_ptr<MemoryBudget> budget, Result<SocketAddress> peer);
    // More input than the high-water mark waits, or the memory budget pauses reads: stop reading.
    // The back wakes the front when there is room again, and this is false.
    bool mustWait();
    bool isWaiting() const;
    // The back has input to process or output in flight, or has called setBusy() or pauseReading().
    bool isBackBusy() const;
    // Sets how much output of the front the kernel has not accepted. Returns whether to wake the
    // back.
    bool setFrontPending(std::size_t bytes);
    void finish();
    // Nothing is sent to the back any more, and what it sends is lost. Only the first call counts.
    void close(std::optional<Error> reason);

    // --- the back ---------------------------------------------------------------------------

    // All output that the kernel has not accepted.
    std::size_t pendingOutput() const;
    // After a callback of the back: `taken` bytes of input have been processed, `kept` bytes must
    // wait for delivery. Returns whether to wake the front, which waits for room.
    bool settled(std::size_t taken, std::size_t kept, bool busy);
    // Tells the front that the back's output ends (shutdownWrite()) or, if `closes`, that it
    // closes. False: it was told before.
    bool endOutput(bool closes, const Error* reason);
    // The back has ended, or could not begin. Unless the front has closed first, a reason other
    // than that of the back's own close aborts the front. Only the first call counts.
    void backEnded(std::optional<Error> reason);
    Result<SocketAddress> peerAddress() const;

  protected:
    // These require mutex_.
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
    // All guarded by mutex_.
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
