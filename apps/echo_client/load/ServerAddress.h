// Where the server is: of all addresses that a name has, one that takes connections.
//
// Thread: any; makes turns of a dispatcher of its own until it is known.
// Errors: nameNotFound; connection_refused, … of the last address tried.
#pragma once

#include "common/Endpoint.h"

namespace load {

// What is written as a number is not tried.
nio::Result<nio::SocketAddress> findServer(const apps::Endpoint& endpoint);

}  // namespace load
