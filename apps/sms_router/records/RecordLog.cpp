#include "sms_router/records/RecordLog.h"

#include "sms_router/records/RecordWriter.h"

namespace router {

class RecordLog::Impl {
  public:
    Impl(const RecordsConfig& config, GivingUp onGivingUp, std::size_t maxQueued)
        : writer(config, std::move(onGivingUp), maxQueued) {}

    RecordWriter writer;
};

RecordLog::RecordLog(const RecordsConfig& config, GivingUp onGivingUp, std::size_t maxQueued) {
    if (config.path.empty()) return;
    impl_ = std::make_unique<Impl>(config, std::move(onGivingUp), maxQueued);
}

RecordLog::~RecordLog() = default;

bool RecordLog::isOn() const {
    return impl_ != nullptr;
}

void RecordLog::write(MessageRecord record) {
    if (impl_) impl_->writer.write(std::move(record));
}

void RecordLog::reopen() {
    if (impl_) impl_->writer.reopen();
}

void RecordLog::maskAddresses(bool mask) {
    if (impl_) impl_->writer.maskAddresses(mask);
}

std::uint64_t RecordLog::dropped() const {
    return impl_ ? impl_->writer.dropped() : 0;
}

std::uint64_t RecordLog::failed() const {
    return impl_ ? impl_->writer.failed() : 0;
}

bool RecordLog::isFailing() const {
    return impl_ && impl_->writer.isFailing();
}

}  // namespace router
