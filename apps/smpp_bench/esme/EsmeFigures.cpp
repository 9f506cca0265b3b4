#include "smpp_bench/esme/EsmeFigures.h"

#include <nlohmann/json.hpp>

#include <smpp/pdu/Status.h>

#include "common/Units.h"

namespace smppbench {

using apps::fixed;

namespace {

double seconds(nio::Clock::duration time) {
    return std::chrono::duration<double>(time).count();
}

double perMessage(nio::Clock::duration cpu, const Part& part) {
    return part.answered == 0 ? 0 : apps::microsOf(cpu) / static_cast<double>(part.answered);
}

std::map<std::string, std::uint64_t> statusesByName(const EsmeFigures& figures) {
    std::map<std::string, std::uint64_t> named;
    for (const auto& [status, times] : figures.statuses) {
        named[smpp::nameOf(static_cast<smpp::Status>(status))] = times;
    }
    return named;
}

std::uint64_t refusals(const EsmeFigures& figures) {
    std::uint64_t all = 0;
    for (const auto& [status, times] : figures.statuses) all += status == 0 ? 0 : times;
    return all;
}

nlohmann::ordered_json latencyJson(const EsmeFigures& figures) {
    const auto micros = [](nio::Clock::duration time) {
        return apps::jsonTime(apps::microsOf(time));
    };
    return {{"p50", micros(figures.latency.percentile(50))},
            {"p99", micros(figures.latency.percentile(99))},
            {"p999", micros(figures.latency.percentile(99.9))},
            {"max", micros(figures.latency.max())}};
}

nlohmann::ordered_json receiptsJson(const ReceiptLedger::Totals& receipts) {
    return {{"received", receipts.receipts},   {"complete", receipts.complete},
            {"lost", receipts.lost()},         {"duplicated", receipts.duplicated},
            {"misrouted", receipts.misrouted}, {"unknown", receipts.unknown}};
}

}  // namespace

double EsmeFigures::rate() const {
    return measured.answered == 0 ? 0
                                  : static_cast<double>(measured.answered) / seconds(measured.time);
}

std::optional<double> EsmeFigures::serverCpuMicros() const {
    if (!serverCpu) return std::nullopt;
    return perMessage(*serverCpu, charged);
}

double EsmeFigures::ownCpuMicros() const {
    return perMessage(ownCpu, charged);
}

std::vector<std::string> complaints(const EsmeOptions& options, const EsmeFigures& figures,
                                    const ReceiptLedger::Totals& receipts) {
    std::vector<std::string> all;
    const auto none = [&all](std::uint64_t count, const char* what) {
        if (count > 0) all.push_back(std::to_string(count) + " " + what);
    };
    none(figures.bindsWanted - figures.bindsMade, "binds were not made");
    // Of the run itself; other lines say why there was no answer.
    const bool mayMeasure =
        !options.load.isIdle() && figures.bindsMade > 0 && figures.unanswered == 0;
    if (mayMeasure && figures.measured.answered == 0) all.emplace_back("nothing was measured");
    if (!options.checks.allowRefusals) none(refusals(figures), "answers are not ESME_ROK");
    if (!options.reconnect) none(figures.lostLinks, "connections were lost");
    if (!options.reconnect) none(figures.unanswered, "messages were not answered");
    none(figures.unsent, "messages were not sent");
    none(figures.strayAnswers, "answers belong to no message");
    none(figures.malformed, "PDUs are malformed");
    none(receipts.repeatedIds, "message_ids came twice");
    if (!options.checks.registered) return all;
    none(receipts.lost(), "receipts are missing");
    none(figures.idsDisagree, "receipts name one id in their text and another in their TLV");
    none(receipts.misrouted, "receipts came to an account that did not send the message");
    if (options.checks.allowDuplicates) return all;
    none(receipts.duplicated, "receipts came again");
    // A message whose answer was lost with its connection may still get one.
    if (options.reconnect) return all;
    none(receipts.unknown, "receipts are of messages that were not answered");
    return all;
}

std::string toJson(const EsmeOptions& options, const EsmeFigures& figures,
                   const ReceiptLedger::Totals& receipts) {
    const std::vector<std::string> wrong = complaints(options, figures, receipts);
    nlohmann::ordered_json json{{"ok", wrong.empty()},
                                {"complaints", wrong},
                                {"binds", figures.bindsMade},
                                {"bind_refusals", figures.bindRefusals},
                                {"window", options.load.window},
                                {"sent", figures.sent},
                                {"answered", figures.answered},
                                {"unanswered", figures.unanswered},
                                {"statuses", statusesByName(figures)},
                                {"repeated_ids", receipts.repeatedIds},
                                {"lost_links", figures.lostLinks},
                                {"enquire_links", figures.enquireLinks},
                                {"seconds", seconds(figures.measured.time)},
                                {"rate", figures.rate()},
                                {"latency_us", latencyJson(figures)},
                                {"receipts", receiptsJson(receipts)},
                                {"receipts_while_measured", figures.measured.receipts},
                                {"mo", figures.mo},
                                {"own_cpu_us", figures.ownCpuMicros()}};
    if (const auto cpu = figures.serverCpuMicros()) json["server_cpu_us"] = *cpu;
    return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string toText(const EsmeOptions& options, const EsmeFigures& figures,
                   const ReceiptLedger::Totals& receipts) {
    std::string text = std::to_string(figures.answered) + " of " + std::to_string(figures.sent) +
                       " messages answered, " + fixed(figures.rate(), 0) + "/s";
    text += ", p50 " + apps::withUnit(figures.latency.percentile(50)) + ", p99 " +
            apps::withUnit(figures.latency.percentile(99)) + "\n";
    for (const auto& [status, times] : statusesByName(figures)) {
        text += "  " + status + ": " + std::to_string(times) + "\n";
    }
    for (const auto& [reason, times] : figures.bindRefusals) {
        text += "  bind: " + reason + ": " + std::to_string(times) + "\n";
    }
    if (options.checks.registered) {
        text += std::to_string(receipts.receipts) +
                " receipts: " + std::to_string(receipts.complete) + " messages have theirs, " +
                std::to_string(receipts.lost()) + " lost, " + std::to_string(receipts.duplicated) +
                " duplicated, " + std::to_string(receipts.misrouted) + " misrouted, " +
                std::to_string(receipts.unknown) + " unknown\n";
    }
    if (const auto cpu = figures.serverCpuMicros()) {
        text += "CPU of the server: " + fixed(*cpu, 2) + " us per message\n";
    }
    for (const std::string& line : complaints(options, figures, receipts)) {
        text += "WRONG: " + line + "\n";
    }
    return text;
}

}  // namespace smppbench
