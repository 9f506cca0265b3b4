#include "common/FlightFile.h"

#include <filesystem>

#include <nio/sys/Signals.h>

namespace apps {

CLI::Option* addFlightFile(CLI::App& app, std::string& file, const char* without) {
    return app
        .add_option("--flight-file", file,
                    std::string("What each selector thread did last is appended to this\n"
                                "file on a crash, a stall or ") +
                        without)
        ->type_name("FILE")
        ->check(CLI::Validator(
            [](std::string& name) { return name.empty() ? "a file has a name" : ""; }, ""));
}

bool canBeAppendedTo(const std::string& file) {
    namespace fs = std::filesystem;
    if (file.empty()) return true;
    std::error_code ignored;
    const bool isNew = !fs::exists(file, ignored);
    const int fd = nio::kernel::openToAppend(file.c_str());
    if (fd < 0) return false;
    nio::kernel::closeWritten(fd);
    if (isNew) fs::remove(fs::canonical(file, ignored), ignored);  // not the link to it
    return true;
}

std::string flightFileMistake(const std::string& file) {
    return "--flight-file " + file + ": cannot be written";
}

}  // namespace apps
