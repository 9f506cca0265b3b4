// From the text of a configuration to its TOML document, with what --set changes in it, and from
// there to RouterConfig.
//
// What a setting has put there has line 0.
//
// Thread: any.
#pragma once

#include <optional>
#include <string>

#include <toml++/toml.h>

#include "sms_router/config/ConfigReader.h"
#include "sms_router/config/Findings.h"
#include "sms_router/config/RouterConfig.h"

namespace router {

// Nothing: it is no TOML; the mistake is among the findings. Settings that do not fit are skipped,
// and mistakes.
std::optional<toml::table> readDocument(const std::string& toml, const Settings& settings,
                                        Findings& findings);

// The sections in the order in which they need each other. The result is valid only if there are no
// mistakes among the findings afterwards.
RouterConfig readWhole(const toml::table& document, Findings& findings);

// Finds what only the whole configuration shows.
void checkWhole(const RouterConfig& config, Findings& findings);

}  // namespace router
