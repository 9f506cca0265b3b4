#include "sms_router/admin/Alarms.h"

#include <algorithm>

namespace router {

std::vector<std::string> alarmsOf(const Snapshot& snapshot) {
    std::vector<std::string> alarms;
    if (snapshot.storeAlarm) {
        alarms.emplace_back("The store cannot write: submits are refused until it can.");
    }
    for (const ConnectorRow& connector : snapshot.connectors) {
        if (connector.live || connector.stopped) continue;
        const std::string why = connector.lastError.empty() ? "." : ": " + connector.lastError;
        alarms.push_back("Connector " + connector.name + " is down" + why);
    }
    return alarms;
}

bool isBound(const BindRow& bind) {
    return bind.state.starts_with("BOUND");
}

std::size_t boundCount(const std::vector<BindRow>& binds) {
    return static_cast<std::size_t>(std::count_if(binds.begin(), binds.end(), isBound));
}

}  // namespace router
