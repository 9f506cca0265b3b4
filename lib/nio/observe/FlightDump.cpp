#include <nio/observe/FlightDump.h>

#include <algorithm>
#include <array>
#include <thread>

#include <nio/base/TypeName.h>
#include <nio/observe/CloseReason.h>
#include <nio/observe/FlightLines.h>
#include <nio/sys/LogLimiter.h>
#include <nio/sys/Process.h>
#include <nio/sys/Signals.h>
#include <nio/sys/UniqueFd.h>

namespace nio {

namespace {

using Record = FlightRecorder::Record;

// Those who write, and those who are written about: a Member goes when nobody can see it.
std::atomic<int> writers{0};
std::array<std::atomic<const FlightDump::Member*>, FlightDump::mostDispatchers> members{};

// Set once, before anything is started.
std::array<char, 4096> path{};
std::atomic<bool> onStall{false};

void writeDetails(FlightLines& lines, const Record& record) {
    if (record.isCallback()) {
        const std::type_info* const type = record.handler();
        lines << " slot " << record.slot << " fd ";
        const bool isReal = record.descriptor != UniqueFd::unreal;
        isReal ? lines << record.descriptor : lines << "nio::on";
        lines << " handler " << (type == nullptr ? withoutName : type->name());
    } else if (record.what == FlightRecorder::turnBegins) {
        lines << " number " << record.detail << " events " << record.slot;
    } else if (record.what == FlightRecorder::inTask) {
        lines << " waiting " << record.slot << " before " << record.detail;
    } else if (record.what == FlightRecorder::connectionEnds) {
        lines << " slot " << record.slot << " reason "
              << toString(static_cast<CloseReason>(record.detail >> 32)) << " code "
              << static_cast<std::uint32_t>(record.detail);
    }
}

// What was moved between two records was moved by what the first one says.
void writeRecord(FlightLines& lines, const Record& record, std::int64_t nanoseconds,
                 std::uint32_t inAfter, std::uint32_t outAfter) {
    lines << record.number << ' ' << nanoseconds << ' ' << record.what;
    if (record.goesOn) lines << " again";
    writeDetails(lines, record);
    lines << " in " << inAfter - record.bytesIn << " out " << outAfter - record.bytesOut << '\n';
}

void signalled(int) {
    FlightDump::write("signal");
}
void crashed(int) {
    FlightDump::write("crash");
}

}  // namespace

void FlightDump::install(const Options& options) {
    path[options.file.copy(path.data(), path.size() - 1)] = 0;
    onStall = options.onStall;
    if (options.onCrash) {
        kernel::onCrash(crashed);
        [[maybe_unused]] static const auto& ofThisThread = *new kernel::CrashStack;
    }
    if (options.signal != 0) kernel::onSignal(options.signal, signalled);
}

void FlightDump::stalled() {
    static LogLimiter limit{std::chrono::minutes(1)};
    if (onStall && limit.admit(Clock::now())) write("stall");
}

void FlightDump::write(const char* why) noexcept {
    constexpr int standardError = 2;
    const int fd = path[0] == 0 ? -1 : kernel::openToAppend(path.data());
    writeTo(fd < 0 ? standardError : fd, why);
    if (fd >= 0) kernel::closeWritten(fd);
}

void FlightDump::writeTo(int fd, const char* why) noexcept {
    ++writers;
    FlightLines lines(fd);
    lines << "nio-flight 1 " << why << " process " << kernel::processId() << '\n';
    for (const auto& place : members) {
        if (const Member* member = place.load()) member->write(lines);
    }
    lines << "nio-flight end\n";
    lines.flush();
    --writers;
}

FlightDump::Member::Member(const FlightRecorder& recorder, const std::string& dispatcher)
    : recorder_(recorder), dispatcher_(dispatcher) {
    if (recorder.capacity() == 0) return;
    for (auto& place : members) {
        const Member* nobody = nullptr;
        if (!place.compare_exchange_strong(nobody, this)) continue;
        place_ = &place;
        return;
    }
}

FlightDump::Member::~Member() {
    if (place_ == nullptr) return;
    place_->store(nullptr);
    while (writers.load() > 0) std::this_thread::yield();
}

void FlightDump::Member::write(FlightLines& lines) const noexcept {
    const FlightRecorder::Look now = recorder_.look();
    lines << "dispatcher " << dispatcher_ << (now.selects ? " selects" : " works") << " tasks "
          << now.tasks << '\n';
    const std::uint64_t size = recorder_.capacity();
    std::optional<Record> last;
    std::optional<kernel::Ticks> first;
    const auto time = [&](const Record& record) {
        return recorder_.clock().signedNanoseconds(record.began - first.value_or(record.began));
    };
    for (std::uint64_t number = now.number < size ? 1 : now.number - size + 1; number <= now.number;
         ++number) {
        const std::optional<Record> record = recorder_.find(number);
        if (!record) continue;
        if (last) writeRecord(lines, *last, time(*last), record->bytesIn, record->bytesOut);
        if (!first) first = record->began;
        last = record;
    }
    if (!last) return;
    const IoCounters& io = recorder_.io();
    Record end = *last;
    end.bytesIn = static_cast<std::uint32_t>(io.bytesIn.read());
    end.bytesOut = static_cast<std::uint32_t>(io.bytesHandedOver.read());
    // It may have gone on meanwhile.
    if (recorder_.look().number != last->number) {
        const std::optional<Record> next = recorder_.find(last->number + 1);
        if (!next) return;
        end = *next;
    }
    writeRecord(lines, *last, time(*last), end.bytesIn, end.bytesOut);
}

}  // namespace nio
