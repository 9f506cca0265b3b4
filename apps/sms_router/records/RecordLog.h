// The access log: one JSON line per message outcome, written by a dispatcher of its own without
// sockets, so that a slow disk never holds up a dispatcher with connections.
//
// Thread: any.
// Lifetime: the destructor writes what is queued.
// Limit: `maxQueued` records that wait; more are dropped, counted, and said in a line of this log
// when there is room again, see RecordLine.h.
// Errors: the constructor throws std::system_error (the file cannot be opened). A write that fails
// is logged, once a minute at most, and its records are counted; the next one is tried as usual.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include <nio/base/Error.h>

#include "sms_router/config/RouterConfig.h"
#include "sms_router/model/MessageRecord.h"

namespace router {

class RecordLog {
  public:
    // Of its dispatcher, as SelectorThreadOptions has it.
    using GivingUp = std::function<void(const nio::Error&)>;
    explicit RecordLog(const RecordsConfig& config, GivingUp onGivingUp = {},
                       std::size_t maxQueued = 100'000);
    ~RecordLog();

    // False without a path: nothing is written then.
    bool isOn() const;
    void write(MessageRecord record);
    // Opens the file anew under its name, after whoever rotates has renamed it (SIGUSR1). What was
    // written before goes to the old one; that also stays in use if the new one cannot be opened.
    void reopen();
    // From now on, also of those that wait.
    void maskAddresses(bool mask);
    // Records that there was no room for, and those whose write failed.
    std::uint64_t dropped() const;
    std::uint64_t failed() const;
    // The last write was not possible.
    bool isFailing() const;

  private:
    class Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace router
