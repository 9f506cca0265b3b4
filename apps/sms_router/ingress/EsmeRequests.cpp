#include "sms_router/ingress/EsmeRequests.h"

#include <smpp/pdu/PduPatch.h>

#include "sms_router/model/Moment.h"
#include "sms_router/model/Post.h"
#include "sms_router/routing/RouteMatch.h"

namespace router {

using smpp::Command;
using smpp::Field;
using smpp::Status;

namespace {

// Of a submit_sm or data_sm.
Destination destinationOf(const smpp::Pdu& request) {
    return {false, request.number(Field::destinationTon), request.number(Field::destinationNpi),
            request.text(Field::destinationAddress)};
}

}  // namespace

void countAnswer(Shard& shard, Account& account, Command request, Status status) {
    AccountFigures& figures = account.figures();
    const auto one = [](std::atomic<std::uint64_t>& counter) {
        counter.fetch_add(1, std::memory_order_relaxed);
    };
    if (status != Status::ok) ++shard.figures().refusedBy[&account].of(request).of(status);
    if (!answersSubmit(smpp::responseTo(request))) return;
    if (status == Status::ok) return one(figures.accepted);
    one(figures.refused);
    if (status == Status::throttled || status == Status::msgQFul) one(figures.throttled);
}

EsmeRequests::EsmeRequests(Shard& shard, const Origin& from, Account& owner, std::size_t account,
                           bool knowsTlvs)
    : shard_(shard), from_(from), owner_(owner), account_(account), knowsTlvs_(knowsTlvs) {}

std::optional<nio::Bytes> EsmeRequests::partAnswered(const Origin& origin, nio::ByteView response) {
    if (multis_ == nullptr) return std::nullopt;
    return multis_->partAnswered(origin.sequence, origin.part, response);
}

Status EsmeRequests::take(const smpp::Pdu& request) {
    switch (request.command()) {
        case Command::submitSm:
        case Command::dataSm: return submit(request);
        case Command::submitMulti: return submitMulti(request);
        case Command::querySm:
        case Command::cancelSm:
        case Command::replaceSm: return aboutMessage(request);
        default: return Status::invCmdId;
    }
}

// Before it was looked at whom it is for.
Status EsmeRequests::refuse(const smpp::Pdu& request, Status status) {
    if (!answersSubmit(smpp::responseTo(request.command()))) return status;
    const bool isMulti = request.command() == Command::submitMulti;
    const std::string to = isMulti ? namesOf(destinationsOf(request))
                                   : std::string(request.text(Field::destinationAddress));
    writeRefusal(recordOf(request, to, {}), status);
    return status;
}

Status EsmeRequests::permits(std::string_view source, const Destination& destination) {
    const AccountConfig& config = accountConfig();
    const NumberingPlan& plan = shard_.config().numbers;
    if (!config.sources.empty() && !router::permits(config.sources, AddressForms(source, plan))) {
        return Status::invSrcAdr;
    }
    if (destination.isList && !permitsLists(config, shard_.config())) return Status::invDlName;
    const bool isOdd = config.digitsOnly && !destination.isList;
    if (isOdd && !isPlainNumber(destination.address)) return Status::invDstAdr;
    if (config.destinations.empty() || destination.isList) return Status::ok;
    const AddressForms forms(destination.address, plan, destination.ton);
    return router::permits(config.destinations, forms) ? Status::ok : Status::invDstAdr;
}

// Only SMSCs send receipts: one that comes back from an SMSC would be taken for its own.
Status EsmeRequests::judgeReceiptMark(const smpp::Pdu& request) const {
    if (accountConfig().clearsReceiptMark) return Status::ok;
    if ((request.number(Field::esmClass) & receiptBits) != 0) return Status::invEsmClass;
    return request.tlv(smpp::Tag::receiptedMessageId) ? Status::optParNotAllwd : Status::ok;
}

Status EsmeRequests::chooseConnector(const smpp::Pdu& request, const Destination& destination,
                                     RouteDecision& decision) {
    MessageFacts facts;
    facts.account = owner_.systemId();
    facts.source = request.text(Field::sourceAddress);
    facts.destination = destination.address;
    facts.destinationTon = destination.ton;
    facts.serviceType = request.text(Field::serviceType);
    facts.dataCoding = request.number(Field::dataCoding);
    facts.part = smpp::concatenationOf(request);
    // Its connector decides how it is marked, which must not lead to another connector.
    if (facts.part && from_.whole.parts > 1) {
        facts.part->reference = static_cast<std::uint32_t>(from_.whole.id);
    }
    facts.time = std::chrono::system_clock::now();
    decision = shard_.routing().route(facts);
    return decision.connector ? Status::ok : decision.status;
}

std::optional<std::size_t> EsmeRequests::connectorFor(const smpp::Pdu& request) {
    RouteDecision decision;
    chooseConnector(request, destinationOf(request), decision);
    return decision.connector;
}

Status EsmeRequests::submit(const smpp::Pdu& request) {
    const Destination to = destinationOf(request);
    RouteDecision decision;
    Status status = judgeReceiptMark(request);
    if (status == Status::ok) status = permits(request.text(Field::sourceAddress), to);
    const nio::TimePoint now = Moment::now();
    const bool isCharged = status == Status::ok && from_.charge > 0;
    if (isCharged && !owner_.rate().allow(now, from_.charge)) status = Status::throttled;
    if (status == Status::ok) status = chooseConnector(request, to, decision);
    std::unique_ptr<MessageRecord> record = recordOf(request, to.address, decision);
    if (status == Status::ok) {
        Submission submission = submissionOf(request, now);
        status = rewrite(request, decision.route, submission);
        const bool isRewritten = submission.otherDestination || submission.source != nullptr;
        if (isRewritten && accountConfig().ownAddressesInReceipts)
            submission.own = ownOf(request, {to.ton, to.npi, std::string(to.address)});
        if (status == Status::ok) status = nameForPeer(submission.shown);
        if (status == Status::ok) {
            submission.rerouting = std::move(decision.rerouting);
            submission.record = std::move(record);
            send(*shard_.topology().connectors[*decision.connector], std::move(submission));
        }
    }
    if (status != Status::ok) writeRefusal(std::move(record), status);
    return status;
}

Status EsmeRequests::rewrite(const smpp::Pdu& request, const RouteConfig* route, Submission& into) {
    const std::string_view destination = request.text(Field::destinationAddress);
    std::optional<std::string> newDestination;
    smpp::PduPatch patch(request);
    if (route != nullptr) {
        const AddressRewrite& to = route->rewriteDestination;
        newDestination = rewritten(destination, to);
        if (to.ton && !patch.number(Field::destinationTon, *to.ton)) return Status::sysErr;
        if (to.npi && !patch.number(Field::destinationNpi, *to.npi)) return Status::sysErr;
        into.otherDestination = newDestination || to.ton || to.npi;
    }
    if (!clearReceiptMark(request, patch)) return Status::sysErr;
    into.source = sourceSentBy(route, request);
    if (!setSource(patch, into.source)) return Status::invSrcAdr;
    if (newDestination && !patch.text(Field::destinationAddress, *newDestination)) {
        return Status::invDstAdr;
    }
    if (newDestination) into.destination = AddressMark::of(*newDestination);
    into.sender = senderOf(request, into.source);
    patch.appendTo(into.pdu);
    return Status::ok;
}

Submission EsmeRequests::submissionOf(const smpp::Pdu& request, nio::TimePoint now) {
    Submission submission;
    submission.origin = from_;
    submission.origin.sequence = request.sequence();
    submission.origin.command = request.command();
    submission.account = &owner_;
    submission.destination = AddressMark::of(request.text(Field::destinationAddress));
    submission.mostWaiting = accountConfig().window * accountConfig().maxBinds;
    const auto asked = request.number(Field::registeredDelivery);
    submission.wantsReceipt = (asked & 0x1F) != 0;
    submission.wantsSuccess = (asked & 3) == 1;
    submission.arrived = now;
    return submission;
}

std::unique_ptr<MessageRecord> EsmeRequests::recordOf(const smpp::Pdu& request,
                                                      std::string_view destination,
                                                      const RouteDecision& decision) {
    if (!shard_.services().records.isOn()) return nullptr;
    auto record = std::make_unique<MessageRecord>();
    record->time = std::chrono::system_clock::now();
    record->account = owner_.systemId();
    if (decision.route != nullptr) record->route = decision.route->name;
    record->source = request.text(Field::sourceAddress);
    record->destination = destination;
    record->octets = static_cast<std::uint32_t>(request.message().size());
    record->dataCoding = request.number(Field::dataCoding);
    return record;
}

void EsmeRequests::writeRefusal(std::unique_ptr<MessageRecord> record, Status status) {
    if (record == nullptr) return;
    record->status = status;
    record->outcome = "refused";
    shard_.services().records.write(std::move(*record));
}

void EsmeRequests::send(Egress& connector, Submission&& submission) {
    if (handOver<&Egress::submitNow>(connector, submission)) return;
    writeRefusal(std::move(submission.record), Status::sysErr);
    submission.origin.refuse(Status::sysErr);
}

// A version before 3.4 has room for eight characters.
Status EsmeRequests::nameForPeer(MessageId& shown) {
    if (knowsTlvs_) return Status::ok;
    shown = shard_.shortIds().make();
    return shown == 0 ? Status::sysErr : Status::ok;
}

Status EsmeRequests::aboutMessage(const smpp::Pdu& request) {
    const Status wrongId = Status::invMsgId;
    const std::optional<MessageId> id = messageIdOf(request.text(Field::messageId));
    if (!id) return wrongId;
    Egress* const connector = connectorOf(*id);
    if (connector == nullptr) return wrongId;
    const nio::TimePoint now = Moment::now();
    if (!owner_.rate().allow(now)) return Status::throttled;
    Submission submission = submissionOf(request, now);
    submission.about = *id;
    submission.pdu = nio::copyOf(request.bytes());
    send(*connector, std::move(submission));
    return Status::ok;
}

// The first one asks the others about a short id.
Egress* EsmeRequests::connectorOf(MessageId id) const {
    const Topology& topology = shard_.topology();
    if (isShort(id)) return topology.connectors.empty() ? nullptr : topology.connectors.front();
    const auto found = topology.connectorByNumber.find(connectorNumberOf(id));
    return found == topology.connectorByNumber.end() ? nullptr : found->second;
}

}  // namespace router
