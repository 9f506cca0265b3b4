// One exchange with an echo server that frames nothing.
#pragma once

#include <string>

#include "support/PumpUntil.h"
#include "support/TestClient.h"

namespace support {

// Whether it gives back the text, and then the end.
inline bool echoes(const nio::SocketAddress& server, const std::string& text) {
    TestClient client(server);
    client.send(text);
    client.finish();
    return pumpUntil({&client}, [&] { return client.hasEnded(); }) && client.hasReceived(text);
}

}  // namespace support
