// The configuration, and the accounts and connectors behind its names: the same for all
// dispatchers, replaced as a whole on reload.
//
// Thread: any; not changed once published.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include <smpp/session/SmppSession.h>

#include "sms_router/config/RouterConfig.h"
#include "sms_router/model/Account.h"
#include "sms_router/model/Egress.h"

namespace router {

class ReceiptDesk;

struct Topology {
    SharedConfig config;
    std::vector<Account*> accounts;          // by their index in the configuration
    std::vector<Egress*> connectors;         // likewise
    std::vector<ReceiptDesk*> receiptDesks;  // of the connectors
    std::map<std::uint32_t, Egress*> connectorByNumber;
    std::shared_ptr<const smpp::SessionOptions> esmeSession;
};

using SharedTopology = std::shared_ptr<const Topology>;

}  // namespace router
