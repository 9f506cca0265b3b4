#include "torture/Dialler.h"

#include <nio/codec/LineDecoder.h>

#include "simulation/Memory.h"
#include "torture/Client.h"

namespace torture {

class Dialler::Talk final : public support::PacketListener {
  public:
    Talk(std::shared_ptr<Result> result, simulation::Journal& journal)
        : result_(std::move(result)), journal_(journal) {}

    void channelOpened(support::PacketChannel& channel) override NIO_REQUIRES(nio::onDispatcher) {
        nio::ByteView rest(result_->sent);
        while (!rest.empty()) {
            const std::size_t size = std::min<std::size_t>(rest.size(), lineBytes);
            channel.send(rest.first(size - 1));
            rest = rest.subspan(size);
        }
    }
    void packetArrived(support::PacketChannel& channel, nio::ByteView packet) override
        NIO_REQUIRES(nio::onDispatcher) {
        check(packet);
        if (result_->back == result_->sent.size()) channel.closeAfterFlush();
    }
    void socketDisconnected(support::PacketChannel&) override NIO_REQUIRES(nio::onDispatcher) {
        result_->done = true;
        result_->served = result_->back == result_->sent.size();
    }
    void socketException(support::PacketChannel&, const nio::Error&) override
        NIO_REQUIRES(nio::onDispatcher) {
        result_->done = true;
    }

  private:
    static constexpr std::size_t lineBytes = 40;

    void check(nio::ByteView packet) {
        const simulation::Plentiful memory;
        const auto expected = nio::ByteView(result_->sent).subspan(result_->back);
        const bool fits = packet.size() < expected.size() &&
                          std::equal(packet.begin(), packet.end(), expected.begin());
        if (!fits) journal_.fail("a line came back that was not sent");
        result_->back += packet.size() + 1;
    }

    const std::shared_ptr<Result> result_;
    simulation::Journal& journal_;
};

Dialler::Dialler(nio::SelectorThread& thread, std::size_t bytes, simulation::Journal& journal)
    : thread_(thread), journal_(journal), result_(std::make_shared<Result>()) {
    result_->sent = Client::stream(bytes);
}

bool Dialler::begin(const nio::SocketAddress& server) {
    return thread_.invokeLater([this, server] {
        nio::onDispatcher.assertCurrent();
        try {
            connector_ = std::make_unique<nio::Connector>(thread_, *this);
            connector_->connectNow(server);
        } catch (const std::bad_alloc&) {
            result_->done = true;
        }
    });
}

void Dialler::connectionEstablished(nio::Connector&, nio::SocketChannel channel) {
    result_->nobodys = true;  // until it is registered
    auto talk = std::make_shared<Talk>(result_, journal_);
    auto handler = support::makeChannel(std::move(channel), std::make_unique<nio::LineDecoder>(),
                                        std::move(talk));
    const auto registered = thread_.registerChannelNow(std::move(handler), nio::Interest::read);
    result_->nobodys = !registered;
}

void Dialler::connectionFailed(nio::Connector&, const nio::Error&) {
    result_->done = true;
}

std::string Dialler::toString() const {
    return "the connector's client: " + std::to_string(result_->back) + " of " +
           std::to_string(result_->sent.size()) + " back";
}

}  // namespace torture
