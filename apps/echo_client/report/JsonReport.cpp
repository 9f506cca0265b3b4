#include "echo_client/report/LoadReport.h"

#include <nio/version.h>

#include "common/Units.h"
#include "echo_client/report/MisbehaviourReport.h"
#include "echo_client/report/Words.h"
#include "echo_client/verdict/Repeats.h"

namespace load {

namespace {

using Json = nlohmann::ordered_json;

// Each is null where nothing was recorded.
Json timesOf(const LatencyHistogram& histogram) {
    const auto time = [&](LatencyHistogram::Duration value) {
        return histogram.count() == 0 ? Json() : jsonTime(apps::microsOf(value));
    };
    const auto percentile = [&](double percent) { return time(histogram.percentile(percent)); };
    return {{"min", time(histogram.min())}, {"mean", time(histogram.mean())},
            {"p50", percentile(50)},        {"p90", percentile(90)},
            {"p95", percentile(95)},        {"p99", percentile(99)},
            {"p99.9", percentile(99.9)},    {"p99.99", percentile(99.99)},
            {"max", time(histogram.max())}};
}

Json bucketsOf(const LatencyHistogram& histogram) {
    Json buckets = Json::array();
    histogram.forEach([&](LatencyHistogram::Duration value, std::uint64_t times) {
        buckets.push_back(Json::array({value.count(), times}));
    });
    return {{"unit", "ns"},
            {"significantDigits", LatencyHistogram::significantDigits},
            {"buckets", std::move(buckets)}};
}

Json reasonsOf(const std::map<std::string, std::size_t>& reasons) {
    Json json = Json::object();
    for (const auto& [reason, count] : reasons) json[reason] = count;
    return json;
}

Json errorsOf(const LoadErrors& errors) {
    return {{"connect", reasonsOf(errors.connect)}, {"reset", errors.reset},
            {"closedEarly", errors.closedEarly},    {"timedOut", errors.timedOut},
            {"wrongAnswer", errors.wrongAnswers()}, {"lost", errors.lost},
            {"duplicated", errors.duplicated},      {"reordered", errors.reordered},
            {"corrupted", errors.corrupted},        {"other", reasonsOf(errors.other)}};
}

Json rateOf(const LoadReport& report) {
    const LoadResult& result = report.result;
    const auto& curve = report.options.rate;
    Json rate{{"offered", nullptr},
              {"achieved", result.perSecond()},
              {"arrivals", nullptr},
              {"stages", nullptr}};
    if (!result.openLoop) return rate;
    rate["offered"] = result.offered;
    rate["arrivals"] = nameOf(report.options.arrivals);
    if (curve && curve->hasStages()) rate["stages"] = curve->toString();
    return rate;
}

Json samplePointOf(const Point& point) {
    return {{"at", point.at},
            {"perSecond", point.perSecond},
            {"megabytesPerSecond", point.megabytesPerSecond},
            {"p50", jsonTime(point.p50)},
            {"p90", jsonTime(point.p90)},
            {"p99", jsonTime(point.p99)},
            {"p99.9", jsonTime(point.p999)},
            {"max", jsonTime(point.max)},
            {"errors", point.errors},
            {"connectionsDown", point.down},
            {"phase", nameOf(point.phase)}};
}

Json loadOf(const DispatcherLoad& dispatcher) {
    return {{"name", dispatcher.name}, {"busy", dispatcher.busy}};
}

Json checkOf(const Verdict::Check& check) {
    return {{"requirement", check.requirement},
            {"found", check.found},
            {"met", check.met       ? Json(true)
                    : check.isKnown ? Json(false)
                                    : Json()}};
}

Json stepOf(const SearchStep& step) {
    return {{"rate", step.rate},
            {"achieved", step.achieved},
            {"found", step.found},
            {"held", step.generatorsFault ? Json() : Json(step.held)},
            {"obstacle", step.obstacle}};
}

Json turnOf(const Dialogue::Turn& turn) {
    return {{"message", turn.message.toString()},
            {"expect", turn.answer.toString()},
            {"weight", turn.weight}};
}

const char* modeOf(const LoadOptions& options) {
    return options.connectOnly ? "connect-only" : options.isOneWay ? "no-answer" : "answers";
}

Json outageOf(const Outage& outage) {
    const std::chrono::duration<double> from = outage.from;
    const std::chrono::duration<double> length = outage.to - outage.from;
    return {{"fromSeconds", from.count()},
            {"seconds", length.count()},
            {"connections", outage.connections},
            {"lost", outage.lost},
            {"sentLate", outage.late}};
}

// Of the server.
Json cpuOf(const LoadResult& result) {
    return result.serverUse ? Json(result.serverUse->microsPerEcho(result.perSecond())) : Json();
}

double secondsStoodStill(const LoadResult& result) {
    return std::chrono::duration<double>(result.total.stoodStill).count();
}

Json runOf(const LoadResult& result) {
    return {{"echoes", result.total.latency.count()},
            {"echoesPerSecond", result.perSecond()},
            {"latencyMicroseconds", timesOf(result.total.latency)},
            {"errors", result.total.errors.total()},
            {"unsent", result.total.unsent},
            {"unanswered", result.total.unanswered},
            {"cpuMicrosecondsPerEcho", cpuOf(result)},
            {"late", !result.lateness().empty()},
            {"stoodStillSeconds", secondsStoodStill(result)},
            {"warning", result.warning()}};
}

template <class Value, class Form>
Json arrayOf(const std::vector<Value>& values, Form form) {
    Json array = Json::array();
    for (const Value& value : values) array.push_back(form(value));
    return array;
}

// Null where no run has the value.
Json medianOf(const std::vector<double>& values) {
    if (values.empty()) return nullptr;
    const auto estimate = MedianEstimate::of(values);
    return {{"median", jsonTime(estimate.median)},
            {"low", jsonTime(estimate.low)},
            {"high", jsonTime(estimate.high)},
            {"confidence", estimate.confidence}};
}

Json repeatsOf(const std::vector<LoadResult>& runs) {
    if (runs.empty()) return nullptr;
    std::vector<double> rates;
    std::vector<double> p99s;
    for (const LoadResult& run : runs) {
        const LatencyHistogram& latency = run.total.latency;
        rates.push_back(run.perSecond());
        if (latency.count() > 0) p99s.push_back(apps::microsOf(latency.percentile(99)));
    }
    return {{"echoesPerSecond", medianOf(rates)},
            {"p99Microseconds", medianOf(p99s)},
            {"runs", arrayOf(runs, runOf)}};
}

Json hostOf(const HostFacts& host) {
    return {{"kernel", host.kernel},
            {"machine", host.machine},
            {"cpu", host.cpu},
            {"cpus", host.cpus},
            {"descriptors", host.descriptors},
            {"somaxconn", host.somaxconn},
            {"governor", host.governor}};
}

// Null where it was not to be known.
Json changeOf(std::optional<std::size_t> before, std::optional<std::size_t> after) {
    const auto json = [](std::optional<std::size_t> kib) { return kib ? Json(*kib) : Json(); };
    return {{"before", json(before)}, {"after", json(after)}};
}

Json serverProcessOf(const LoadReport& report) {
    const auto& use = report.result.serverUse;
    if (!use) return nullptr;
    const double micros = use->microsPerEcho(report.result.perSecond());
    const double user = micros * use->userPart();
    return {{"pid", report.options.serverPid.value_or(0)},
            {"seconds", use->seconds()},
            {"cpuSeconds", use->cpuSeconds()},
            {"cpuMicrosecondsPerEcho", micros},
            {"userMicrosecondsPerEcho", user},
            {"systemMicrosecondsPerEcho", micros - user},
            {"threads", use->to.threads},
            {"residentKib", changeOf(use->before.residentKib, use->to.residentKib)},
            {"privateDirtyKib", changeOf(use->before.privateDirtyKib, use->to.privateDirtyKib)}};
}

Json besideOf(const LoadReport& report) {
    if (!report.beside) return nullptr;
    return MisbehaviourReport(besideOptions(report.options), *report.beside).json();
}

// --- the parts, in the order of the object ---------------------------------------------------

void addLoad(Json& json, const LoadReport& report) {
    const LoadOptions& options = report.options;
    json["schema"] = outputSchema;
    json["program"] = "echo-client";
    json["version"] = nio::version;
    json["began"] = report.began;
    json["commandLine"] = options.arguments;
    json["seed"] = options.seed;
    json["messages"] = options.messages == 0 ? Json() : Json(options.messages);
    json["host"] = hostOf(report.host);
    json["server"] = report.result.server;
    json["framing"] = nameOf(options.framing);
    json["messageBytes"] = options.dialogue ? Json() : Json(options.size.mean());
    json["size"] = options.dialogue ? Json() : Json(options.size.toString());
    json["tls"] = options.tls.has_value();
    json["mode"] = modeOf(options);
    json["send"] = options.dialogue ? arrayOf(options.dialogue->turns, turnOf) : Json();
    json["pipeline"] = options.pipeline;
    json["threads"] = report.result.dispatchers.size();
    json["selector"] = report.result.selector;
    json["loop"] = report.result.openLoop ? "open" : "closed";
    json["rate"] = rateOf(report);
}

void addFigures(Json& json, const LoadReport& report) {
    const LoadResult& result = report.result;
    const LoadFigures& total = result.total;
    const LoadOptions& options = report.options;
    json["seconds"] = result.seconds();
    json["interrupted"] = report.interrupted || result.interrupted;
    json["echoes"] = total.latency.count();
    json["echoesPerSecond"] = result.perSecond();
    json["megabytesPerSecond"] = result.megabytesPerSecond();
    json["latencyMicroseconds"] = timesOf(total.latency);
    json["serviceMicroseconds"] = result.openLoop ? timesOf(total.service) : nullptr;
    json["latenessMicroseconds"] = result.openLoop ? timesOf(total.lateness) : nullptr;
    json["held"] = total.held;
    json["offline"] = total.offline;
    json["unsent"] = total.unsent;
    json["unanswered"] = total.unanswered;
    json["connectMicroseconds"] = timesOf(total.connect);
    json["handshakeMicroseconds"] = options.tls ? timesOf(total.handshake) : nullptr;
    json["sessionsResumed"] = options.tls ? Json(total.resumed) : Json();
    json["connections"] = {{"asked", report.options.connections}, {"made", total.connect.count()}};
    json["beside"] = besideOf(report);
    json["errors"] = errorsOf(total.errors);
    json["outages"] = arrayOf(total.outages.all(), outageOf);
    json["reconnectsFailed"] = total.reconnectsFailed;
    json["dispatchers"] = arrayOf(result.dispatchers, loadOf);
    json["serverProcess"] = serverProcessOf(report);
}

void addVerdict(Json& json, const LoadReport& report) {
    const std::string why = report.unknownBecause();
    json["valid"] = why.empty();
    json["invalidBecause"] = why;
    json["warning"] = report.result.warning();
    json["late"] = !report.result.lateness().empty();
    json["stoodStillSeconds"] = secondsStoodStill(report.result);
    json["requirements"] = arrayOf(report.verdict.checks, checkOf);
    json["exitCode"] = report.verdict.exitCode;
    json["repeats"] = repeatsOf(report.repeats);
    json["search"] = arrayOf(report.search, stepOf);
}

void addPlots(Json& json, const LoadResult& result, bool hasTls) {
    json["series"] = arrayOf(result.series, samplePointOf);
    json["histogram"] = bucketsOf(result.total.latency);
    json["serviceHistogram"] = result.openLoop ? bucketsOf(result.total.service) : nullptr;
    json["connectHistogram"] = bucketsOf(result.total.connect);
    json["handshakeHistogram"] = hasTls ? bucketsOf(result.total.handshake) : nullptr;
}

}  // namespace

std::string toJson(const LoadReport& report) {
    Json json;
    addLoad(json, report);
    addFigures(json, report);
    addVerdict(json, report);
    addPlots(json, report.result, report.options.tls.has_value());
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace load
