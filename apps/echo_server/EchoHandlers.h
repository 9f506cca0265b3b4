// What a connection of echo-server is, composed once at the start: a RawEcho or a PacketEcho where
// nothing but an echo is asked for; else a pipeline with a stage for each behaviour.
//
// Thread: any, one at a time.
#pragma once

#include <memory>

#include <nio/net/ConnectionDealer.h>

#include <nio-tls/Tls.h>

#include "echo_server/EchoServerOptions.h"

namespace echo {

// `tls` is null without TLS.
nio::HandlerFactory echoHandlers(const EchoServerOptions& options,
                                 std::shared_ptr<const nio::TlsSlot> tls);

}  // namespace echo
