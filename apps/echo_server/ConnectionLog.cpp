#include "echo_server/ConnectionLog.h"

#include <nio/loop/SelectorThread.h>
#include <nio/sys/LineSink.h>

namespace echo {

namespace {

std::string peerOf(nio::StreamHandler& connection) {
    const auto address = connection.channel().peerAddress();
    return address ? address.value().toString() : "unknown peer";
}

}  // namespace

void logOpened(nio::StreamHandler& connection) {
    (void)nio::standardError().write(
        {"connected: ", peerOf(connection), " on ", connection.dispatcher().name(), "\n"});
}

void logClosed(nio::StreamHandler& connection, const std::optional<nio::Error>& reason) {
    const std::string how = reason ? reason->message() : "closed normally";
    (void)nio::standardError().write({"disconnected: ", peerOf(connection), ": ", how, "\n"});
}

}  // namespace echo
