// EsmeLink: the ids of messages, and requests about them.
#include "sms_router/esme/EsmeLink.h"

namespace router {

using smpp::Field;
using smpp::Status;

// A version before 3.4 has room for eight characters.
Status EsmeLink::nameForPeer(MessageId& shown) {
    if (session().peerKnowsTlvs()) return Status::ok;
    shown = shard_->shortIds().make();
    return shown == 0 ? Status::sysErr : Status::ok;
}

Status EsmeLink::aboutMessage(const smpp::Pdu& request) {
    const Status wrongId = Status::invMsgId;
    const std::optional<MessageId> id = messageIdOf(request.text(Field::messageId));
    if (!id) return wrongId;
    Egress* const connector = connectorOf(*id);
    if (connector == nullptr) return wrongId;
    if (!account().rate().allow(nio::Clock::now())) return Status::throttled;
    Submission submission = submissionOf(request);
    submission.about = *id;
    submission.pdu = nio::copyOf(request.bytes());
    send(*connector, std::move(submission));
    return Status::ok;
}

// The first one asks the others about a short id.
Egress* EsmeLink::connectorOf(MessageId id) const {
    const Topology& topology = shard_->topology();
    if (isShort(id)) return topology.connectors.empty() ? nullptr : topology.connectors.front();
    const auto found = topology.connectorByNumber.find(connectorNumberOf(id));
    return found == topology.connectorByNumber.end() ? nullptr : found->second;
}

}  // namespace router
