// The dispatcher that the access log's file belongs to. The first record of a turn posts the write
// behind what is queued by then: one write for all of it.
//
// Thread: any.
// Lifetime, limit and errors: see RecordLog.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include <nio/loop/SelectorThread.h>
#include <nio/sys/LogLimiter.h>

#include "sms_router/records/LineFile.h"
#include "sms_router/records/RecordLog.h"

namespace router {

class RecordWriter {
  public:
    // Bytes that are written even if more records are queued.
    static constexpr std::size_t maxBuffer = 256 * 1024;

    RecordWriter(const RecordsConfig& config, RecordLog::GivingUp onGivingUp,
                 std::size_t maxQueued);
    ~RecordWriter();

    void write(MessageRecord record);
    void reopen();
    void maskAddresses(bool mask) { maskAddresses_.store(mask, std::memory_order_relaxed); }
    std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }
    std::uint64_t failed() const { return failed_.load(std::memory_order_relaxed); }
    bool isFailing() const { return isFailing_.load(std::memory_order_acquire); }

  private:
    void addNow(const MessageRecord& record) NIO_REQUIRES(nio::onDispatcher);
    void postFlushNow() NIO_REQUIRES(nio::onDispatcher);
    void flushNow() NIO_REQUIRES(nio::onDispatcher);
    std::uint64_t addDroppedNow() NIO_REQUIRES(nio::onDispatcher);
    void reopenNow() NIO_REQUIRES(nio::onDispatcher);
    void complainNow(const std::string& what) NIO_REQUIRES(nio::onDispatcher);

    std::atomic<bool> maskAddresses_;
    std::atomic<std::uint64_t> dropped_{0};
    std::atomic<std::uint64_t> failed_{0};
    std::atomic<bool> isFailing_{false};

    LineFile file_ NIO_GUARDED_BY(nio::onDispatcher);
    std::string buffer_ NIO_GUARDED_BY(nio::onDispatcher);
    bool flushPosted_ NIO_GUARDED_BY(nio::onDispatcher) = false;
    std::uint64_t droppedTold_ NIO_GUARDED_BY(nio::onDispatcher) = 0;
    nio::LogLimiter complaints_ NIO_GUARDED_BY(nio::onDispatcher){std::chrono::minutes(1)};

    nio::SelectorThread thread_;  // last: it ends first
};

}  // namespace router
