#include "echo_client/report/page/Runs.h"

#include "echo_client/report/page/Markup.h"

namespace load::page {

namespace {

// As many as the style sheet has; then they begin anew.
constexpr std::size_t otherStyles = 4;

std::string legend(const std::vector<Key>& keys) {
    std::string items;
    for (const Key& key : keys) {
        const std::string swatch =
            "<svg class=\"swatch\" viewBox=\"0 0 30 10\" aria-hidden=\"true\"><path class=\"key " +
            key.style + "\" d=\"" + key.shape + "\"/></svg>";
        items += element("li", swatch + escape(key.text)) + "\n";
    }
    return element("ul class=\"legend\"", "\n" + items) + "\n";
}

}  // namespace

std::vector<Run> runsOf(const LoadReport& report, const std::vector<EarlierRun>& others) {
    std::vector<Run> runs{
        {"this run", "run0", &report.result.series, &report.result.total.latency}};
    for (const EarlierRun& other : others) {
        const std::size_t number = 1 + (runs.size() - 1) % otherStyles;
        runs.push_back({other.name, "run" + std::to_string(number), &other.series, &other.latency});
    }
    return runs;
}

std::string plotCard(const std::string& title, const std::string& note,
                     const std::vector<Key>& keys, const std::string& plot) {
    const std::string content =
        plot.empty() ? element("p class=\"empty\"", "No data to plot.") : legend(keys) + plot;
    return element("section class=\"card\"", element("h2", escape(title)) +
                                                 element("p class=\"dim\"", escape(note)) + "\n" +
                                                 content) +
           "\n";
}

}  // namespace load::page
