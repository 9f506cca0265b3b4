// --verbose: a line on standard error for each connection that opens or closes.
//
// Thread: the connection's dispatcher. Lines of different dispatchers do not mix.
#pragma once

#include <optional>
#include <string>

#include <nio/connection/StreamHandler.h>
#include <nio/loop/SelectorThread.h>
#include <nio/sys/LineSink.h>

namespace echo {

inline std::string peerOf(nio::StreamHandler& connection) {
    const auto address = connection.channel().peerAddress();
    return address ? address.value().toString() : "unknown peer";
}

inline void logOpened(nio::StreamHandler& connection) NIO_REQUIRES(nio::onDispatcher) {
    (void)nio::standardError().write(
        {"connected: ", peerOf(connection), " on ", connection.dispatcher().name(), "\n"});
}

inline void logClosed(nio::StreamHandler& connection, const std::optional<nio::Error>& reason)
    NIO_REQUIRES(nio::onDispatcher) {
    const std::string how = reason ? reason->message() : "closed normally";
    (void)nio::standardError().write({"disconnected: ", peerOf(connection), ": ", how, "\n"});
}

}  // namespace echo
