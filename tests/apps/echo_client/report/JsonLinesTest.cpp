#include "echo_client/report/JsonLines.h"

#include <gtest/gtest.h>

#include <sstream>

#include <nlohmann/json.hpp>

#include "apps/echo_client/report/SomeSample.h"

namespace load {
namespace {

TEST(JsonLines, IsAnObjectALine) {
    std::ostringstream out;
    JsonLines lines(out);
    lines.observed(stillConnecting());
    lines.observed(halfDone());

    std::istringstream written(out.str());
    std::string line;
    std::getline(written, line);
    EXPECT_EQ(nlohmann::json::parse(line)["phase"], "connecting");
    std::getline(written, line);
    EXPECT_EQ(nlohmann::json::parse(line), nlohmann::json::parse(R"(
        {"schema": 2, "phase": "measuring", "at": 5.0, "seconds": 2.0, "percent": 50.0,
         "connections": {"asked": 10, "made": 10}, "echoes": 3000, "perSecond": 1500.0,
         "megabytesPerSecond": 1.5, "p50": 40.0, "p90": 40.0, "p99": 40.0, "p99.9": 40.0,
         "max": 40.0, "errors": 0, "connectionsDown": 0, "busy": [0.25, 0.95]})"));
    EXPECT_FALSE(std::getline(written, line));
}

TEST(JsonLines, HaveNoLatencyWithoutAnAnswer) {
    std::ostringstream out;
    JsonLines(out).observed(stillConnecting());
    const auto line = nlohmann::json::parse(out.str());
    for (const char* name : {"p50", "p90", "p99", "p99.9", "max"}) {
        EXPECT_EQ(line.at(name), nullptr) << name;
    }
}

}  // namespace
}  // namespace load
