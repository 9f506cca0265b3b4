#include "echo_client/report/LoadReport.h"

#include <cmath>

#include "common/Units.h"

namespace load {

namespace {

constexpr const char* header =
    "seconds,echoesPerSecond,megabytesPerSecond,p50Microseconds,p90Microseconds,p99Microseconds,"
    "p99.9Microseconds,maxMicroseconds,errors,connectionsDown,phase\r\n";

std::string cellOf(double micros) {
    return std::isinf(micros) ? apps::microsWithUnit(micros) : apps::fixed(micros, 3);
}

std::string lineOf(const Point& point) {
    std::string line = apps::fixed(point.at, 3) + "," + apps::fixed(point.perSecond, 1) + "," +
                       apps::fixed(point.megabytesPerSecond, 6);
    for (const double time : {point.p50, point.p90, point.p99, point.p999, point.max}) {
        line += "," + (point.isAnswered() ? cellOf(time) : "");
    }
    return line + "," + std::to_string(point.errors) + "," + std::to_string(point.down) + "," +
           nameOf(point.phase) + "\r\n";
}

}  // namespace

std::string toCsv(const LoadReport& report) {
    std::string text = header;
    for (const Point& point : report.result.series) text += lineOf(point);
    return text;
}

}  // namespace load
