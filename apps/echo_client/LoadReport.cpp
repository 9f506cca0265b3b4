#include "echo_client/LoadReport.h"

#include <nlohmann/json.hpp>

#include "common/CommandLine.h"
#include "common/Version.h"
#include "echo_client/Units.h"

namespace load {

namespace {

using Json = nlohmann::ordered_json;

constexpr int exitWrongAnswer = 3;

std::string row(std::string label, const std::string& value) {
    label.resize(14, ' ');
    return label + value + "\n";
}

std::string latencies(const LatencyHistogram& latency, bool all) {
    if (latency.count() == 0) return "none";
    const auto percentile = [&](double percent) { return withUnit(latency.percentile(percent)); };
    std::string text = "min " + withUnit(latency.min()) + "  p50 " + percentile(50);
    if (all) text += "  p90 " + percentile(90);
    text += "  p99 " + percentile(99);
    if (all) text += "  p99.9 " + percentile(99.9);
    return text + "  max " + withUnit(latency.max());
}

double micros(LatencyHistogram::Duration time) {
    return static_cast<double>(time.count()) / 1000;
}

Json jsonOf(const LatencyHistogram& latency) {
    return {{"min", micros(latency.min())},
            {"p50", micros(latency.percentile(50))},
            {"p90", micros(latency.percentile(90))},
            {"p99", micros(latency.percentile(99))},
            {"p99.9", micros(latency.percentile(99.9))},
            {"max", micros(latency.max())}};
}

Json jsonOf(const LoadErrors& errors) {
    Json json{{"connect", Json::object()},         {"reset", errors.reset},
              {"closedEarly", errors.closedEarly}, {"timedOut", errors.timedOut},
              {"wrongAnswer", errors.wrongAnswer}, {"other", Json::object()}};
    for (const auto& [reason, count] : errors.connect) json["connect"][reason] = count;
    for (const auto& [reason, count] : errors.other) json["other"][reason] = count;
    return json;
}

std::string nameOf(apps::Framing framing) {
    for (const auto& [name, value] : apps::framings()) {
        if (value == framing) return name;
    }
    return "";
}

std::string counted(std::size_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace

int LoadReport::exitCode() const {
    if (result_.total.errors.wrongAnswer > 0) return exitWrongAnswer;
    const bool nothingMeasured = result_.total.latency.count() == 0;
    return result_.total.errors.total() > 0 || nothingMeasured ? apps::exitFailed : apps::exitOk;
}

bool LoadReport::isTotalFailure() const {
    return result_.total.connect.count() == 0 && exitCode() != apps::exitOk;
}

std::string LoadReport::complaint() const {
    const LoadErrors& errors = result_.total.errors;
    if (!errors.wrongAnswerExample.empty()) return "wrong answer: " + errors.wrongAnswerExample;
    if (!errors.connectExample.empty()) return errors.connectExample;
    if (errors.total() > 0) return errors.toString();
    return result_.total.latency.count() == 0 ? "no echo came back in the measured time" : "";
}

double LoadReport::seconds() const {
    return std::chrono::duration<double>(result_.total.covered).count();
}

double LoadReport::echoesPerSecond() const {
    const auto echoes = static_cast<double>(result_.total.latency.count());
    return seconds() > 0 ? echoes / seconds() : 0;
}

double LoadReport::megabytesPerSecond() const {
    return echoesPerSecond() * static_cast<double>(options_.messageBytes) / 1e6;
}

std::string LoadReport::heading() const {
    return "echo-client: " + counted(options_.connections, "connection") + " to " + result_.server +
           ", " + counted(options_.messageBytes, "byte") + ", pipeline " +
           std::to_string(options_.pipeline) + ", " + nameOf(options_.framing) + " (" +
           counted(result_.dispatchers, "selector thread") + ", " + result_.selector + ")\n";
}

std::string LoadReport::toText() const {
    const LoadFigures& total = result_.total;
    return heading() +
           row("measured",
               fixed(seconds(), 2) + " s" + (result_.interrupted ? ", interrupted" : "")) +
           row("echoes/s", fixed(echoesPerSecond(), 0)) +
           row("MB/s", fixed(megabytesPerSecond(), 2) + " each way") +
           row("latency", latencies(total.latency, true)) +
           row("connect", latencies(total.connect, false)) +
           row("connections", std::to_string(total.connect.count()) + " of " +
                                  std::to_string(options_.connections)) +
           row("errors", total.errors.toString());
}

std::string LoadReport::toJson() const {
    const LoadFigures& total = result_.total;
    const Json json{
        {"program", "echo-client"},
        {"version", apps::version},
        {"server", result_.server},
        {"framing", nameOf(options_.framing)},
        {"messageBytes", options_.messageBytes},
        {"pipeline", options_.pipeline},
        {"threads", result_.dispatchers},
        {"selector", result_.selector},
        {"seconds", seconds()},
        {"interrupted", result_.interrupted},
        {"echoes", total.latency.count()},
        {"echoesPerSecond", echoesPerSecond()},
        {"megabytesPerSecond", megabytesPerSecond()},
        {"latencyMicroseconds", jsonOf(total.latency)},
        {"connectMicroseconds", jsonOf(total.connect)},
        {"connections", {{"asked", options_.connections}, {"made", total.connect.count()}}},
        {"errors", jsonOf(total.errors)},
        {"exitCode", exitCode()}};
    return json.dump(2) + "\n";
}

}  // namespace load
