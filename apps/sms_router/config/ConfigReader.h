// router.toml to RouterConfig, with every mistake in it, not only the first.
//
// Keys that it does not know are mistakes. Paths in the file are relative to the working directory.
//
// Thread: any.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sms_router/config/RouterConfig.h"

namespace router {

struct ConfigMistake {
    int line = 0;  // 0: of the whole file, or of a --set
    std::string what;
};

struct ConfigReading {
    SharedConfig config;  // null: there are mistakes
    std::vector<ConfigMistake> mistakes;
    std::vector<std::string> warnings;
};

// "key=value": a dotted path, and a TOML value (a bare word is a string). Applied before the
// checks.
using Settings = std::vector<std::string>;

ConfigReading readConfig(const std::string& toml, const Settings& settings);
ConfigReading readConfigFile(const std::string& path, const Settings& settings);

// Warnings, in the words of the others: files with secrets (the configuration, keys of
// certificates, the file of the token) that every user of the machine can read or write. Their
// group may read them: it is chosen for that. What is no regular file has none. Looks at the files,
// which may block.
std::vector<std::string> exposedFiles(const std::string& path, const RouterConfig& config);

// "router.toml:12: …" or "router.toml: …".
std::string describe(const std::string& path, const ConfigMistake& mistake);

}  // namespace router
