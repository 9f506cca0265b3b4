// --verbose: a line on standard error for every connection that comes and goes.
//
// Thread: any; a line is written in one piece.
#pragma once

#include <optional>

#include <nio/connection/StreamHandler.h>

namespace echo {

void logOpened(nio::StreamHandler& connection) NIO_REQUIRES(nio::onDispatcher);
void logClosed(nio::StreamHandler& connection, const std::optional<nio::Error>& reason)
    NIO_REQUIRES(nio::onDispatcher);

}  // namespace echo
