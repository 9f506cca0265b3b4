// A client that is made of the library: a Connector, then a pipeline that sends its lines and
// awaits them back.
//
// Thread: the one of the run.
#pragma once

#include <memory>
#include <string>

#include <nio/net/Connector.h>
#include "support/PacketChannel.h"

#include "simulation/Journal.h"

namespace torture {

class Dialler final : public nio::ConnectorListener {
  public:
    Dialler(nio::SelectorThread& thread, std::size_t bytes, simulation::Journal& journal);

    // False: refused.
    bool begin(const nio::SocketAddress& server);
    // On its dispatcher or once that has stopped.
    void giveUp() { connector_.reset(); }
    bool isDone() const { return result_->done || result_->nobodys; }
    bool isServed() const { return result_->served; }
    std::string toString() const;

    void connectionEstablished(nio::Connector& connector, nio::SocketChannel channel) override
        NIO_REQUIRES(nio::onDispatcher);
    void connectionFailed(nio::Connector& connector, const nio::Error& error) override
        NIO_REQUIRES(nio::onDispatcher);

  private:
    class Talk;
    struct Result {
        nio::Bytes sent{};
        std::size_t back = 0;
        bool nobodys = false;  // connected, and lost before it was registered
        bool done = false;
        bool served = false;
    };

    nio::SelectorThread& thread_;
    simulation::Journal& journal_;
    std::shared_ptr<Result> result_;
    std::unique_ptr<nio::Connector> connector_;
};

}  // namespace torture
