#include "echo_server/EchoHandlers.h"

#include <nio/pipeline/PipelineFactory.h>

#include "common/Quantity.h"
#include "echo_server/ByteServices.h"
#include "echo_server/ConnectionLog.h"
#include "echo_server/Echo.h"
#include "echo_server/PacedOutput.h"
#include "echo_server/ProxyStage.h"

namespace echo {

namespace {

using Tls = std::shared_ptr<const nio::TlsSlot>;

nio::StreamOptions streamOptions(const EchoServerOptions& options) {
    nio::StreamOptions stream;
    stream.idleTimeout = options.idleTimeout;
    stream.movable = options.rebalance.has_value();
    // A peer that has sent FIN still gets its answers.
    const auto held =
        std::chrono::ceil<std::chrono::milliseconds>(options.behaviour.delay.longest());
    stream.lingerTimeout += held;
    stream.lingerLimit += held;
    // Nor is it idle meanwhile.
    const bool isLimited = stream.idleTimeout > std::chrono::milliseconds::zero();
    if (isLimited) {
        stream.idleTimeout +=
            held + std::chrono::ceil<std::chrono::milliseconds>(options.behaviour.stall.length);
    }
    if (options.behaviour.chunk != 0) {
        stream.lingerLimit =
            std::chrono::duration_cast<std::chrono::milliseconds>(apps::longestTime);
    }
    return stream;
}

// Nothing but the echo.
nio::HandlerFactory plain(const EchoServerOptions& options, const Tls& tls) {
    const nio::StreamOptions stream = streamOptions(options);
    if (tls != nullptr) {
        return apps::withStage(options.framing, [&](auto framing) {
            return nio::HandlerFactory(
                nio::pipeline(nio::tls(tls), framing, PacketEcho()).with(stream));
        });
    }
    if (options.framing != apps::Framing::raw) {
        return apps::withStage(options.framing, [&](auto framing) {
            return nio::HandlerFactory(nio::pipeline(framing, PacketEcho()).with(stream));
        });
    }
    return [shared = std::make_shared<const nio::StreamOptions>(stream)](
               nio::AcceptedConnection connection) {
        auto handler = std::make_unique<RawEcho>(std::move(connection.channel), shared);
        handler->keep(std::move(connection.permit));
        return handler;
    };
}

// Each stage lets all pass that it is not asked to change.
nio::HandlerFactory staged(const EchoServerOptions& options, const Tls& tls, auto application) {
    const Behaviour& behaviour = options.behaviour;
    const bool countsBytes = options.framing == apps::Framing::raw;
    const ProxyStage proxy(behaviour.proxyProtocol, options.verbose);
    const auto with = [&](auto... transport) {
        return nio::HandlerFactory(
            nio::pipeline(proxy, transport..., ConnectionLog(options.verbose),
                          Stall(behaviour.stall), PacedOutput(behaviour.delay, behaviour.chunk),
                          nio::Framed(apps::AnyFraming(options.framing)),
                          CloseAfter(behaviour.closeAfter, countsBytes), application)
                .with(streamOptions(options)));
    };
    return tls == nullptr ? with() : with(nio::tls(tls));
}

}  // namespace

nio::HandlerFactory echoHandlers(const EchoServerOptions& options, Tls tls) {
    if (options.behaviour.isPlain() && !options.verbose) return plain(options, tls);
    switch (options.behaviour.service) {
        case Service::discard: return staged(options, tls, Discard());
        case Service::chargen: return staged(options, tls, Chargen());
        case Service::echo: break;
    }
    return staged(options, tls, PacketEcho());
}

}  // namespace echo
