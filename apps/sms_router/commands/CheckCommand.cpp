#include "sms_router/commands/CheckCommand.h"

#include <ostream>

#include "common/CommandLine.h"
#include "common/Printable.h"
#include "sms_router/config/ExposedFiles.h"

namespace router {

namespace {

std::string counted(std::size_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::string storeOf(const StoreConfig& store) {
    return store.durability == Durability::memory ? "ids in memory" : "ids in " + store.path;
}

std::string adminOf(const AdminConfig& admin) {
    if (!admin.enabled) return "no admin interface";
    return "admin on " + admin.host + ":" + std::to_string(admin.port);
}

}  // namespace

void writeFindings(const std::string& path, const ConfigReading& reading, std::ostream& errors) {
    for (const ConfigMistake& mistake : reading.mistakes) {
        errors << apps::printable(describe(path, mistake)) + "\n";
    }
    for (const std::string& warning : reading.warnings) {
        errors << apps::printable(path + ": warning: " + warning) + "\n";
    }
}

std::string summaryOf(const RouterConfig& config) {
    return counted(config.listeners.size(), "listener") + ", " +
           counted(config.accounts.size(), "account") + ", " +
           counted(config.connectors.size(), "connector") + ", " +
           counted(config.groups.size(), "group") + ", " + counted(config.routes.size(), "route") +
           ", " + counted(config.moRoutes.size(), "MO route") + "; " + storeOf(config.store) +
           "; " + adminOf(config.admin);
}

int checkConfig(const RouterOptions& options, std::ostream& out, std::ostream& errors) {
    ConfigReading reading = readConfigFile(options.configFile, options.settings);
    if (reading.config != nullptr) {
        for (std::string& warning : exposedFiles(options.configFile, *reading.config)) {
            reading.warnings.push_back(std::move(warning));
        }
    }
    writeFindings(options.configFile, reading, errors);
    if (!reading.config) return apps::exitUsage;
    out << options.configFile << ": ok\n" << summaryOf(*reading.config) << "\n" << std::flush;
    return out ? apps::exitOk : apps::exitFailed;
}

}  // namespace router
