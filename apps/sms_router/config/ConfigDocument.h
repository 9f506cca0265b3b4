// The text of a configuration as a TOML document, with what --set changes in it.
//
// What a setting has put there has line 0.
//
// Thread: any.
#pragma once

#include <toml++/toml.h>

#include <optional>
#include <string>

#include "sms_router/config/ConfigReader.h"
#include "sms_router/config/Findings.h"

namespace router {

// Nothing: it is no TOML; the mistake is among the findings. Settings that do not fit are skipped,
// and mistakes.
std::optional<toml::table> readDocument(const std::string& toml, const Settings& settings,
                                        Findings& findings);

}  // namespace router
