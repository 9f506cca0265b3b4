#include "common/metrics/MetricsFamilies.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>

#include <nio/version.h>

namespace apps {

namespace {

using Metrics = nio::DispatcherMetrics;
using Dispatchers = std::span<const Metrics>;
using Buckets = std::vector<MetricsText::Bucket>;

double seconds(std::chrono::nanoseconds time) {
    return std::chrono::duration<double>(time).count();
}

// Buckets below the first are added to it, those above the last make the infinite one.
template <class Bound>
Buckets bucketsOf(const nio::Histogram& histogram, std::size_t first, std::size_t last,
                  Bound bound) {
    Buckets buckets;
    for (std::size_t i = first; i <= last; ++i) buckets.push_back({bound(i), 0});
    buckets.push_back({std::numeric_limits<double>::infinity(), 0});
    for (std::size_t i = 0; i < nio::Histogram::buckets; ++i) {
        const std::size_t place = i < first ? 0 : std::min(i - first, buckets.size() - 1);
        buckets[place].count += histogram.counts[i];
    }
    return buckets;
}

// A quarter of a microsecond to a minute.
Buckets timesOf(const nio::Histogram& nanoseconds) {
    return bucketsOf(nanoseconds, 8, 36,
                     [](std::size_t i) { return nio::Histogram::upperBoundOf(i) / 1e9; });
}

// Whole numbers: less than a power of two is at most one less.
Buckets numbersOf(const nio::Histogram& numbers) {
    return bucketsOf(numbers, 0, 10,
                     [](std::size_t i) { return nio::Histogram::upperBoundOf(i) - 1; });
}

class Families {
  public:
    Families(MetricsText& text, Dispatchers dispatchers) : text_(text), all_(dispatchers) {}

    template <class Value>
    void counter(const char* name, const char* help, Value value) {
        text_.counter(name, help);
        each(value);
    }
    template <class Value>
    void gauge(const char* name, const char* help, Value value) {
        text_.gauge(name, help);
        each(value);
    }
    template <class Value, class Sum>
    void histogram(const char* name, const char* help, Value buckets, Sum sum) {
        text_.histogram(name, help);
        for (const Metrics& m : all_) {
            text_.sample({{"dispatcher", m.dispatcher}}, buckets(m), sum(m));
        }
    }
    void closes() {
        text_.counter("nio_closes", "Connections closed, by reason.");
        for (const Metrics& m : all_) {
            for (std::size_t i = 0; i < nio::closeReasons; ++i) {
                const auto reason = static_cast<nio::CloseReason>(i);
                text_.sample({{"dispatcher", m.dispatcher}, {"reason", toString(reason)}},
                             m.closesFor(reason));
            }
        }
    }

  private:
    template <class Value>
    void each(Value value) {
        for (const Metrics& m : all_) text_.sample({{"dispatcher", m.dispatcher}}, value(m));
    }

