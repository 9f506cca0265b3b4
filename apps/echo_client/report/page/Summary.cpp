#include "echo_client/report/page/Page.h"

#include "common/Units.h"
#include "echo_client/report/Words.h"
#include "echo_client/report/page/Markup.h"

namespace load::page {

namespace {

std::string counted(std::uint64_t count, const std::string& noun) {
    return grouped(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string openLoop(const LoadReport& report) {
    const LoadOptions& options = report.options;
    const bool staged = options.rate && options.rate->hasStages();
    return "Open loop: " + rateText(report.result.offered) + " messages/s planned" +
           (staged ? " on average, in the stages " + options.rate->toString() : "") +
           (options.arrivals == Arrivals::poisson ? ", Poisson arrivals" : "");
}

std::string closedLoop(const LoadOptions& options) {
    if (options.connectOnly) return "Connects only: each connection closes as soon as it is made";
    if (options.isOneWay) return "One way: a message is done when the kernel has taken it";
    return "Closed loop: each connection keeps " + counted(options.pipeline, "message") +
           " in flight" +
           (options.think.count() > 0 ? " and thinks " + apps::withUnit(options.think) : "");
}

std::string messages(const LoadOptions& options) {
    if (options.connectOnly) return "no messages";
    if (options.dialogue) {
        return counted(options.dialogue->turns.size(), "message") + " of --send";
    }
    const bool one = options.size.isFixed() && options.size.smallest() == 1;
    return options.size.toString() + (one ? " byte" : " bytes") + " · " + nameOf(options.framing) +
           " framing";
}

std::string load(const LoadReport& report) {
    const LoadOptions& options = report.options;
    return counted(options.connections, "connection") + " · " + messages(options) + " · " +
           apps::fixed(report.result.seconds(), 2) + " s measured" +
           (options.beside ? ", beside " + options.beside->toString() : "") +
           (report.interrupted || report.result.interrupted ? ", interrupted" : "");
}

std::string banner(const std::string& style, const std::string& word, const std::string& why) {
    return element("p class=\"banner " + style + "\"",
                   element("strong", word) + (why.empty() ? "" : " " + escape(why))) +
           "\n";
}

std::string unknown(const LoadReport& report) {
    const std::string why = report.unknownBecause();
    return why.empty() ? "" : banner("invalid", "⚠ Unknown:", why);
}

std::string outcome(const LoadReport& report) {
    const Verdict& verdict = report.verdict;
    if (verdict.exitCode == exitCannotTell) return "";  // said already
    if (verdict.exitCode != exitPass) return banner("bad", "✗ Failed:", verdict.complaint);
    return banner(
        "good", "✓ Passed",
        verdict.checks.empty() ? report.options.words().all : "All requirements are met.");
}

std::string outages(const LoadResult& result) {
    std::string text;
    for (const Outage& outage : result.total.outages.all()) {
        text += banner("remark", "⚠ Outage:", toString(outage));
    }
    return text;
}

std::string checks(const Verdict& verdict) {
    Table table("Requirements", {"Required", "Found", ""});
    for (const auto& check : verdict.checks) {
        table.row({check.requirement, check.found,
                   check.met       ? "✓ met"
                   : check.isKnown ? "✗ missed"
                                   : "⚠ unknown"});
    }
    return table.isEmpty() ? "" : table.toString();
}

std::string tile(const std::string& name, const std::string& value, const std::string& more) {
    return element("div class=\"tile\"",
                   element("dt", name) +
                       element("dd", element("b", escape(value)) + element("span", escape(more)))) +
           "\n";
}

std::string percentileTile(const LoadResult& result, double percent, const std::string& name) {
    const LatencyHistogram& latency = result.total.latency;
    const auto text = [percent](const LatencyHistogram& histogram) {
        return histogram.count() == 0 ? "–" : apps::withUnit(histogram.percentile(percent));
    };
    return tile(name, text(latency),
                result.openLoop ? "service " + text(result.total.service) : "latency");
}

std::string rateTile(const LoadReport& report) {
    const LoadResult& result = report.result;
    const ModeWords words = report.options.words();
    const std::string megabytes =
        words.ways.empty() ? ""
                           : apps::fixed(result.megabytesPerSecond(), 2) + " MB/s " + words.ways;
    return tile(words.many + "/s", rateText(result.perSecond()),
                result.openLoop ? "of " + rateText(result.offered) + " planned" : megabytes);
}

std::string serverTile(const LoadReport& report) {
    if (!report.result.serverUse) return "";
    const ServerUse& use = *report.result.serverUse;
    const double part = use.seconds() > 0 ? use.cpuSeconds() / use.seconds() : 0;
    return tile("server CPU", apps::fixed(100 * part, 0) + " %",
                apps::fixed(use.microsPerEcho(report.result.perSecond()), 3) + " µs of each " +
                    report.options.words().one);
}

std::string errorTile(const LoadErrors& errors) {
    return tile("errors", grouped(errors.total()),
                errors.wrongAnswers() == 0 ? "no wrong answer"
                                           : counted(errors.wrongAnswers(), "wrong answer"));
}

std::string meaning(const std::string& word, const std::string& text) {
    return element("dt", word) + element("dd", escape(text)) + "\n";
}

std::string latenessText(const LatencyHistogram& lateness) {
    std::string text =
        "from planned to sent, where the generator was free to send: how exactly it kept its plan.";
    if (lateness.count() == 0) return text;
    return text + " p50 " + apps::withUnit(lateness.percentile(50)) + ", p99 " +
           apps::withUnit(lateness.percentile(99)) + ", max " + apps::withUnit(lateness.max()) +
           ".";
}

}  // namespace

std::string heading(const LoadReport& report) {
    const LoadOptions& options = report.options;
    return element("header",
                   element("p class=\"program\"", "echo-client " + escape(report.began)) +
                       element("h1", "Load on " + escape(report.result.server)) +
                       element("p", escape(report.result.openLoop ? openLoop(report)
                                                                  : closedLoop(options))) +
                       element("p class=\"dim\"", escape(load(report)))) +
           "\n";
}

std::string verdict(const LoadReport& report) {
    const std::string warning = report.result.warning();
    return element("section aria-label=\"Verdict\"",
                   "\n" + unknown(report) + outcome(report) +
                       (warning.empty() ? "" : banner("remark", "⚠ Warning:", warning)) +
                       outages(report.result) + checks(report.verdict)) +
           "\n";
}

std::string tiles(const LoadReport& report) {
    const LoadResult& result = report.result;
    const LatencyHistogram& latency = result.total.latency;
    const ModeWords words = report.options.words();
    return element("dl class=\"tiles\"",
                   "\n" + rateTile(report) + percentileTile(result, 50, "p50") +
                       percentileTile(result, 99, "p99") + percentileTile(result, 99.9, "p99.9") +
                       tile("max", latency.count() == 0 ? "–" : apps::withUnit(latency.max()),
                            "of " + grouped(latency.count()) + " " +
                                (latency.count() == 1 ? words.one : words.many)) +
                       errorTile(result.total.errors) + serverTile(report)) +
           "\n";
}

std::string meanings(const LoadReport& report) {
    const LoadResult& result = report.result;
    if (report.options.connectOnly || report.options.isOneWay) return "";
    if (!result.openLoop) {
        return element("dl class=\"meanings\"",
                       "\n" + meaning("Latency",
                                      "from sent to answered. This is a closed loop: while the "
                                      "server stalls nothing new is sent, so that a stall shows in "
                                      "few messages. With --rate it shows in all that were due.")) +
               "\n";
    }
    return element(
               "dl class=\"meanings\"",
               "\n" +
                   meaning("Latency",
                           "from the time the message was planned for to its answer: what a user "
                           "waits, whatever the reason.") +
                   meaning("Service time",
                           "from the time it was really sent to its answer: what the server took, "
                           "without the wait before it.") +
                   meaning("Lateness", latenessText(result.total.lateness))) +
           "\n";
}

}  // namespace load::page
