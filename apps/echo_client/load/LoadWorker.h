// One dispatcher's share of a load, here or on another machine, as the one who directs the load
// sees it.
//
// It goes through connecting, idle (all connections are there), sending, stopping (what is under
// way is awaited; who has all answers finishes) and closing.
//
// Thread: any, all calls: they are posted.
// Lifetime: longer than what it posts to.
#pragma once

#include <memory>
#include <string>

#include <nio/sys/Clock.h>

#include "echo_client/figures/LoadFigures.h"

namespace load {

// When to send, and what of it is measured: [from, to).
struct LoadSchedule {
    nio::TimePoint begin{};
    nio::TimePoint from{};
    nio::TimePoint to{};
};

// Told on a thread of the worker's choice.
class LoadWorkerListener {
  public:
    virtual ~LoadWorkerListener() = default;
    // All its connections are there, or failed.
    virtual void workerConnected(std::size_t worker, std::size_t made) = 0;
    // The answer to each report(), and unasked when it has connected and once at the end.
    virtual void workerReported(std::size_t worker, std::unique_ptr<LoadFigures> figures) = 0;
    // Its last connection is closed, or it is out of reach. Once; nothing comes after it.
    virtual void workerFinished(std::size_t worker) = 0;
};

class LoadWorker {
  public:
    virtual ~LoadWorker() = default;
    virtual void connect() = 0;
    virtual void send(const LoadSchedule& schedule) = 0;
    virtual void report() = 0;
    virtual void stop() = 0;
    // What is not answered by now is an error.
    virtual void giveUp() = 0;

    // "load-1"; of an agent: "HOST:PORT load-1".
    virtual std::string name() const = 0;
    // "epoll"
    virtual std::string selector() const = 0;
};

}  // namespace load
