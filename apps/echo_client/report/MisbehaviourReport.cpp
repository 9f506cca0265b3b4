#include "echo_client/report/MisbehaviourReport.h"

#include <nio/version.h>

#include "common/Units.h"
#include "echo_client/report/Words.h"
#include "echo_client/verdict/Verdict.h"

namespace load {

namespace {

using Json = nlohmann::ordered_json;

std::string times(const LatencyHistogram& histogram) {
    if (histogram.count() == 0) return "none";
    return "min " + apps::withUnit(histogram.min()) + "  p50 " +
           apps::withUnit(histogram.percentile(50)) + "  max " + apps::withUnit(histogram.max());
}

Json jsonOf(const LatencyHistogram& histogram) {
    const auto micros = [](LatencyHistogram::Duration time) {
        return jsonTime(apps::microsOf(time));
    };
    return {{"min", micros(histogram.min())},
            {"p50", micros(histogram.percentile(50))},
            {"max", micros(histogram.max())}};
}

}  // namespace

MisbehaviourReport::MisbehaviourReport(const LoadOptions& options, const MisbehaviourResult& result)
    : options_(options), result_(result) {}

int MisbehaviourReport::exitCode() const {
    const MisbehaviourFigures& total = result_.total;
    if (total.wrongAnswers > 0) return exitWrongAnswer;
    return total.made() == 0 || total.unanswered > 0 ? exitIo : exitPass;
}

std::string MisbehaviourReport::complaint() const {
    const MisbehaviourFigures& total = result_.total;
    if (total.wrongAnswers > 0) return "wrong answer: " + total.wrongAnswerExample;
    if (total.made() == 0) {
        return total.errorExample.empty() ? "no connection could be opened" : total.errorExample;
    }
    if (total.unanswered == 0) return "";
    return counted(total.unanswered, "message") + " timed out";
}

// --- text -----------------------------------------------------------------------------------

std::string MisbehaviourReport::heading() const {
    std::string how;
    if (*options_.misbehave == Misbehaviour::slowloris) {
        how = ", one byte every " + apps::withUnit(options_.every);
    }
    if (*options_.misbehave == Misbehaviour::rstStorm) {
        how = ", at most " + counted(options_.count, "connect");
    }
    const std::string text = "echo-client: " + nameOf(*options_.misbehave) + ", " +
                             counted(options_.connections, "connection") + " to " + result_.server +
                             how + ", " + nameOf(options_.framing) + " (" +
                             counted(result_.dispatchers, "dispatcher") + ", " + result_.selector +
                             ")";
    return wrapped(text, labelColumns) + "\n";
}

std::string MisbehaviourReport::summary() const {
    const MisbehaviourFigures& total = result_.total;
    std::string text = std::to_string(total.made()) + " opened, " +
                       std::to_string(total.connectsFailed) + " failed";
    if (*options_.misbehave == Misbehaviour::rstStorm) return text;
    return text + "; " + std::to_string(total.closedByServer) + " closed and " +
           std::to_string(total.resetByServer) + " reset by the server, " +
           std::to_string(total.keptToTheEnd) + " open at the end";
}

std::string MisbehaviourReport::errors() const {
    std::string text;
    for (const auto& [reason, count] : result_.total.errors) {
        text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + reason;
    }
    return text.empty() ? "none" : text;
}

std::string MisbehaviourReport::toText() const {
    const MisbehaviourFigures& total = result_.total;
    const bool storm = *options_.misbehave == Misbehaviour::rstStorm;
    std::string text = heading() +
                       row("time", apps::fixed(result_.seconds(), 2) + " s" +
                                       (result_.interrupted ? ", interrupted" : "")) +
                       row("connections", summary());
    if (storm) text += row("connects/s", apps::fixed(result_.connectsPerSecond(), 0));
    text += row("connect", times(total.connect));
    if (!storm) {
        text += row("kept", times(total.kept)) + row("sent", counted(total.bytesSent, "byte")) +
                row("received", counted(total.bytesReceived, "byte"));
    }
    if (*options_.misbehave == Misbehaviour::oneByte) {
        text += row("echoes", std::to_string(total.echoes) + " correct, " +
                                  std::to_string(total.wrongAnswers) + " wrong, " +
                                  std::to_string(total.unanswered) + " timed out");
    }
    return text + row("errors", errors());
}

std::string MisbehaviourReport::progressLine(const LoadOptions& options,
                                             const MisbehaviourFigures& total) {
    std::string text = nameOf(*options.misbehave) + ": " + counted(total.made(), "connect");
    if (*options.misbehave != Misbehaviour::rstStorm) {
        text += ", " + std::to_string(total.open()) + " open, " +
                std::to_string(total.closedByServer + total.resetByServer) +
                " ended by the server, " + counted(total.bytesSent, "byte") + " sent";
    }
    if (*options.misbehave == Misbehaviour::oneByte) {
        text += ", " + std::to_string(total.echoes) + " echoes";
    }
    return text + (total.connectsFailed > 0
                       ? ", " + std::to_string(total.connectsFailed) + " failed"
                       : "");
}

// --- JSON -----------------------------------------------------------------------------------

Json MisbehaviourReport::json() const {
    const MisbehaviourFigures& total = result_.total;
    Json json{{"schema", outputSchema},
              {"program", "echo-client"},
              {"version", nio::version},
              {"misbehaviour", nameOf(*options_.misbehave)},
              {"server", result_.server},
              {"framing", nameOf(options_.framing)},
              {"threads", result_.dispatchers},
              {"selector", result_.selector},
              {"seconds", result_.seconds()},
              {"interrupted", result_.interrupted},
              {"connections",
               {{"asked", options_.connections},
                {"made", total.made()},
                {"failed", total.connectsFailed},
                {"closedByServer", total.closedByServer},
                {"resetByServer", total.resetByServer},
                {"keptToTheEnd", total.keptToTheEnd}}},
              {"connectsPerSecond", result_.connectsPerSecond()},
              {"connectMicroseconds", jsonOf(total.connect)},
              {"keptMicroseconds", jsonOf(total.kept)},
              {"bytesSent", total.bytesSent},
              {"bytesReceived", total.bytesReceived},
              {"largestQueueBytes", total.largestQueue},
              {"echoes", total.echoes},
              {"wrongAnswers", total.wrongAnswers},
              {"unanswered", total.unanswered},
              {"errors", Json::object()},
              {"exitCode", exitCode()}};
    for (const auto& [reason, count] : total.errors) json["errors"][reason] = count;
    return json;
}

std::string MisbehaviourReport::toJson() const {
    return json().dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace load
