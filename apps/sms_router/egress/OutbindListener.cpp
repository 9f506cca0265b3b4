#include "sms_router/egress/OutbindListener.h"

#include <nio/net/Acceptor.h>

#include "sms_router/config/AddressRange.h"

namespace router {

class OutbindListener::Door final : public nio::AcceptorListener {
  public:
    Door(std::string peerHost, std::shared_ptr<const Calls> calls)
        : peer_(AddressRange::parse(peerHost)), calls_(std::move(calls)) {}

    void socketConnected(nio::Acceptor&, nio::AcceptedConnection connection) override {
        const nio::Result<nio::SocketAddress> from = connection.channel.peerAddress();
        if (!from) return;
        if (!peer_ || !peer_->contains(from.value())) return calls_->refused(from.value());
        calls_->adopt(std::move(connection.channel));
    }

  private:
    const std::optional<AddressRange> peer_;
    const std::shared_ptr<const Calls> calls_;
};

nio::Result<void> OutbindListener::openNow(const std::string& address, const std::string& peerHost,
                                           std::chrono::seconds keepAlive) {
    const nio::Result<nio::SocketAddress> where = nio::SocketAddress::parse(address);
    if (!where) return where.error();
    nio::AcceptorOptions options;
    options.listen.keepAlive = keepAlive;
    auto acceptor =
        nio::Acceptor::open(where.value(), std::make_unique<Door>(peerHost, calls_), options);
    if (!acceptor) return acceptor.error();
    const auto registered =
        thread_.registerChannelNow(std::move(acceptor).value(), nio::Interest::accept);
    if (!registered) return registered.error();
    handle_ = registered.value();
    return {};
}

void OutbindListener::closeNow() {
    if (handle_.dispatcher() == nullptr) return;
    if (nio::SelectorHandler* door = thread_.findNow(handle_)) door->channel().close();
}

}  // namespace router
