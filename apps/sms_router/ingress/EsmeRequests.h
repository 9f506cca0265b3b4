// The requests of one ESME connection on their way to connectors: whether the account may send them
// now, where they go, with which addresses. A submit_multi goes out in parts, one for each
// connector and route, and the answers to them are made one.
//
// Thread: the dispatcher's own.
// Lifetime: the connection's. The shard and the account must outlive it.
#pragma once

#include <memory>
#include <optional>

#include "sms_router/ingress/MultiSubmit.h"
#include "sms_router/routing/Shard.h"

namespace router {

// To submit_sm, data_sm or submit_multi.
inline bool answersSubmit(smpp::Command response) {
    return response == smpp::Command::submitSmResp || response == smpp::Command::dataSmResp ||
           response == smpp::Command::submitMultiResp;
}

// That a request of the account was answered so, by whichever protocol it came.
void countAnswer(Shard& shard, Account& account, smpp::Command request, smpp::Status status);

class EsmeRequests {
  public:
    // `account`: the index of `owner` in the configuration. The peer knows TLVs since SMPP 3.4.
    // `from`: of each request, but for what is the request's own.
    EsmeRequests(Shard& shard, const Origin& from, Account& owner, std::size_t account,
                 bool knowsTlvs);

    // Its index in another configuration.
    void useAccount(std::size_t account) { account_ = account; }

    // ESME_ROK: it is on its way, and an answer follows. Anything else is the answer.
    smpp::Status take(const smpp::Pdu& request) NIO_REQUIRES(nio::onDispatcher);
    // Before it is looked at whom it is for. Gives `status`.
    smpp::Status refuse(const smpp::Pdu& request, smpp::Status status)
        NIO_REQUIRES(nio::onDispatcher);
    // Where a submit_sm would go; absent: it would be refused.
    std::optional<std::size_t> connectorFor(const smpp::Pdu& request)
        NIO_REQUIRES(nio::onDispatcher);
    // The answer to a part of a submit_multi. The whole answer when it was the last.
    std::optional<nio::Bytes> partAnswered(const Origin& origin, nio::ByteView response);

  private:
    smpp::Status submit(const smpp::Pdu& request) NIO_REQUIRES(nio::onDispatcher);
    smpp::Status submitMulti(const smpp::Pdu& request) NIO_REQUIRES(nio::onDispatcher);
    smpp::Status aboutMessage(const smpp::Pdu& request) NIO_REQUIRES(nio::onDispatcher);
    // A short id if the peer needs one. Refused: the store has reserved none.
    smpp::Status nameForPeer(MessageId& shown) NIO_REQUIRES(nio::onDispatcher);
    Egress* connectorOf(MessageId id) const;
    smpp::Status permits(std::string_view source, const Destination& destination)
        NIO_REQUIRES(nio::onDispatcher);
    smpp::Status judgeReceiptMark(const smpp::Pdu& request) const NIO_REQUIRES(nio::onDispatcher);
    smpp::Status chooseConnector(const smpp::Pdu& request, const Destination& destination,
                                 RouteDecision& decision) NIO_REQUIRES(nio::onDispatcher);
    // Sets its PDU, and where that goes.
    static smpp::Status rewrite(const smpp::Pdu& request, const RouteConfig* route,
                                Submission& into);
    Submission submissionOf(const smpp::Pdu& request, nio::TimePoint now)
        NIO_REQUIRES(nio::onDispatcher);
    std::unique_ptr<MessageRecord> recordOf(const smpp::Pdu& request, std::string_view destination,
                                            const RouteDecision& decision)
        NIO_REQUIRES(nio::onDispatcher);
    // `record` may be null.
    void writeRefusal(std::unique_ptr<MessageRecord> record, smpp::Status status)
        NIO_REQUIRES(nio::onDispatcher);
    void send(Egress& connector, Submission&& submission) NIO_REQUIRES(nio::onDispatcher);
    struct Dealt;
    Dealt deal(const smpp::Pdu& request, const std::vector<Destination>& destinations)
        NIO_REQUIRES(nio::onDispatcher);
    void sendParts(const smpp::Pdu& request, const Dealt& dealt, MessageId shortId)
        NIO_REQUIRES(nio::onDispatcher);
    void refuseDealt(const smpp::Pdu& request, const Dealt& dealt, smpp::Status status)
        NIO_REQUIRES(nio::onDispatcher);
    void beginParts(const smpp::Pdu& request, const Dealt& dealt, MessageId shown)
        NIO_REQUIRES(nio::onDispatcher);
    const AccountConfig& accountConfig() const { return shard_.config().accounts[account_]; }

    Shard& shard_;
    const Origin from_;
    Account& owner_;
    std::size_t account_;
    const bool knowsTlvs_;
    std::unique_ptr<MultiSubmits> multis_;
};

}  // namespace router
