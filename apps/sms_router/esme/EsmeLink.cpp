#include "sms_router/esme/EsmeLink.h"

#include <algorithm>

#include <smpp/pdu/PduPatch.h>
#include <smpp/pdu/PduWriter.h>

#include "sms_router/esme/AccountDesk.h"
#include "sms_router/flow/Post.h"
#include "sms_router/link/PlainPeer.h"
#include "sms_router/routing/RouteMatch.h"

namespace router {

using smpp::Command;
using smpp::Field;
using smpp::Status;

namespace {

bool answersSubmit(Command response) {
    return response == Command::submitSmResp || response == Command::dataSmResp ||
           response == Command::submitMultiResp;
}

}  // namespace

EsmeLink::EsmeLink(const ShardSet& shards, std::shared_ptr<const smpp::SessionOptions> session,
                   nio::SocketAddress peer, bool tls)
    : SmppLink(std::move(session)), shards_(shards), peer_(std::move(peer)), tls_(tls) {}

EsmeLink* EsmeLink::findNow(nio::ChannelHandle handle) {
    return static_cast<EsmeLink*>(SmppLink::findNow(handle));
}

void EsmeLink::opened() {
    shard_ = &shards_.of(connection()->dispatcher());
    shard_->join(*this);
    offerPlaceLater();
    since_ = std::chrono::steady_clock::now();
    if (shard_->isDraining()) drainNow();
}

void EsmeLink::closed(const std::string&) {
    shard_->leave(*this);
    asks_.reset();
    delayed_.reset();
    if (!atDesk_) return;
    atDesk_ = false;
    if (session().unanswered() > 0) {
        for (SubmitGate* connector : shard_->topology().connectors) {
            tell<&SubmitGate::senderGoneNow>(*connector, handle());
        }
    }
    tell<&AccountDesk::leaveNow>(desk(), handle());
}

AccountDesk& EsmeLink::desk() const {
    return deskOwner_->desk();
}

// --- its requests ---------------------------------------------------------------------------

void EsmeLink::requestArrived(const smpp::Pdu& request) {
    nio::onDispatcher.assertCurrent();
    if (deskOwner_ != nullptr && answersSubmit(smpp::responseTo(request.command()))) {
        deskOwner_->figures().submitted.fetch_add(1, std::memory_order_relaxed);
    }
    const Status status = take(request);
    if (status != Status::ok) refuseNow(request.command(), status, request.sequence());
    updateWindow();
}

Status EsmeLink::take(const smpp::Pdu& request) {
    if (draining_ || !hasAccount_) return refuseWhole(request, Status::sysErr);
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
Status EsmeLink::refuseWhole(const smpp::Pdu& request, Status status) {
    if (!answersSubmit(smpp::responseTo(request.command()))) return status;
    const bool isMulti = request.command() == Command::submitMulti;
    const std::string to = isMulti ? namesOf(destinationsOf(request))
                                   : std::string(request.text(Field::destinationAddress));
    writeRefusal(recordOf(request, to, {}), status);
    return status;
}

Status EsmeLink::permits(std::string_view source, const Destination& destination) {
    const AccountConfig& config = accountConfig();
    const NumberingPlan& plan = shard_->config().numbers;
    if (!config.sources.empty() && !router::permits(config.sources, AddressForms(source, plan))) {
        return Status::invSrcAdr;
    }
    if (destination.isList && !permitsLists(config, shard_->config())) return Status::invDlName;
    const bool isOdd = config.digitsOnly && !destination.isList;
    if (isOdd && !isPlainNumber(destination.address)) return Status::invDstAdr;
    if (config.destinations.empty() || destination.isList) return Status::ok;
    const AddressForms forms(destination.address, plan, destination.ton);
    return router::permits(config.destinations, forms) ? Status::ok : Status::invDstAdr;
}

// Only SMSCs send receipts: one that comes back from an SMSC would be taken for its own.
Status EsmeLink::judgeReceiptMark(const smpp::Pdu& request) const {
    if (accountConfig().clearsReceiptMark) return Status::ok;
    if ((request.number(Field::esmClass) & receiptBits) != 0) return Status::invEsmClass;
    return request.tlv(smpp::Tag::receiptedMessageId) ? Status::optParNotAllwd : Status::ok;
}

Status EsmeLink::chooseConnector(const smpp::Pdu& request, const Destination& destination,
                                 RouteDecision& decision) {
    MessageFacts facts;
    facts.account = systemId_;
    facts.source = request.text(Field::sourceAddress);
    facts.destination = destination.address;
    facts.destinationTon = destination.ton;
    facts.serviceType = request.text(Field::serviceType);
    facts.dataCoding = request.number(Field::dataCoding);
    facts.part = smpp::concatenationOf(request);
    facts.time = std::chrono::system_clock::now();
    decision = shard_->routing().route(facts);
    return decision.connector ? Status::ok : decision.status;
}

Status EsmeLink::submit(const smpp::Pdu& request) {
    const std::string_view destination = request.text(Field::destinationAddress);
    const Destination to{false, request.number(Field::destinationTon),
                         request.number(Field::destinationNpi), destination};
    RouteDecision decision;
    Status status = judgeReceiptMark(request);
    if (status == Status::ok) status = permits(request.text(Field::sourceAddress), to);
    if (status == Status::ok && !account().rate().allow(nio::Clock::now())) {
        status = Status::throttled;
    }
    if (status == Status::ok) status = chooseConnector(request, to, decision);
    std::unique_ptr<MessageRecord> record = recordOf(request, destination, decision);
    if (status == Status::ok) {
        Submission submission = submissionOf(request);
        status = rewrite(request, decision.route, submission);
        const bool isRewritten = submission.otherDestination || submission.source != nullptr;
        if (isRewritten && accountConfig().ownAddressesInReceipts) submission.own = ownOf(request);
        if (status == Status::ok) status = nameForPeer(submission.shown);
        if (status == Status::ok) {
            submission.rerouting = std::move(decision.rerouting);
            submission.record = std::move(record);
            send(*shard_->topology().connectors[*decision.connector], std::move(submission));
        }
    }
    if (status != Status::ok) writeRefusal(std::move(record), status);
    return status;
}

Status EsmeLink::rewrite(const smpp::Pdu& request, const RouteConfig* route, Submission& into) {
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

Submission EsmeLink::submissionOf(const smpp::Pdu& request) {
    Submission submission;
    submission.origin = {handle(), request.sequence(), request.command(), 0};
    submission.account = deskOwner_;
    submission.destination = AddressMark::of(request.text(Field::destinationAddress));
    submission.mostWaiting = accountConfig().window * accountConfig().maxBinds;
    const auto asked = request.number(Field::registeredDelivery);
    submission.wantsReceipt = (asked & 0x1F) != 0;
    submission.wantsSuccess = (asked & 3) == 1;
    submission.arrived = nio::Clock::now();
    return submission;
}

std::unique_ptr<MessageRecord> EsmeLink::recordOf(const smpp::Pdu& request,
                                                  std::string_view destination,
                                                  const RouteDecision& decision) {
    if (!shard_->services().records.isOn()) return nullptr;
    auto record = std::make_unique<MessageRecord>();
    record->time = std::chrono::system_clock::now();
    record->account = systemId_;
    if (decision.route != nullptr) record->route = decision.route->name;
    record->source = request.text(Field::sourceAddress);
    record->destination = destination;
    record->octets = static_cast<std::uint32_t>(request.message().size());
    record->dataCoding = request.number(Field::dataCoding);
    return record;
}

void EsmeLink::writeRefusal(std::unique_ptr<MessageRecord> record, Status status) {
    if (record == nullptr) return;
    record->status = status;
    record->outcome = "refused";
    shard_->services().records.write(std::move(*record));
}

void EsmeLink::send(SubmitGate& gate, Submission&& submission) {
    if (handOver(gate, submission)) return;
    writeRefusal(std::move(submission.record), Status::sysErr);
    refuse(submission.origin, Status::sysErr);
}

void EsmeLink::malformedArrived(Status problem, nio::ByteView octets) {
    ShardFigures& figures = shard_->figures();
    ++figures.malformed;
    const std::string account = isBound() ? systemId_ : std::string();
    const std::string whose = account.empty() ? "an ESME" : "account '" + account + "'";
    figures.malformedOf[account].note(whose, peer_.toString(), !account.empty(), problem, octets);
}

// --- answers to them ------------------------------------------------------------------------

void EsmeLink::answer(const Origin& origin, nio::Bytes response) {
    auto tell = [origin, response = std::move(response)] {
        nio::onDispatcher.assertCurrent();
        if (EsmeLink* esme = findNow(origin.link)) esme->answerNow(origin, response);
    };
    (void)post(*origin.link.dispatcher(), std::move(tell));
}

void EsmeLink::refuse(const Origin& origin, Status status) {
    answer(origin, smpp::answer(origin.command, status, origin.sequence));
}

void EsmeLink::answerNow(const Origin& origin, nio::ByteView response) {
    if (origin.part == 0) {
        respondNow(response);
    } else if (multis_ != nullptr) {
        const std::optional<nio::Bytes> whole =
            multis_->partAnswered(origin.sequence, origin.part, response);
        if (whole) respondNow(*whole);
    }
    updateWindow();
    if (draining_) unbindIfDone();
}

void EsmeLink::updateWindow() {
    if (!isOpen() || !hasAccount_) return;
    holdRequestsNow(session().unanswered() >= accountConfig().window, accountConfig().readAhead);
}

void EsmeLink::respondNow(nio::ByteView response) {
    const std::optional<smpp::Header> header = smpp::Header::read(response);
    if (header) countAnswer(header->command, header->status);
    if (session().peerKnowsTlvs()) return session().respond(response);
    session().respond(withoutTlvs(response));
}

void EsmeLink::refuseNow(Command request, Status status, std::uint32_t sequence) {
    countAnswer(smpp::responseTo(request), status);
    session().respond(request, status, sequence);
}

void EsmeLink::countAnswer(Command command, Status status) {
    if (!answersSubmit(command) || deskOwner_ == nullptr) return;
    AccountFigures& figures = deskOwner_->figures();
    const auto one = [](std::atomic<std::uint64_t>& counter) {
        counter.fetch_add(1, std::memory_order_relaxed);
    };
    if (status == Status::ok) return one(figures.accepted);
    one(figures.refused);
    shard_->figures().refusedBy[deskOwner_].add(status);
    if (status == Status::throttled || status == Status::msgQFul) one(figures.throttled);
}

// --- deliveries -----------------------------------------------------------------------------

void EsmeLink::deliverNow(std::uint64_t number, const nio::Bytes& pdu) {
    // Its end is under way: the desk hears of it, and takes it back.
    if (draining_) return;
    if (!isBound()) return tell<&AccountDesk::returnedNow>(desk(), handle(), number);
    std::optional<nio::Bytes> own =
        session().peerKnowsTlvs() ? std::optional(pdu) : plainDelivery(pdu);
    // Another bind may get it.
    if (!own) return tellDesk(number, Status::xTAppn);
    if (!requestNow(*own, number)) return tellDesk(number, std::nullopt);
    const std::optional<smpp::Header> header = smpp::Header::read(pdu);
    if (header && !smpp::hasResponse(header->command)) tellDesk(number, Status::ok);
}

void EsmeLink::responseArrived(const smpp::Pdu& answer, smpp::Cookie cookie) {
    nio::onDispatcher.assertCurrent();
    tellDesk(cookie, answer.status());
}

void EsmeLink::requestLost(smpp::Cookie cookie, smpp::Lost how, Status status) {
    nio::onDispatcher.assertCurrent();
    if (how == smpp::Lost::nacked) return tellDesk(cookie, status);
    // With the connection goes all that it had: leaveNow() sees to it.
    if (how == smpp::Lost::timedOut) tellDesk(cookie, std::nullopt);
}

void EsmeLink::answeredLate(const smpp::Pdu& answer, smpp::Cookie cookie) {
    nio::onDispatcher.assertCurrent();
    tell<&AccountDesk::answeredLateNow>(desk(), handle(), cookie, answer.status());
}

void EsmeLink::unbindArrived() {
    nio::onDispatcher.assertCurrent();
    if (atDesk_) tell<&AccountDesk::unbindsNow>(desk(), handle());
}

void EsmeLink::tellDesk(std::uint64_t number, std::optional<Status> status) {
    tell<&AccountDesk::answeredNow>(desk(), handle(), number, status);
    if (draining_) unbindIfDone();
}

// --- the configuration ----------------------------------------------------------------------

void EsmeLink::topologyChangedNow() {
    if (!isOpen() || !hasAccount_) return;
    const auto& byName = shard_->config().accountByName;
    const auto found = byName.find(systemId_);
    if (found == byName.end()) {
        hasAccount_ = false;
        holdRequestsNow(false, 0);
        return unbindNow();
    }
    account_ = found->second;
    updateWindow();
}

void EsmeLink::drainNow() {
    draining_ = true;
    unbindIfDone();
}

void EsmeLink::unbindIfDone() {
    if (!isOpen()) return;
    const bool busy = isBound() && (session().unanswered() > 0 || session().outstanding() > 0);
    if (!busy) unbindNow();
}

BindRow EsmeLink::describeNow() const {
    BindRow row;
    row.number = handle().slot() * shards_.size() + shards_.indexOf(*shard_);
    row.kind = kind_ == Command::bindTransmitter ? "transmitter"
               : kind_ == Command::bindReceiver  ? "receiver"
                                                 : "transceiver";
    row.state = smpp::nameOf(session().state());
    row.peer = peer_.toString();
    row.dispatcher = shard_->thread().name();
    row.age =
        std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - since_);
    row.outstandingIn = session().unanswered();
    row.outstandingOut = session().outstanding();
    row.window = hasAccount_ ? accountConfig().window : 0;
    row.tls = tls_;
    return row;
}

std::string EsmeLink::accountName() const {
    return hasAccount_ ? systemId_ : std::string();
}

}  // namespace router
