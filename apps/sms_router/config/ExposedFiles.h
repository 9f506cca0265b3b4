// Whether files with secrets are open to every user of the machine: the configuration, keys of
// certificates and the file of the token. Their group may read them: it is chosen for that.
//
// Thread: any; looks at the files, which may block.
#pragma once

#include <string>
#include <vector>

#include "sms_router/config/RouterConfig.h"

namespace router {

// A warning for each, in the words of ConfigReading::warnings. What is no regular file has none.
std::vector<std::string> exposedFiles(const std::string& configFile, const RouterConfig& config);

}  // namespace router