    MetricsText& text_;
    Dispatchers all_;
};

void writeTurns(Families& families) {
    families.counter("nio_turns", "Turns (loop iterations).",
                     [](const Metrics& m) { return m.turns; });
    families.histogram(
        "nio_events_per_turn", "Ready channels per select.",
        [](const Metrics& m) { return numbersOf(m.eventsPerTurn); },
        [](const Metrics& m) { return static_cast<double>(m.events); });
    families.counter("nio_select_seconds", "Idle time, in select.",
                     [](const Metrics& m) { return seconds(m.selectTime); });
    families.histogram(
        "nio_callback_seconds", "Time in callbacks, per event or deadline.",
        [](const Metrics& m) { return timesOf(m.callbackTimes); },
        [](const Metrics& m) { return seconds(m.callbackTime); });
}

void writeInvocations(Families& families) {
    families.counter("nio_tasks", "Invocations run.", [](const Metrics& m) { return m.tasks; });
    families.counter("nio_task_seconds", "Time in invocations.",
                     [](const Metrics& m) { return seconds(m.taskTime); });
    families.gauge("nio_tasks_waiting", "Invocations queued.",
                   [](const Metrics& m) { return std::uint64_t{m.tasksWaiting}; });
    families.counter("nio_tasks_dropped",
                     "Invocations dropped because their connection was closed.",
                     [](const Metrics& m) { return m.tasksDropped; });
    families.histogram(
        "nio_task_delay_seconds", "Queueing delay of the oldest invocation of each batch.",
        [](const Metrics& m) { return timesOf(m.taskDelays); },
        [](const Metrics& m) { return seconds(m.taskDelay); });
    families.gauge("nio_deadlines", "Deadlines pending.",
                   [](const Metrics& m) { return std::uint64_t{m.deadlines}; });
    families.counter("nio_deadlines_expired", "Deadlines expired.",
                     [](const Metrics& m) { return m.deadlinesExpired; });
}

void writeConnections(Families& families) {
    families.gauge("nio_connections", "Open connections.",
                   [](const Metrics& m) { return std::uint64_t{m.connections}; });
    families.counter("nio_accepts", "Connections accepted here, for any dispatcher.",
                     [](const Metrics& m) { return m.accepts; });
    families.closes();
    families.counter("nio_received_bytes", "Bytes received.",
                     [](const Metrics& m) { return m.bytesIn; });
    families.counter("nio_sent_bytes", "Bytes written to the kernel.",
                     [](const Metrics& m) { return m.bytesOut; });
    families.counter("nio_receives_in_vain", "Receives that would block (EAGAIN).",
                     [](const Metrics& m) { return m.receivesInVain; });
    families.counter("nio_sends_held_up", "Sends that the kernel took only in part (EAGAIN).",
                     [](const Metrics& m) { return m.sendsHeldUp; });
    families.gauge("nio_buffered_bytes",
                   "Memory of pending output, and of buffered input of 1 KiB or more.",
                   [](const Metrics& m) { return m.bufferedBytes; });
}

struct ProcStat {
    double startTicks = 0;  // since the machine started
    double virtualBytes = 0;
    double residentPages = 0;
};

// The name in parentheses may hold anything.
std::optional<ProcStat> procStat() {
    std::ifstream file("/proc/self/stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name = line.rfind(')');
    if (name == line.npos) return std::nullopt;
    std::istringstream fields(line.substr(name + 1));
    std::string skipped;
    constexpr int before = 19;  // from the state to the start time
    for (int i = 0; i < before; ++i) fields >> skipped;
    ProcStat stat;
    fields >> stat.startTicks >> stat.virtualBytes >> stat.residentPages;
    if (!fields) return std::nullopt;
    return stat;
}

std::optional<double> bootSeconds() {
    std::ifstream file("/proc/stat");
    for (std::string word; file >> word;) {
        double seconds = 0;
        if (word == "btime" && file >> seconds) return seconds;
    }
    return std::nullopt;
}

std::optional<double> openDescriptors() {
    std::error_code failed;
    double count = 0;
    for (std::filesystem::directory_iterator entry("/proc/self/fd", failed), end;
         !failed && entry != end; entry.increment(failed)) {
        ++count;
    }
    if (failed) return std::nullopt;
    return count - 1;  // the one that counts them
}

double cpuSeconds() {
    rusage usage{};
    (void)::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

void writeDispatchers(MetricsText& text, Dispatchers dispatchers) {
    Families families(text, dispatchers);
    writeTurns(families);
    writeInvocations(families);
    writeConnections(families);
}

void writeBudget(MetricsText& text, const nio::MemoryBudget* budget) {
    if (budget == nullptr) return;
    const nio::MemoryBudgetFigures now = budget->figures();
    const auto say = [&text](std::uint64_t value) { text.sample({}, value); };
    text.gauge("nio_memory_budget_bytes", "Limit of the buffer memory of all connections.");
    say(budget->options().bytes);
    text.gauge("nio_memory_budget_used_bytes", "Buffer memory in use.");
    say(now.bytes);
    text.gauge("nio_memory_budget_acts", "1: the action is in force.");
    text.sample({{"action", "pause"}}, std::uint64_t{now.overload.pauses});
    text.sample({{"action", "refuse"}}, std::uint64_t{now.overload.refuses});
    text.sample({{"action", "drop"}}, std::uint64_t{now.overload.drops});
    text.counter("nio_memory_budget_paused", "Times that reads of a connection were paused.");
    say(now.paused);
    text.counter("nio_memory_budget_refused", "Connections refused.");
    say(now.refused);
    text.counter("nio_memory_budget_dropped", "Connections evicted.");
    say(now.dropped);
}

void writeProcess(MetricsText& text) {
    const auto gauge = [&text](const char* name, const char* help, std::optional<double> value) {
        if (!value) return;
        text.gauge(name, help);
        text.sample({}, *value);
    };
    text.counter("process_cpu_seconds", "User and system CPU time spent, in seconds.");
    text.sample({}, cpuSeconds());
    gauge("process_open_fds", "Open file descriptors.", openDescriptors());
    rlimit limit{};
    const bool isLimited = ::getrlimit(RLIMIT_NOFILE, &limit) == 0;
    gauge("process_max_fds", "Maximum open file descriptors.",
          isLimited ? std::optional(static_cast<double>(limit.rlim_cur)) : std::nullopt);
    const auto stat = procStat();
    if (!stat) return;
    gauge("process_virtual_memory_bytes", "Virtual memory size.", stat->virtualBytes);
    gauge("process_resident_memory_bytes", "Resident memory size.",
          stat->residentPages * static_cast<double>(::sysconf(_SC_PAGESIZE)));
    if (const auto boot = bootSeconds()) {
        const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
        gauge("process_start_time_seconds", "When the process started, in seconds since 1970.",
              *boot + stat->startTicks / ticks);
    }
}

void writeBuild(MetricsText& text) {
    text.gauge("nio_build_info", "Always 1; the labels say what was built, and by which compiler.");
    text.sample({{"version", nio::version}, {"compiler", __VERSION__}}, std::uint64_t{1});
}

}  // namespace apps
