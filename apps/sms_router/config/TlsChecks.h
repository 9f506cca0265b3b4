// Whether the files that TLS needs are of use: PEM, a key that fits its certificate.
//
// Thread: any; reads the files, which may block.
#pragma once

#include <vector>

#include "sms_router/config/ConfigReader.h"

namespace router {

// What is wrong with them, a mistake each.
std::vector<ConfigMistake> checkTlsFiles(const RouterConfig& config);

}  // namespace router
