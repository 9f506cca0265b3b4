#include "sms_router/records/RecordWriter.h"

#include <memory>
#include <system_error>

#include <nio/base/Log.h>

#include "sms_router/records/RecordLine.h"

namespace router {

namespace {

nio::SelectorThreadOptions optionsFor(std::size_t maxQueued, RecordLog::GivingUp onGivingUp) {
    nio::SelectorThreadOptions options = nio::SelectorThreadOptions::forBlocking("records");
    options.onGivingUp = std::move(onGivingUp);
    options.maxQueuedTasks = maxQueued;
    return options;
}

}  // namespace

RecordWriter::RecordWriter(const RecordsConfig& config, RecordLog::GivingUp onGivingUp,
                           std::size_t maxQueued)
    : maskAddresses_(config.maskAddresses),
      file_(config.path),
      thread_(optionsFor(maxQueued, std::move(onGivingUp))) {
    thread_.start();
}

// What is posted last runs last: nobody calls write() any more.
RecordWriter::~RecordWriter() {
    nio::DrainOptions untilWritten;
    untilWritten.deadline = std::chrono::hours(24);
    auto flush = [this] {
        nio::onDispatcher.assertCurrent();
        flushNow();
    };
    (void)thread_.queue()->push(flush, nio::TaskQueue::Post::exempt).ok();
    thread_.requestClose(untilWritten);
    thread_.join();
}

void RecordWriter::write(MessageRecord record) {
    // Made before the queue is locked.
    auto task = [this, record = std::make_unique<MessageRecord>(std::move(record))] {
        nio::onDispatcher.assertCurrent();
        addNow(*record);
    };
    if (!thread_.invokeLater(std::move(task))) dropped_.fetch_add(1, std::memory_order_relaxed);
}

void RecordWriter::reopen() {
    auto task = [this] {
        nio::onDispatcher.assertCurrent();
        reopenNow();
    };
    (void)thread_.queue()->push(task, nio::TaskQueue::Post::exempt).ok();
}

void RecordWriter::addNow(const MessageRecord& record) {
    appendRecordLine(buffer_, record, maskAddresses_.load(std::memory_order_relaxed));
    if (buffer_.size() >= maxBuffer)
        flushNow();
    else if (!flushPosted_)
        postFlushNow();
}

void RecordWriter::postFlushNow() {
    auto task = [this] {
        nio::onDispatcher.assertCurrent();
        flushPosted_ = false;
        flushNow();
    };
    flushPosted_ = thread_.queue()->push(task, nio::TaskQueue::Post::exempt).ok();
    if (!flushPosted_) flushNow();
}

void RecordWriter::flushNow() {
    const std::uint64_t missing = addDroppedNow();
    if (buffer_.empty()) return;
    const LineFile::Written written = file_.write(buffer_);
    buffer_.clear();
    if (!written.error) {
        droppedTold_ += missing;
        isFailing_.store(false, std::memory_order_relaxed);
        return;
    }
    // The line about those that were dropped was the last one.
    const std::size_t lost = written.linesLost - (missing > 0 ? 1 : 0);
    failed_.fetch_add(lost, std::memory_order_relaxed);
    // Whoever sees the alarm sees what it is about.
    isFailing_.store(true, std::memory_order_release);
    complainNow(written.error.message() + ", " + std::to_string(lost) + " records lost");
}

// How many the line that it adds, if any, is about.
std::uint64_t RecordWriter::addDroppedNow() {
    const std::uint64_t missing = dropped() - droppedTold_;
    if (missing == 0) return 0;
    appendDroppedLine(buffer_, std::chrono::system_clock::now(), missing);
    complainNow(std::to_string(missing) + " records dropped: the disk is too slow");
    return missing;
}

void RecordWriter::reopenNow() {
    flushNow();
    try {
        file_.reopen();
    } catch (const std::system_error& error) {
        complainNow(error.code().message() + ", the old file stays in use");
    }
}

void RecordWriter::complainNow(const std::string& what) {
    if (const auto more = complaints_.admit(nio::Clock::now())) {
        nio::log(nio::LogLevel::error, "records " + file_.path() + ": " + what + *more);
    }
}

}  // namespace router
