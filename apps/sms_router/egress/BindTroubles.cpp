#include "sms_router/egress/BindTroubles.h"

#include <nio/base/Log.h>

namespace router {

namespace {

std::string nameForLog(const ConnectorConfig& is) {
    const std::string where =
        is.outbindListen.empty() ? is.host + ":" + std::to_string(is.port) : is.outbindListen;
    return "connector '" + is.name + "' (" + where + ")";
}

}  // namespace

void BindTroubles::note(const ConnectorConfig& config, const std::string& what,
                        const std::string& why, bool isLogged) {
    last_.note(why);
    if (!isLogged || logged_.size() == most || !logged_.insert(why).second) return;
    nio::log(nio::LogLevel::warning, nameForLog(config) + what + why);
}

void BindTroubles::bound(const ConnectorConfig& config) {
    if (logged_.empty()) return;
    logged_.clear();
    nio::log(nio::LogLevel::info, nameForLog(config) + " is bound");
}

}  // namespace router
