// What our histogram says of recorded latencies, in the words of HistogramOracle.java.
#include <fstream>
#include <iostream>

#include "common/LatencyHistogram.h"
#include "echo_client/report/LoadReport.h"

namespace {

apps::LatencyHistogram read(const char* path) {
    apps::LatencyHistogram histogram;
    std::ifstream file(path);
    for (std::int64_t nanoseconds; file >> nanoseconds;) {
        histogram.record(std::chrono::nanoseconds(nanoseconds));
    }
    return histogram;
}

void say(const apps::LatencyHistogram& histogram) {
    std::cout << "count " << histogram.count() << "\n"
              << "min " << histogram.min().count() << "\n"
              << "max " << histogram.max().count() << "\n"
              << "mean " << histogram.mean().count() << "\n";
    for (const char* percent : {"0.0", "1.0", "10.0", "25.0", "50.0", "75.0", "90.0", "95.0",
                                "99.0", "99.9", "99.99", "99.999", "100.0"}) {
        std::cout << "p" << percent << " " << histogram.percentile(std::stod(percent)).count()
                  << "\n";
    }
    std::cout << load::toHgrm(histogram);
}

}  // namespace

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) say(read(argv[i]));
}
