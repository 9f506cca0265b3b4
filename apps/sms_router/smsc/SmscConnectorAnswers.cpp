// The rest of SmscConnector: what becomes of the requests that were sent.
#include <smpp/pdu/PduPatch.h>

#include "sms_router/esme/EsmeLink.h"
#include "sms_router/smsc/Accepted.h"
#include "sms_router/smsc/SmscConnector.h"
#include "sms_router/store/Store.h"

namespace router {

using smpp::Command;
using smpp::Field;
using smpp::Status;

namespace {

bool isThrottling(Status status) {
    return status == Status::throttled || status == Status::msgQFul;
}

}  // namespace

void SmscConnector::answerArrived(const smpp::Pdu& answer, smpp::Cookie cookie) {
    Flight flight = flights_.take(cookie);
    const nio::TimePoint now = nio::Clock::now();
    count(stages_.smsc, now - flight.sent);
    const Status status = answer.status();
    isThrottling(status) ? throttle_.throttled(flight.sent, now)
                         : throttle_.accepted(flight.sent, flight.submission.messages);
    const bool submits = flight.submission.about == 0;
    if (submits && status == Status::ok) {
        accepted(std::move(flight), answer);
    } else {
        relay(flight, answer);
    }
    pump();
    tellIfNothingComes();
}

void SmscConnector::requestLost(smpp::Cookie cookie, smpp::Lost how, Status status) {
    Flight flight = flights_.take(cookie);
    const bool nacked = how == smpp::Lost::nacked;
    if (nacked && isThrottling(status)) throttle_.throttled(flight.sent, nio::Clock::now());
    refuse(flight.submission, nacked ? status : home_.config().linkLost,
           nacked ? "refused" : "lost");
    pump();
    tellIfNothingComes();
}

void SmscConnector::tellIfNothingComes() {
    if (flights_.size() == 0 && committing_ == 0) receipts_.nothingComesNow();
}

void SmscConnector::relay(Flight& flight, const smpp::Pdu& answer) {
    Submission& submission = flight.submission;
    // Its body, if it has any, cannot be read.
    const bool isBare = !answer.has(Field::messageId) && answer.tlvs().empty();
    if (isBare && answer.status() != Status::ok) {
        return refuse(submission, answer.status(), "refused");
    }
    if (submission.about == 0) countRefusal(answer.status());
    smpp::PduPatch patch(answer);
    patch.sequence(submission.origin.sequence);
    const MessageIdText ours = textOf(submission.about);
    // query_sm_resp names the message.
    if (submission.about != 0 && !answer.text(Field::messageId).empty()) {
        (void)patch.text(Field::messageId, ours.view());
    }
    write(std::move(submission.record), submission.arrived, answer.status(),
          answer.status() == Status::ok ? "accepted" : "refused");
    EsmeLink::answer(submission.origin, patch.bytes());
}

void SmscConnector::accepted(Flight&& flight, const smpp::Pdu& answer) {
    Submission& submission = flight.submission;
    // A receipt of failure alone need never come, nor an intermediate notification.
    if (submission.wantsSuccess) ++wantReceipts_;
    const MessageId id = ids_.make();
    const MessageId shown = submission.shown != 0 ? submission.shown : id;
    const std::string smscId(answer.text(Field::messageId));
    IdEntry entry;
    entry.id = id;
    entry.shown = shown;
    entry.isPart = submission.isPart;
    entry.account = submission.account;
    entry.smscId = smscId;
    entry.source = submission.source;
    entry.own = submission.own;
    entry.destination = submission.destination;
    entry.sender = submission.sender;
    entry.otherDestination = submission.otherDestination;
    entry.severalDestinations = answer.command() == Command::submitMultiResp;
    entry.wantsReceipt = submission.wantsReceipt;
    const std::uint32_t flags = flagsOf(entry);
    receipts_.add(std::move(entry));
    Committing committing;
    committing.origin = submission.origin;
    committing.id = id;
    committing.response = answerWith(answer, submission.origin.sequence, shown);
    committing.asked = nio::Clock::now();
    committing.arrived = submission.arrived;
    committing.record = std::move(submission.record);
    if (committing.record != nullptr) {
        committing.record->smscMessageId = smscId;
        committing.record->messageId = textOf(shown).view();
        committing.record->connector = config().name;
        committing.record->status = home_.config().linkLost;
        committing.record->outcome = "lost";
        committing.log = &home_.services().records;
    }
    ++committing_;
    IdRecord stored;
    stored.id = id;
    stored.connector = identity_.number;
    stored.smscId = smscId;
    stored.account = submission.account->systemId();
    stored.time = wallSeconds();
    stored.flags = flags;
    stored.shown = shown == id ? 0 : shown;
    stored.destination = submission.destination.forStore();
    stored.sender = submission.sender.forStore();
    if (submission.source != nullptr) stored.source = submission.source->octets();
    if (submission.own != nullptr) stored.own = submission.own->octets();
    auto done = [this, committing = std::move(committing)](bool ok) mutable {
        nio::onDispatcher.assertCurrent();
        committed(std::move(committing), ok);
    };
    home_.services().store.addId(std::move(stored), home_.thread(), std::move(done));
}

// When dispatchers have stopped before the commit.
SmscConnector::Committing::~Committing() {
    if (record != nullptr) log->write(std::move(*record));
}

void SmscConnector::committed(Committing&& done, bool ok) {
    --committing_;
    count(stages_.commit, nio::Clock::now() - done.asked);
    const Status status = ok ? Status::ok : Status::sysErr;
    ok ? void(++counters_.accepted) : countRefusal(status);
    write(std::move(done.record), done.arrived, status, ok ? "accepted" : "refused");
    // The answer leaves before any receipt that waited for it.
    ok ? EsmeLink::answer(done.origin, std::move(done.response))
       : EsmeLink::refuse(done.origin, status);
    receipts_.committedNow(done.id, ok);
    tellIfNothingComes();
}

void SmscConnector::refuse(Submission& submission, Status status, std::string_view outcome) {
    if (submission.about == 0) countRefusal(status);
    write(std::move(submission.record), submission.arrived, status, outcome);
    EsmeLink::refuse(submission.origin, status);
}

void SmscConnector::countRefusal(Status status) {
    ++counters_.refused;
    refusedBy_.add(status);
    if (isThrottling(status)) ++counters_.throttled;
}

void SmscConnector::write(std::unique_ptr<MessageRecord> record, nio::TimePoint arrived,
                          Status status, std::string_view outcome) {
    if (record == nullptr) return;
    if (dialing_ != nullptr) record->connector = config().name;
    record->status = status;
    record->outcome = outcome;
    record->took =
        std::chrono::duration_cast<std::chrono::microseconds>(nio::Clock::now() - arrived);
    home_.services().records.write(std::move(*record));
}

}  // namespace router
