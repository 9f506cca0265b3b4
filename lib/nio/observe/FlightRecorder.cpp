#include <nio/observe/FlightRecorder.h>

#include <algorithm>
#include <bit>

namespace nio {

namespace {

// The watchdog reads the newest while the next one is written.
constexpr std::size_t least = 2;

std::size_t rounded(std::size_t records) {
    return std::bit_ceil(std::max(records, least));
}

}  // namespace

FlightRecorder::FlightRecorder(std::size_t records, const IoCounters& io)
    : ring_(records == 0 ? nullptr : std::make_unique<Words[]>(rounded(records))),
      mask_(rounded(records) - 1),
      io_(io) {}

FlightRecorder::Inside::Inside(FlightRecorder& recorder, const Callee& callee, const char* callback)
    : recorder_(recorder), outer_(recorder.at(recorder.count_)) {
    recorder.begins(callee, callback, recorder.clock_.now());
}

FlightRecorder::Record FlightRecorder::at(std::uint64_t number) const {
    if (ring_ == nullptr || number == 0) return {};
    const Words& words = ring_[placeOf(number)];
    Record record;
    record.number = number;
    record.began = words.began.load(std::memory_order_acquire);
    record.what = words.what.load(std::memory_order_acquire);
    const std::uint64_t detail = words.detail.load(std::memory_order_acquire);
    record.detail = detail & ~again;
    record.goesOn = (detail & again) != 0;
    const std::uint64_t place = words.place.load(std::memory_order_acquire);
    const std::uint64_t bytes = words.bytes.load(std::memory_order_acquire);
    record.slot = static_cast<std::uint32_t>(place >> 32);
    record.descriptor = static_cast<int>(static_cast<std::uint32_t>(place));
    record.bytesIn = static_cast<std::uint32_t>(bytes >> 32);
    record.bytesOut = static_cast<std::uint32_t>(bytes);
    return record;
}

// Of the ring's records the oldest may be being written over.
std::optional<FlightRecorder::Record> FlightRecorder::find(std::uint64_t number) const {
    if (number == 0 || ring_ == nullptr || number > look().number) return std::nullopt;
    const Record record = at(number);
    const std::uint64_t newest = look().number;
    if (newest - number >= mask_) return std::nullopt;
    return record;
}

}  // namespace nio
