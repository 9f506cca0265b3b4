// --verbose: a line on standard error for every connection that comes and goes.
//
// Thread: any; a line is written in one piece.
#pragma once

#include <optional>

#include <nio/handlers/StreamHandler.h>

namespace echo {

class ConnectionLog {
  public:
    void opened(nio::StreamHandler& connection) const NIO_REQUIRES(nio::onDispatcher);
    void closed(nio::StreamHandler& connection, const std::optional<nio::Error>& reason) const
        NIO_REQUIRES(nio::onDispatcher);
};

}  // namespace echo
