#include "echo_client/run/Outputs.h"

#include <fcntl.h>
#include <unistd.h>

#include <iostream>
#include <map>

#include "echo_client/report/Comparison.h"
#include "echo_client/report/JsonLines.h"
#include "echo_client/report/LiveView.h"
#include "echo_client/report/LoadReport.h"
#include "echo_client/report/Words.h"

namespace load {

namespace {

constexpr const char* jsonOption = "--json";

std::optional<OutputFile::Identity> identityOf(const std::string& path) {
    const nio::UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    return OutputFile::identityOf(fd.get());
}

}  // namespace

std::optional<std::string> Outputs::open() {
    for (const std::string& path : options_.compare) {
        auto run = EarlierRun::read(path);
        if (!run) return "--compare " + run.error().context();
        earlier_.push_back(std::move(run).orThrow());
    }
    struct Output {
        const char* option;
        const std::string& path;
        OutputFile& file;
    };
    const Output outputs[] = {{jsonOption, options_.json, json_},
                              {"--json-lines", options_.jsonLines, lines_},
                              {"--csv", options_.csv, csv_},
                              {"--html", options_.html, html_},
                              {"--hgrm", options_.histogram, histogram_},
                              {"--keep-bad", options_.badFrame, badFrame_}};
    Owners owners;
    for (const auto& [option, path, file] : outputs) {
        if (path.empty()) continue;
        const std::string name = std::string(option) + " " + path;
        auto opened = OutputFile::open(path);
        if (!opened) return name + ": cannot open it for writing: " + opened.error().context();
        file = std::move(opened).value();
        const auto identity = file.identity();
        if (!identity) continue;
        const auto [owner, isFirst] = owners.emplace(*identity, option);
        if (!isFirst) return name + ": " + owner->second + " writes to the same file";
    }
    return comparedIsKept(owners);
}

// --json may take the place of the run that it is compared with: it is a run as well.
std::optional<std::string> Outputs::comparedIsKept(const Owners& owners) const {
    for (const std::string& path : options_.compare) {
        const auto identity = identityOf(path);
        const auto found = identity ? owners.find(*identity) : owners.end();
        if (found == owners.end() || found->second == jsonOption) continue;
        return std::string(found->second) + " would overwrite the file of --compare " + path;
    }
    return std::nullopt;
}

std::vector<LoadObserver*> Outputs::observers() {
    observers_.clear();
    if (!options_.quiet) observers_.push_back(makeLiveView(screen_, progress_, STDERR_FILENO));
    if (options_.jsonLines == OutputFile::standardOutput) {
        observers_.push_back(std::make_unique<JsonLines>(jsonLines_));
    } else if (lines_.isOpen()) {
        observers_.push_back(std::make_unique<JsonLinesFile>(lines_));
    }
    std::vector<LoadObserver*> all;
    for (const auto& observer : observers_) all.push_back(observer.get());
    return all;
}

bool Outputs::ownsStandardOutput() const {
    for (const OutputFile* file : {&json_, &lines_, &csv_, &html_, &histogram_, &badFrame_}) {
        if (file->isStandardOutput()) return true;
    }
    return false;
}

// An earlier run's would be taken for this one's.
void Outputs::writeBadFrame(const std::string& dump) {
    dump.empty() ? badFrame_.discard() : badFrame_.write(dump);
}

bool Outputs::allJsonLinesWritten() const {
    const std::uint64_t lost = jsonLinesSink_.dropped();
    if (lost > 0) {
        (void)nio::standardError().writeAtEnd({"echo-client: --json-lines: ", counted(lost, "line"),
                                               " lost: standard output is closed or ",
                                               "its reader is too slow\n"});
    }
    if (!lines_.good()) {
        (void)nio::standardError().writeAtEnd(
            {"echo-client: --json-lines: its file is full, or its reader is gone or too slow; ",
             "the last lines are missing\n"});
    }
    return lost == 0 && lines_.good();
}

bool Outputs::write(const LoadReport& report) {
    const bool nothing = report.result.total.connect.count() == 0;
    const std::vector<Comparison> comparisons = compared(report, earlier_);
    if (!ownsStandardOutput() && !nothing) {
        std::cout << toText(report);
        for (const Comparison& each : comparisons) std::cout << each.toText();
        std::cout << std::flush;
    }
    if (json_.isOpen()) json_.write(toJson(report));
    if (csv_.isOpen()) csv_.write(toCsv(report));
    if (histogram_.isOpen()) histogram_.write(toHgrm(report.result.total.latency));
    if (html_.isOpen()) html_.write(toHtml(report, earlier_, comparisons));
    writeBadFrame(report.errors.badFrame);
    return allJsonLinesWritten() && std::cout && json_.good() && lines_.good() && csv_.good() &&
           html_.good() && histogram_.good() && badFrame_.good();
}

}  // namespace load
