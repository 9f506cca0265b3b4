// What a dispatcher did last: a ring of records, one per callback, turn and batch of tasks. The
// newest says what it does now; the watchdog reads that.
//
// A record is five words, written with relaxed and release stores (plain stores on x86-64). Any
// thread may read them, also in a signal handler; a reader skips records that are being
// overwritten.
//
// Thread: the dispatcher's own; const functions any.
// Lifetime: names and types must live as long as the program; only pointers are stored.
// Limit: as many records as it is made with (SelectorThreadOptions::flightRecords).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <typeinfo>

#include <nio/base/Published.h>
#include <nio/channel/ChannelIo.h>
#include <nio/observe/CloseReason.h>
#include <nio/sys/Ticks.h>

namespace nio {

class FlightRecorder {
  public:
    // Values of `what` beside the callbacks of handlers, and what `slot` and `detail` hold for
    // them.
    static constexpr const char turnBegins[] = "turn";  // events found, number of the turn
    static constexpr const char inTask[] = "tasks";     // tasks that wait, tasks run before
    static constexpr const char inDeadline[] = "expire";
    static constexpr const char inBurial[] = "bury";
    static constexpr const char connectionEnds[] = "ended";  // CloseReason, code of the error

    struct Record {
        std::uint64_t number = 0;  // from 1 on; 0: nothing has happened yet
        kernel::Ticks began = 0;
        const char* what = nullptr;
        std::uint64_t detail = 0;  // of a handler's callback: its std::type_info, if it has one
        std::uint32_t slot = 0;
        int descriptor = -1;
        bool goesOn = false;  // resumed after a nested record; it began earlier
        // Bytes that the dispatcher had received, and handed over for sending, before that: the
        // lower 32 bits. Both only grow, so differences below 4 GiB are right.
        std::uint32_t bytesIn = 0;
        std::uint32_t bytesOut = 0;

        bool isCallback() const { return descriptor >= 0; }
        // Null: the handler was compiled without RTTI.
        const std::type_info* handler() const {
            return reinterpret_cast<const std::type_info*>(detail);
        }
    };

    // Rounded up to a power of two. 0: nothing is recorded. `io` must outlive it.
    FlightRecorder(std::size_t records, const IoCounters& io);

    // --- the dispatcher's own ---------------------------------------------------------------

    // A handler that is called.
    struct Callee {
        std::uint32_t slot;
        int descriptor;
        const std::type_info* type;
    };
    void begins(const Callee& callee, const char* callback, kernel::Ticks now) {
        add(callback, reinterpret_cast<std::uint64_t>(callee.type), callee.slot, callee.descriptor,
            now);
    }
    void begins(const char* what, std::uint32_t slot, std::uint64_t detail, kernel::Ticks now) {
        add(what, detail, slot, none, now);
    }
    void turns(std::size_t events, kernel::Ticks now) {
        add(turnBegins, ++turns_, static_cast<std::uint32_t>(events), none, now);
    }
    void tasksBegin(std::size_t waiting, kernel::Ticks now) {
        add(inTask, tasks_.read(), static_cast<std::uint32_t>(waiting), none, now);
    }
    void taskBegins() { tasks_.add(1); }
    // A connection has ended: an event without duration, after which what runs goes on.
    void ends(std::uint32_t slot, CloseReason reason, int code) {
        const Record running = at(count_);
        add(connectionEnds,
            pair(static_cast<std::uint32_t>(reason), static_cast<std::uint32_t>(code)), slot, none,
            clock_.now());
        goOnWith(running);
    }
    // The dispatcher waits for events: nothing runs until the next record.
    void selects() { newest_.store(count_ << 1 | 1, std::memory_order_relaxed); }

    // A nested call. Afterwards what ran before is recorded as going on.
    class Inside {
      public:
        Inside(FlightRecorder& recorder, const Callee& callee, const char* callback);
        Inside(const Inside&) = delete;
        Inside& operator=(const Inside&) = delete;
        ~Inside() { recorder_.goOnWith(outer_); }

      private:
        FlightRecorder& recorder_;
        const Record outer_;
    };

    // --- any thread -------------------------------------------------------------------------

    struct Look {
        bool selects = false;      // nothing runs
        std::uint64_t number = 0;  // of the newest record
        std::uint64_t tasks = 0;   // begun so far: tells the tasks of a batch apart
    };
    Look look() const {
        const std::uint64_t newest = newest_.load(std::memory_order_acquire);
        return {(newest & 1) != 0, newest >> 1, tasks_.read()};
    }
    // Absent: never written, or written over by now.
    std::optional<Record> find(std::uint64_t number) const;
    std::size_t capacity() const {
        return ring_ == nullptr ? 0 : static_cast<std::size_t>(mask_ + 1);
    }
    const IoCounters& io() const { return io_; }
    const kernel::TickClock& clock() const { return clock_; }

  private:
    static constexpr int none = -1;
    // The bit of `detail` for goesOn; no address and no number uses it.
    static constexpr std::uint64_t again = std::uint64_t{1} << 63;

    struct Words {
        std::atomic<kernel::Ticks> began{0};
        std::atomic<const char*> what{nullptr};
        std::atomic<std::uint64_t> detail{0};
        std::atomic<std::uint64_t> place{0};
        std::atomic<std::uint64_t> bytes{0};
    };

    std::size_t placeOf(std::uint64_t number) const {
        return static_cast<std::size_t>(number & mask_);
    }
    // Each word is stored with release after the previous newest_: a reader that sees a word of
    // this record also sees a newest_ that rules out the record which was here.
    void add(const char* what, std::uint64_t detail, std::uint32_t slot, int descriptor,
             kernel::Ticks began) {
        if (ring_ == nullptr) return;
        const std::uint64_t number = ++count_;
        Words& words = ring_[placeOf(number)];
        words.began.store(began, std::memory_order_release);
        words.what.store(what, std::memory_order_release);
        words.detail.store(detail, std::memory_order_release);
        words.place.store(pair(slot, static_cast<std::uint32_t>(descriptor)),
                          std::memory_order_release);
        words.bytes.store(pair(static_cast<std::uint32_t>(io_.bytesIn.read()),
                               static_cast<std::uint32_t>(io_.bytesHandedOver.read())),
                          std::memory_order_release);
        newest_.store(number << 1, std::memory_order_release);
    }
    static std::uint64_t pair(std::uint32_t high, std::uint32_t low) {
        return std::uint64_t{high} << 32 | low;
    }
    void goOnWith(const Record& outer) {
        if (outer.number == 0) return;
        add(outer.what, outer.detail | again, outer.slot, outer.descriptor, outer.began);
    }
    Record at(std::uint64_t number) const;

    const std::unique_ptr<Words[]> ring_;
    const std::uint64_t mask_;
    const IoCounters& io_;
    const kernel::TickClock clock_ = kernel::TickClock::best();
    std::uint64_t count_ = 0;
    std::uint64_t turns_ = 0;
    std::atomic<std::uint64_t> newest_{0};  // count_, and whether it selects, in the lowest bit
    Published<std::uint64_t> tasks_;
};

}  // namespace nio
