// What the router's status page, and what stands behind it, says now.
//
// Thread: any. Errors: as SmppPeer's.
#pragma once

#include <string>

#include "apps/sms_router/scenarios/SmppPeer.h"

namespace router::scenarios {

// The head and the body.
inline std::string httpGet(const nio::SocketAddress& server, const std::string& path) {
    const std::string request =
        "GET " + path + " HTTP/1.1\r\nHost: " + server.toString() + "\r\nConnection: close\r\n\r\n";
    const auto stream = plainStream(connectTo(server));
    stream->send(nio::asBytes(std::string_view(request)));
    nio::Bytes answer;
    while (stream->receive(answer)) {
    }
    return std::string(nio::asText(answer));
}

}  // namespace router::scenarios
