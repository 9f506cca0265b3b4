// A small result, as the tests of its forms share it.
#pragma once

#include "echo_client/report/LoadReport.h"

namespace load {

// 2,000 echoes of 500 bytes in 2 s on 3 connections, a closed loop.
inline LoadReport someReport() {
    using namespace std::chrono_literals;
    LoadReport report;
    report.options.connections = 3;
    report.options.size = SizeDistribution(500);
    report.options.arguments = {"--connections", "3"};
    report.result.server = "127.0.0.1:7007";
    report.result.selector = "epoll";
    report.result.dispatchers = {{"load-0", 0.12}};
    report.result.measured = 2s;
    report.result.total.latency.recordTimes(20us, 2000);
    report.result.total.inTime = 2000;
    report.result.total.bytes = 1'000'000;
    for (int i = 1; i <= 3; ++i) report.result.total.connect.record(i * 100us);
    report.began = "2026-01-31T12:00:00Z";
    return report;
}

// The same, planned at 1,000 per second.
inline LoadReport someOpenReport() {
    using namespace std::chrono_literals;
    LoadReport report = someReport();
    report.options.rate = RateCurve::constant(1000);
    report.result.openLoop = true;
    report.result.offered = 1000;
    report.result.total.service.recordTimes(15us, 2000);
    report.result.total.lateness.recordTimes(5us, 2000);
    return report;
}

// Half a second of CPU time, a quarter of it in user mode, in one second.
inline ServerUse someServerUse() {
    using namespace std::chrono_literals;
    ServerUse use;
    use.before.residentKib = 100;
    use.before.privateDirtyKib = 10;
    use.from.at = nio::TimePoint(5s);
    use.to = {nio::TimePoint(6s), 500ms, 100ms, 300ms, 3, 300, 30};
    return use;
}

inline Point somePoint() {
    Point point;
    point.at = 1.5;
    point.perSecond = 1000;
    point.megabytesPerSecond = 0.5;
    point.p50 = 20;
    point.p90 = 21;
    point.p99 = 22;
    point.p999 = 23.5;
    point.max = 24;
    point.errors = 2;
    point.down = 1;
    point.phase = LoadPhase::measuring;
    return point;
}

}  // namespace load
