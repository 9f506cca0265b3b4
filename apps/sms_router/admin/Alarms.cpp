#include "sms_router/admin/Alarms.h"

#include <algorithm>

namespace router {

std::vector<std::string> alarmsOf(const Snapshot& snapshot) {
    std::vector<std::string> alarms;
    if (snapshot.storeAlarm) {
        alarms.emplace_back("The store cannot write: submits are refused until it recovers.");
    }
    if (snapshot.recordsAlarm) {
        alarms.emplace_back(
            "The message records cannot be written: records are lost until this recovers.");
    }
    for (const ConnectorRow& connector : snapshot.connectors) {
        const std::size_t bound = boundCount(connector.binds), wanted = connector.binds.size();
        if (connector.stopped || (bound == wanted && wanted > 0)) continue;
        const std::string what = bound == 0 ? " is down"
                                            : " has " + std::to_string(bound) + " of " +
                                                  std::to_string(wanted) + " binds";
        const std::string why = connector.lastError.empty() ? "." : ": " + connector.lastError;
        alarms.push_back("Connector " + connector.name + what + why);
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
