#include "common/ServerOptions.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include <nio/sys/Process.h>
#include <nio/sys/UniqueFd.h>

#include "common/OptionTypes.h"

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

CLI::Option* addKeepAlive(CLI::App& app, std::chrono::seconds& target) {
    return addTime(app, "--keepalive", target, leastKeepAlive, mostKeepAlive,
                   "TCP keep-alive: probe a peer after this much silence, five\n"
                   "times within the same time again (at least 5 s), then close\n"
                   "the connection");
}

void addMemoryBudget(CLI::App& app, BudgetBytes& bytes) {
    const auto parse = [](const std::string& text) {
        const auto size = parseCount(text);
        const bool tooLittle = size && size.value() > 0 && size.value() < leastBudget;
        if (!tooLittle) return size;
        return nio::Result<std::uint64_t>(nio::Error(
            std::errc::invalid_argument, "'" + text + "' is too small: the minimum is 1Mi"));
    };
    addParsed(app, "--memory-budget", bytes, parse, "SIZE",
              "Buffer memory of all connections together, such as 512Mi.\n"
              "At 80 percent reads pause on connections with pending output,\n"
              "at 90 new connections are refused, at 100 the largest buffer\n"
              "holders are evicted; 0: no limit")
        ->default_str("half of the memory");
}

std::shared_ptr<nio::MemoryBudget> makeMemoryBudget(const BudgetBytes& bytes) {
    nio::MemoryBudgetOptions options;
    options.bytes = bytes ? *bytes : std::max(nio::kernel::memoryLimit() / 2, leastBudget);
    if (options.bytes == 0) return nullptr;
    return std::make_shared<nio::MemoryBudget>(options);
}

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
