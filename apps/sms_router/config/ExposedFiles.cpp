#include "sms_router/config/ConfigReader.h"

#include <sys/stat.h>

namespace router {

namespace {

std::string octal(unsigned mode) {
    std::string digits = "0";
    for (int shift = 6; shift >= 0; shift -= 3) {
        digits += static_cast<char>('0' + (mode >> shift & 7U));
    }
    return digits;
}

// Empty: nothing.
std::string whatOthersCanDo(const std::string& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    const bool canRead = (status.st_mode & S_IROTH) != 0;
    const bool canWrite = (status.st_mode & S_IWOTH) != 0;
    if (!canRead && !canWrite) return {};
    const std::string what = !canWrite ? "read" : canRead ? "read and write" : "write";
    return "every user can " + what + " " + file + " (mode " + octal(status.st_mode) +
           "); use 0640 or less";
}

}  // namespace

std::vector<std::string> exposedFiles(const std::string& configFile, const RouterConfig& config) {
    std::vector<std::string> warnings;
    const auto look = [&](const std::string& self, const std::string& file) {
        const std::string what = whatOthersCanDo(file);
        if (!what.empty()) warnings.push_back(self + what);
    };
    look("", configFile);
    for (const ListenerConfig& listener : config.listeners) {
        if (listener.tls) look("listener." + listener.name + ".tls.key: ", listener.tls->key);
    }
    for (const ConnectorConfig& connector : config.connectors) {
        if (!connector.tls || connector.tls->key.empty()) continue;
        look("connector." + connector.name + ".tls.key: ", connector.tls->key);
    }
    look("admin.token_file: ", config.admin.tokenFile);
    return warnings;
}

}  // namespace router
