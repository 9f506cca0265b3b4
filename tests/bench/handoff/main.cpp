// handoff-bench: what it costs to hand a task to another thread's loop, in CPU time per task, for
// the library and for what it is measured against, in one run and in turns.
//
//     handoff-bench [--json] [--rounds N]
//
// Each row is the median of its rounds, with the least and the most. The loop has the first usable
// CPU, the producers share the last one. Compare the rows of one run with each other only.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include "bench/handoff/BareLoop.h"
#include "bench/handoff/NioLoop.h"
#include "bench/handoff/Patterns.h"
#ifdef NIO_BENCH_ASIO
#include "bench/peers/handoff/AsioLoop.h"
#endif
#ifdef NIO_BENCH_UV
#include "bench/peers/handoff/UvLoop.h"
#endif

namespace {

using namespace handoff;
using std::chrono::microseconds;

struct Row {
    std::string queue;
    std::string pattern;
    int producers;
    std::function<Cost()> measure;
    std::vector<Cost> rounds{};
};

struct Options {
    bool json = false;
    int rounds = 5;
};

constexpr Plan steady(int producers) {
    return {producers, 1, 1'000'000 / producers};
}
constexpr Plan bursts(int producers) {
    return {producers, 1'000 / producers, 1'000};
}
constexpr Plan singles{1, 2'000, 1};

template <class Loop, class... Arguments>
void addRows(std::vector<Row>& rows, const std::string& queue, Arguments... arguments) {
    const std::vector<int> cpus = usableCpus();
    const auto add = [&](const char* pattern, const Plan& plan) {
        rows.push_back({queue, pattern, plan.producers, [=] {
                            LoopThread<Loop> thread(cpus.front(), arguments...);
                            return costOf(thread, plan, cpus.back());
                        }});
    };
    for (const int producers : {1, 4}) add("steady", steady(producers));
    for (const int producers : {1, 4}) add("bursts of 1000", bursts(producers));
    add("one at a time", singles);
    rows.push_back({queue, "call and wait", 1, [=] {
                        LoopThread<Loop> thread(cpus.front(), arguments...);
                        return costOfCalls(thread, 5'000, cpus.back());
                    }});
}

std::vector<Row> allRows() {
    std::vector<Row> rows;
    addRows<NioLoop>(rows, "nio");
    addRows<NioLoop>(rows, "nio, spin 50us", microseconds(50));
    addRows<BareLoop>(rows, "mutex and swapped vector");
#ifdef NIO_BENCH_ASIO
    addRows<AsioLoop>(rows, "asio::post");
#endif
#ifdef NIO_BENCH_UV
    addRows<UvLoop>(rows, "uv_async_send");
#endif
    return rows;
}

struct Spread {
    double least, median, most;
};

template <class Of>
Spread spreadOf(const std::vector<Cost>& rounds, Of of) {
    std::vector<double> values;
    for (const Cost& cost : rounds) values.push_back(of(cost));
    std::sort(values.begin(), values.end());
    return {values.front(), values[values.size() / 2], values.back()};
}

void print(const Row& row, bool json) {
    const auto& rounds = row.rounds;
    const Spread producer = spreadOf(rounds, [](const Cost& cost) { return cost.producerNs; });
    const Spread loop = spreadOf(rounds, [](const Cost& cost) { return cost.loopNs; });
    const Spread both = spreadOf(rounds, [](const Cost& c) { return c.producerNs + c.loopNs; });
    const Spread sleeps = spreadOf(rounds, [](const Cost& cost) { return cost.sleeps; });
    const Spread wall = spreadOf(rounds, [](const Cost& cost) { return cost.wallNs; });
    const char* const format =
        json ? "{\"queue\":\"%s\",\"pattern\":\"%s\",\"producers\":%d,\"producer_ns\":%.1f,"
               "\"loop_ns\":%.1f,\"together_ns\":%.1f,\"together_least_ns\":%.1f,"
               "\"together_most_ns\":%.1f,\"sleeps_per_1000\":%.2f,\"wall_ns\":%.1f,"
               "\"rounds\":%zu}\n"
             : "%-25s %-15s %d producer(s): %8.1f + %8.1f = %8.1f ns (%.1f to %.1f), %7.2f sleeps "
               "per 1000, %8.1f ns on the clock, %zu rounds\n";
    std::printf(format, row.queue.c_str(), row.pattern.c_str(), row.producers, producer.median,
                loop.median, both.median, both.least, both.most, sleeps.median, wall.median,
                rounds.size());
    std::fflush(stdout);
}

Options optionsOf(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const bool rounds = std::strcmp(argv[i], "--rounds") == 0 && i + 1 < argc;
        if (std::strcmp(argv[i], "--json") == 0) {
            options.json = true;
        } else if (rounds && std::atoi(argv[i + 1]) > 0) {
            options.rounds = std::atoi(argv[++i]);
        } else {
            std::fprintf(stderr, "handoff-bench: usage: handoff-bench [--json] [--rounds N]\n");
            std::exit(2);
        }
    }
    return options;
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = optionsOf(argc, argv);
    std::vector<Row> rows = allRows();
    for (int round = 0; round < options.rounds; ++round) {
        for (Row& row : rows) row.rounds.push_back(row.measure());
    }
    for (const Row& row : rows) print(row, options.json);
}
