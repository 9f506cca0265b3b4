#include "apps/sms_router/scenarios/TestSmsc.h"

#include <unistd.h>

#include <stdexcept>

#include <nio/sys/Kernel.h>

namespace router::scenarios {

TestSmsc::TestSmsc() {
    listen();
}

void TestSmsc::listen() {
    listener_ = nio::kernel::openStreamSocket(nio::SocketAddress::Family::ipv4).orThrow();
    nio::kernel::setReuseAddress(listener_.get(), true).orThrow();
    nio::kernel::bind(listener_.get(), nio::SocketAddress::loopback4(port_)).orThrow();
    nio::kernel::listen(listener_.get(), 1024).orThrow();
    port_ = nio::kernel::localAddress(listener_.get()).orThrow().port();
}

nio::UniqueFd TestSmsc::acceptSocket() {
    const nio::TimePoint end = nio::kernel::now() + patience;
    while (nio::kernel::now() < end) {
        nio::kernel::Accepted accepted = nio::kernel::accept(listener_.get());
        if (accepted.result.isDone()) {
            (void)nio::kernel::setNoDelay(accepted.fd.get(), true).ok();
            return std::move(accepted.fd);
        }
        pollfd entry{listener_.get(), POLLIN, 0};
        (void)nio::kernel::waitPoll({&entry, 1}, patience).orThrow();
    }
    throw std::runtime_error("patience is over: the router does not connect");
}

SmppPeer TestSmsc::acceptConnection() {
    return SmppPeer(plainStream(acceptSocket()));
}

SmscBind TestSmsc::accept() {
    return acceptBind(acceptConnection());
}

nio::SocketAddress freeAddress() {
    const auto number = static_cast<unsigned>(::getpid());
    const std::string host = "127." + std::to_string(1 + (number >> 16) % 254) + "." +
                             std::to_string((number >> 8) % 256) + "." +
                             std::to_string(number % 256);
    const nio::UniqueFd probe =
        nio::kernel::openStreamSocket(nio::SocketAddress::Family::ipv4).orThrow();
    nio::kernel::bind(probe.get(), nio::SocketAddress::numeric(host, 0).orThrow()).orThrow();
    return nio::kernel::localAddress(probe.get()).orThrow();
}

SmscBind acceptBind(SmppPeer connection) {
    OwnedPdu bind = connection.next();
    if (!smpp::isBind(bind.command())) throw std::runtime_error("expected a bind");
    connection.send(PduWriter(smpp::responseTo(bind.command()), Status::ok, bind.sequence())
                        .text("smsc")
                        .tlv(Tag::scInterfaceVersion, 0x34u, 1)
                        .finish());
    return {std::move(connection), std::move(bind)};
}

}  // namespace router::scenarios
