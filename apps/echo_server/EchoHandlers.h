// The handlers of echo-server's connections: raw bytes or packets.
#pragma once

#include <nio/net/ConnectionDealer.h>

#include "echo_server/EchoServerOptions.h"

namespace echo {

nio::HandlerFactory echoHandlers(const EchoServerOptions& options);

}  // namespace echo
