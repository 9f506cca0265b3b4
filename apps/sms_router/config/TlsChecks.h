// What the files make that TLS needs, and whether they are of use: PEM, a key that fits its
// certificate.
//
// Thread: any; reads the files, which may block.
#pragma once

#include <memory>
#include <vector>

#include <nio-tls/TlsContext.h>
#include "sms_router/config/ConfigReader.h"

namespace router {

using TlsMade = nio::Result<std::shared_ptr<const nio::TlsContext>>;
TlsMade serverContext(const TlsServerConfig& config);
TlsMade clientContext(const TlsClientConfig& config);

// What is wrong with them, a mistake each.
std::vector<ConfigMistake> checkTlsFiles(const RouterConfig& config);

}  // namespace router
