// One simulated io_uring, from the kernel's side: it takes what is queued in the memory that it
// shares with the program, and puts there what has completed. The program's side is the library's
// own (lib/nio/sys/uring/Uring.cpp), unchanged; its system calls come here by RingCalls.cpp.
//
// Known: receives into provided buffers, once and again; sends; polls, once and again; cancels.
// Receives and sends are the calls of nio::kernel, so that their faults strike here, too.
//
// Thread: the one of the run.
// Lifetime: the shared memory is the program's, which unmaps it before it closes the descriptor.
#pragma once

#include <linux/io_uring.h>
#include <sys/types.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "simulation/AnyRing.h"

namespace simulation {

class Machine;

class Ring final : public AnyRing {
  public:
    struct Entries {
        std::uint32_t submissions;
        std::uint32_t completions;
    };

    Ring(Machine& machine, const Entries& entries) : machine_(machine), entries_(entries) {}
    Ring(const Ring&) = delete;
    Ring& operator=(const Ring&) = delete;

    // --- the calls: what they return, or minus an errno

    void setUp(io_uring_params& parameters) const;
    void* map(std::size_t bytes, off_t offset);
    void provide(const io_uring_buf_reg& buffers);
    long enter(std::uint32_t count, bool sleeps, std::optional<std::chrono::nanoseconds> wait,
               const std::function<void()>& asleep) override;

    // --- for the machine

    std::optional<nio::TimePoint> sleepsUntil() const override { return sleepsUntil_; }
    bool isAsleep() const override;
    bool hasSignal() const override;
    void eventSignalled(int fd) override;
    bool hasOperationOn(int fd) const override;
    void changeThread() override { isOfAnother_ = true; }

  private:
    struct Operation {
        std::uint8_t code;
        int fd;
        std::uint64_t tag;
        bool again;
        std::uint32_t events;  // of a poll
        bool wasTold = false;  // of an event's signals
    };

    long begin(std::uint32_t count);
    void issue(const io_uring_sqe& entry);
    void begin(const Operation& operation);
    void send(const io_uring_sqe& entry);
    void cancel(std::uint64_t tag);
    // Of what can be done now some is done, in any order.
    void progress();
    bool isDue(const Operation& operation) const;
    // Whether the operation is over.
    bool perform(Operation& operation);
    bool receive(const Operation& operation);
    bool poll(Operation& operation);
    std::uint32_t eventsOf(const Operation& operation) const;
    void fallAsleep(std::optional<std::chrono::nanoseconds> wait);

    bool hasCompletions() const;
    bool hasRoom() const;
    void complete(std::uint64_t tag, std::int32_t result, std::uint32_t flags = 0);
    void makeRoom();
    const io_uring_buf* nextBuffer() const;

    Machine& machine_;
    const Entries entries_;
    struct Words;
    Words* words_ = nullptr;
    io_uring_sqe* submissions_ = nullptr;
    const io_uring_buf* buffers_ = nullptr;
    std::uint16_t buffersMask_ = 0;
    std::uint16_t buffersHead_ = 0;
    std::vector<Operation> operations_;
    std::deque<io_uring_cqe> overflow_;
    std::optional<nio::TimePoint> sleepsUntil_;
    bool isOfAnother_ = false;
};

}  // namespace simulation
