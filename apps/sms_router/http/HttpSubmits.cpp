#include "sms_router/http/HttpSubmits.h"

#include "sms_router/ingress/EsmeRequests.h"

namespace router {

using smpp::Status;

void HttpSubmits::takeNow(const Request& request, Answered answered) {
    const smpp::Scanned scanned = smpp::scan(request.pdu);
    if (!scanned.pdu) return answered(scanned.problem, nullptr);
    Account& owner = *shard_.topology().accounts[request.account];
    const smpp::Command command = scanned.pdu->command();
    const bool isSubmit = answersSubmit(smpp::responseTo(command));
    if (isSubmit) owner.figures().submitted.fetch_add(1, std::memory_order_relaxed);
    const std::uint32_t sequence = scanned.pdu->sequence();
    // The answer may come in place.
    waiting_.emplace(sequence, Waiting{&owner, command, std::move(answered)});
    Origin from;
    from.link = request.connection;
    from.ingress = &ingress_;
    from.whole = request.whole;
    from.charge = request.charge;
    EsmeRequests requests(shard_, from, owner, request.account, true);
    const Status status = shard_.isDraining() ? requests.refuse(*scanned.pdu, Status::sysErr)
                                              : requests.take(*scanned.pdu);
    if (status != Status::ok) end(sequence, status, nullptr);
}

smpp::Marking HttpSubmits::markingFor(const Request& part) {
    const smpp::Scanned scanned = smpp::scan(part.pdu);
    if (!scanned.pdu) return smpp::Marking::header8;
    Account& owner = *shard_.topology().accounts[part.account];
    Origin from;
    from.whole = part.whole;
    EsmeRequests requests(shard_, from, owner, part.account, true);
    const auto connector = requests.connectorFor(*scanned.pdu);
    return connector ? shard_.config().connectors[*connector].concatenation
                     : smpp::Marking::header8;
}

void HttpSubmits::answeredNow(std::uint32_t sequence, nio::ByteView response) {
    const smpp::Scanned scanned = smpp::scan(response, smpp::Reading::tolerant);
    const Status problem = scanned.pdu ? scanned.pdu->status() : Status::sysErr;
    end(sequence, problem, scanned.pdu ? &*scanned.pdu : nullptr);
}

void HttpSubmits::end(std::uint32_t sequence, Status status, const smpp::Pdu* answer) {
    const auto found = waiting_.find(sequence);
    if (found == waiting_.end()) return;
    Waiting waiting = std::move(found->second);
    waiting_.erase(found);
    countAnswer(shard_, *waiting.account, waiting.request, status);
    waiting.answered(status, answer);
}

}  // namespace router
