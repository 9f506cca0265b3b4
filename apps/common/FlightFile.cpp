#include "common/FlightFile.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include <nio/sys/UniqueFd.h>

namespace apps {

namespace {

bool canBeOpened(const std::string& file) {
    static nio::UniqueFd pipe;
    constexpr int flags = O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW;
    nio::UniqueFd fd(::open(file.c_str(), flags));
    struct stat opened {};
    const bool isPipe = fd && ::fstat(fd.get(), &opened) == 0 && S_ISFIFO(opened.st_mode);
    if (isPipe) pipe = std::move(fd);
    return isPipe || fd;
}

bool canBeMade(const std::string& file) {
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    const char* const where = folder.empty() ? "." : folder.c_str();
    return ::faccessat(AT_FDCWD, where, W_OK | X_OK, AT_EACCESS) == 0;
}

}  // namespace

CLI::Option* addFlightFile(CLI::App& app, std::string& file, const char* without) {
    return app
        .add_option("--flight-file", file,
                    std::string("Append the recent events of each dispatcher to this file\n"
                                "on a crash, a stall or ") +
                        without)
        ->type_name("FILE")
        ->check(CLI::Validator(
            [](std::string& name) { return name.empty() ? "the file name must not be empty" : ""; },
            ""));
}

std::optional<std::string> flightFileMistake(const std::string& file) {
    if (file.empty()) return std::nullopt;
    const auto mistake = [&](const char* what) { return "--flight-file " + file + ": " + what; };
    struct stat found {};
    const bool isThere = ::lstat(file.c_str(), &found) == 0;
    if (isThere && S_ISLNK(found.st_mode)) return mistake("symbolic links are not allowed");
    const bool isFine = isThere ? canBeOpened(file) : errno == ENOENT && canBeMade(file);
    if (!isFine) return mistake("cannot open it for writing");
    return std::nullopt;
}

}  // namespace apps
