#include "echo_client/run/Outputs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <map>

#include "echo_client/report/CsvReport.h"
#include "echo_client/report/Hgrm.h"
#include "echo_client/report/HtmlReport.h"
#include "echo_client/report/JsonLinesFile.h"
#include "echo_client/report/JsonReport.h"
#include "echo_client/report/LiveScreen.h"
#include "echo_client/report/TextReport.h"
#include "echo_client/report/Words.h"
#include "echo_client/run/Conclusion.h"

namespace load {

namespace {

constexpr const char* standardOutput = "-";
constexpr const char* jsonOption = "--json";

bool canBeWritten(const std::string& path) {
    return path.empty() || path == standardOutput || std::ofstream(path, std::ios::app);
}

bool writeTo(const std::string& path, const std::string& text) {
    if (path.empty()) return true;
    if (path == standardOutput) return static_cast<bool>(std::cout << text << std::flush);
    std::ofstream file(path, std::ios::trunc | std::ios::binary);
    return static_cast<bool>(file << text << std::flush);
}

// Not a device. A link stays, as does what cannot be removed: that is emptied.
bool removeFile(const std::string& path) {
    std::error_code error;
    if (path == standardOutput || !std::filesystem::is_regular_file(path, error)) return true;
    const bool isLink = std::filesystem::is_symlink(path, error);
    if (!isLink && std::filesystem::remove(path, error)) return true;
    return writeTo(path, "");
}

// Of an open file; nothing: of one that takes everything, or is not there.
std::optional<std::pair<dev_t, ino_t>> identityOf(const std::string& path) {
    struct stat found {};
    const int failed =
        path == standardOutput ? ::fstat(STDOUT_FILENO, &found) : ::stat(path.c_str(), &found);
    struct stat null {};
    const bool isNull =
        ::stat("/dev/null", &null) == 0 && S_ISCHR(found.st_mode) && found.st_rdev == null.st_rdev;
    if (path.empty() || failed != 0 || isNull) return std::nullopt;
    return std::pair(found.st_dev, found.st_ino);
}

}  // namespace

std::optional<std::string> Outputs::open() {
    for (const std::string& path : options_.compare) {
        auto run = EarlierRun::read(path);
        if (!run) return "--compare " + run.error().context();
        earlier_.push_back(std::move(run).orThrow());
    }
    const std::pair<const char*, const std::string&> files[] = {
        {jsonOption, options_.json},    {"--json-lines", options_.jsonLines},
        {"--csv", options_.csv},        {"--html", options_.html},
        {"--hgrm", options_.histogram}, {"--keep-bad", options_.badFrame}};
    for (const auto& [option, path] : files) {
        if (!canBeWritten(path)) return std::string(option) + " " + path + ": cannot be written";
    }
    Owners owners;
    for (const auto& [option, path] : files) {
        const auto identity = identityOf(path);
        if (!identity) continue;
        const auto [owner, isFirst] = owners.emplace(*identity, option);
        if (!isFirst) return std::string(option) + " " + path + ": is the file of " + owner->second;
    }
    return comparedIsKept(owners);
}

// --json may take the place of the run that it is compared with: it is a run as well.
std::optional<std::string> Outputs::comparedIsKept(const Owners& owners) const {
    for (const std::string& path : options_.compare) {
        const auto identity = identityOf(path);
        const auto found = identity ? owners.find(*identity) : owners.end();
        if (found == owners.end() || found->second == jsonOption) continue;
        return std::string(found->second) + " is the file of --compare " + path;
    }
    return std::nullopt;
}

std::vector<LoadObserver*> Outputs::observers() {
    observers_.clear();
    if (!options_.quiet) observers_.push_back(makeLiveView(screen_, progress_, STDERR_FILENO));
    if (options_.jsonLines == standardOutput) {
        observers_.push_back(std::make_unique<JsonLines>(jsonLines_));
    } else if (!options_.jsonLines.empty()) {
        observers_.push_back(std::make_unique<JsonLinesFile>(lines_, options_.jsonLines));
    }
    std::vector<LoadObserver*> all;
    for (const auto& observer : observers_) all.push_back(observer.get());
    return all;
}

bool Outputs::ownsStandardOutput() const {
    for (const std::string* path : {&options_.json, &options_.jsonLines, &options_.csv,
                                    &options_.html, &options_.histogram, &options_.badFrame}) {
        if (*path == standardOutput) return true;
    }
    return false;
}

// An earlier run's would be taken for this one's.
bool Outputs::writeBadFrame(const std::string& dump) {
    return dump.empty() ? removeFile(options_.badFrame) : writeTo(options_.badFrame, dump);
}

bool Outputs::allJsonLinesWritten() const {
    const std::uint64_t lost = jsonLinesSink_.dropped();
    if (lost > 0) {
        (void)nio::standardError().write({clientProgram, ": --json-lines: ", counted(lost, "line"),
                                          " lost: standard output could ",
                                          "not be written, or was not read in time\n"});
    }
    return lost == 0 && lines_.good();
}

bool Outputs::write(const LoadReport& report) {
    const bool nothing = report.result.total.connect.count() == 0;
    if (!ownsStandardOutput() && !nothing) std::cout << toText(report) << std::flush;
    bool written = writeTo(options_.json, toJson(report));
    written = writeTo(options_.csv, toCsv(report)) && written;
    written = writeTo(options_.histogram, toHgrm(report.result.total.latency)) && written;
    if (!options_.html.empty())
        written = writeTo(options_.html, toHtml(report, earlier_)) && written;
    written = writeBadFrame(report.errors.badFrame) && written;
    return allJsonLinesWritten() && written && std::cout;
}

}  // namespace load
