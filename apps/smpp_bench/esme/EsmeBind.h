// One bind of a run, over as many connections as it takes: keeps its window full.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: longer than its dispatcher runs.
#pragma once

#include <optional>
#include <string>

#include <nio/net/Connector.h>

#include <smpp/pdu/Pdu.h>

#include "smpp_bench/esme/EsmeOptions.h"

namespace smppbench {

class EsmeLink;
class EsmeRun;

class EsmeBind final : private nio::ConnectorListener {
  public:
    EsmeBind(EsmeRun& run, std::size_t account, smpp::Command command);

    void dial() NIO_REQUIRES(nio::onDispatcher);
    // Sends as much as window and run allow.
    void fill() NIO_REQUIRES(nio::onDispatcher);
    void unbind() NIO_REQUIRES(nio::onDispatcher);
    void abort() NIO_REQUIRES(nio::onDispatcher);

    bool isBound() const { return bound_; }
    bool isConnected() const { return link_ != nullptr; }
    std::size_t unanswered() const;

    // --- for its link -------------------------------------------------------------------------
    smpp::Command command() const { return command_; }
    std::size_t account() const { return account_; }
    const AccountName& name() const;
    void bindAnswered(smpp::Status status) NIO_REQUIRES(nio::onDispatcher);
    void answered(const smpp::Pdu& pdu) NIO_REQUIRES(nio::onDispatcher);
    // By a generic_nack: an answer if it has the sequence number of a message.
    void nacked(const smpp::Pdu& pdu) NIO_REQUIRES(nio::onDispatcher);
    void delivered(const smpp::Pdu& pdu) NIO_REQUIRES(nio::onDispatcher);
    void enquired() NIO_REQUIRES(nio::onDispatcher);
    void nonsense() NIO_REQUIRES(nio::onDispatcher);
    void closed(const std::string& reason) NIO_REQUIRES(nio::onDispatcher);

  private:
    void connectionEstablished(nio::Connector&, nio::SocketChannel channel) override
        NIO_REQUIRES(nio::onDispatcher);
    void connectionFailed(nio::Connector&, const nio::Error& error) override
        NIO_REQUIRES(nio::onDispatcher);
    void failed(const std::string& reason) NIO_REQUIRES(nio::onDispatcher);

    EsmeRun& run_;
    const std::size_t account_;
    const smpp::Command command_;
    std::optional<nio::Connector> connector_;  // while it connects
    nio::Deadline again_;
    EsmeLink* link_ = nullptr;
    bool bound_ = false;
    bool refused_ = false;
};

}  // namespace smppbench
