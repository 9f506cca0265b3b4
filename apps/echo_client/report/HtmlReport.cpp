#include "Assets.h"
#include "echo_client/report/EarlierRun.h"
#include "echo_client/report/page/Markup.h"
#include "echo_client/report/page/Page.h"

namespace load {

namespace {

using page::element;
using page::escape;

// What the page may load: nothing. A browser holds it to that.
const char* const head =
    R"(<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
)";

std::string headOf(const LoadReport& report) {
    return element("head", "\n" + std::string(head) +
                               element("title", "echo-client: " + escape(report.result.server)) +
                               "\n" + element("style", "\n" + std::string(assets::style_css)) +
                               "\n");
}

std::string plots(const LoadReport& report, const std::vector<EarlierRun>& others) {
    const std::vector<page::Run> runs = page::runsOf(report, others);
    return element("div class=\"plots\"",
                   "\n" + page::throughputPlot(report, runs) + page::latencyPlot(report, runs) +
                       page::percentilePlot(report, runs) + page::histogramPlot(report, runs)) +
           "\n";
}

std::string mainOf(const LoadReport& report, const std::vector<EarlierRun>& others,
                   const std::vector<Comparison>& comparisons) {
    return page::heading(report) + page::verdict(report) + page::tiles(report) +
           page::meanings(report) + page::search(report) + plots(report, others) +
           page::details(report, others, comparisons);
}

}  // namespace

std::string toHtml(const LoadReport& report, const std::vector<EarlierRun>& others,
                   const std::vector<Comparison>& comparisons) {
    const std::string body =
        element("body", "\n" + element("main", "\n" + mainOf(report, others, comparisons)));
    return "<!DOCTYPE html>\n" + element("html lang=\"en\"", "\n" + headOf(report) + "\n" + body) +
           "\n";
}

}  // namespace load
