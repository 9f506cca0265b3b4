#include "echo_client/load/ServerAddress.h"

#include <nio/net/Connector.h>

namespace load {

namespace {

using Found = nio::Result<nio::SocketAddress>;

// Connects once, to learn which address it was.
class Probe final : private nio::ConnectorListener {
  public:
    Found run(const std::string& host, std::uint16_t port) {
        (void)thread_.invokeLater([&] {
            nio::onDispatcher.assertCurrent();
            connector_.connectNow(host, port);
        });
        thread_.run();
        return found_;
    }

  private:
    void connectionEstablished(nio::Connector&, nio::SocketChannel channel) override
        NIO_REQUIRES(nio::onDispatcher) {
        over(channel.peerAddress());
    }
    void connectionFailed(nio::Connector&, const nio::Error& error) override
        NIO_REQUIRES(nio::onDispatcher) {
        over(error);
    }
    void over(Found found) {
        found_ = std::move(found);
        thread_.requestClose();
    }
    static nio::ConnectorOptions options() {
        nio::ConnectorOptions options;
        options.resolver = std::make_shared<nio::Resolver>();
        return options;
    }

    Found found_{nio::Errc::cancelled};
    nio::SelectorThread thread_;
    nio::Connector connector_{thread_, *this, options()};
};

}  // namespace

Found findServer(const apps::Endpoint& endpoint) {
    if (!endpoint.unixPath.empty()) return nio::SocketAddress::unixPath(endpoint.unixPath);
    Found numeric = nio::SocketAddress::numeric(endpoint.host, endpoint.port);
    if (numeric) return numeric;
    return Probe().run(endpoint.host, endpoint.port);
}

}  // namespace load
