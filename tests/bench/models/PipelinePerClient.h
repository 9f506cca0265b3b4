// The pipeline of a Server in the model of a thread per client: the client's thread makes the turns
// of a dispatcher that has this connection only. Work that blocks holds up no other client, and the
// protocol is the same.
//
// Thread: the client's, until its connection has ended.
// Errors: std::system_error if the connection cannot be registered.
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include <nio/loop/SelectorThread.h>

namespace models {

inline void serveOnThisThread(std::unique_ptr<nio::ReadWriteSelectorHandler> client) {
    nio::SelectorThreadOptions options;
    options.idleStop = std::chrono::milliseconds::zero();
    nio::SelectorThread dispatcher(std::move(options));
    dispatcher.registerChannelLater(std::move(client), nio::Interest::read).orThrow();
    dispatcher.run();
}

}  // namespace models
