#include "sms_router/commands/ExplainCommand.h"

#include <ostream>

#include "common/CommandLine.h"
#include "common/Printable.h"
#include "sms_router/commands/CheckCommand.h"
#include "sms_router/config/Spelling.h"
#include "sms_router/routing/Explain.h"

namespace router {

namespace {

// Empty: there is such a one, or none was named.
std::string unknownConnector(const RouterConfig& config, const std::string& name) {
    const auto& known = config.connectorByName;
    if (name.empty() || known.contains(name)) return {};
    return "--connector: unknown connector '" + name + "'" + didYouMean(name, namesOf(known));
}

}  // namespace

int explainMessage(const RouterOptions& options, std::ostream& out, std::ostream& errors) {
    const ConfigReading reading = readConfigFile(options.configFile, options.settings);
    writeFindings(options.configFile, reading, errors);
    if (!reading.config) return apps::exitUsage;
    if (const std::string why = unknownConnector(*reading.config, options.message.connector);
        !why.empty()) {
        errors << "sms-router: " << apps::printable(why) << "\n";
        return apps::exitUsage;
    }
    ConnectorBoard board(reading.config->connectors.size());
    for (std::size_t i = 0; i < board.size(); ++i) {
        board[i].live = reading.config->connectors[i].sends();
    }
    Router router(reading.config, board);
    for (const std::string& line : explain(router, options.message)) {
        out << apps::printable(line) << "\n";
    }
    out << std::flush;
    return out ? apps::exitOk : apps::exitFailed;
}

}  // namespace router
