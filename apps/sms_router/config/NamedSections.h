// The sections that have a name: [listener.NAME], [account.NAME], [connector.NAME], [group.NAME].
//
// A password in clear is hashed here, by the cheap method: about a millisecond each. The same one
// has the same hash when it is read again.
//
// Thread: any.
#pragma once

#include <string>

#include "sms_router/config/ConfigValues.h"
#include "sms_router/config/RouterConfig.h"
#include "sms_router/config/TomlTable.h"

namespace router {

// [listener.NAME.tls], [http.tls].
void readTlsServer(TomlTable& table, TlsServerConfig& tls);
ListenerConfig readListener(const std::string& name, TomlTable& table);
AccountConfig readAccount(const std::string& name, TomlTable& table);
ConnectorConfig readConnector(const std::string& name, TomlTable& table);
GroupConfig readGroup(const std::string& name, TomlTable& table, const Indices& connectors);

}  // namespace router
