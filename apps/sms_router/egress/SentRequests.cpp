#include "sms_router/egress/SentRequests.h"

#include "sms_router/egress/Accepted.h"
#include "sms_router/model/Moment.h"
#include "sms_router/session/PlainPeer.h"
#include "sms_router/store/Store.h"

namespace router {

using smpp::Command;
using smpp::Field;
using smpp::Status;

SentRequests::SentRequests(Shard& home, std::uint32_t connector, ReceiptDesk& receipts,
                           SubmitOutcomes& outcomes)
    : home_(home),
      connector_(connector),
      receipts_(receipts),
      outcomes_(outcomes),
      ids_(connector, std::chrono::system_clock::now()) {}

void SentRequests::sendNow(SmscLink& link, Submission&& submission, nio::TimePoint now) {
    nio::Bytes pdu = std::move(submission.pdu);
    if (!link.session().peerKnowsTlvs()) {
        std::optional<nio::Bytes> plain = plainSubmission(pdu);
        if (!plain) return outcomes_.refuseNow(submission, Status::optParNotAllwd, "refused");
        pdu = std::move(*plain);
    }
    const std::size_t cookie = flights_.add({std::move(submission), now});
    if (!link.requestNow(pdu, cookie)) {
        Flight flight = flights_.take(cookie);
        outcomes_.refuseNow(flight.submission, home_.config().router.linkLost, "lost");
    }
}

void SentRequests::answeredNow(Flight&& flight, const smpp::Pdu& answer, nio::TimePoint now) {
    const bool submits = flight.submission.about == 0;
    if (submits && answer.status() == Status::ok) {
        outcomes_.countStages(flight.submission, Status::ok, flight.sent, now);
        accepted(std::move(flight), answer, now);
    } else {
        outcomes_.relayNow(flight.submission, answer, flight.sent);
    }
}

void SentRequests::tellIfNothingComesNow() {
    if (empty()) receipts_.nothingComesNow();
}

void SentRequests::accepted(Flight&& flight, const smpp::Pdu& answer, nio::TimePoint now) {
    Submission& submission = flight.submission;
    // A receipt of failure alone need never come, nor an intermediate notification.
    if (submission.wantsSuccess) ++wantReceipts_;
    const MessageId id = ids_.make();
    const MessageId shown = submission.shown != 0 ? submission.shown : id;
    const std::string_view smscId = answer.text(Field::messageId);
    IdEntry entry;
    entry.id = id;
    entry.shown = shown;
    entry.isPart = submission.isPart;
    entry.whole = submission.origin.whole;
    if (entry.whole.parts == 1) entry.whole.id = shown;
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
    const MessageId whole = entry.whole.parts > 1 ? entry.whole.id : 0;
    receipts_.add(std::move(entry));
    Committing committing;
    committing.origin = submission.origin;
    committing.id = id;
    committing.response = answerWith(answer, submission.origin.sequence, shown);
    committing.asked = now;
    committing.arrived = submission.arrived;
    committing.record = std::move(submission.record);
    if (committing.record != nullptr) {
        committing.record->smscMessageId = smscId;
        committing.record->messageId = textOf(shown).view();
        committing.record->connector = outcomes_.name();
        committing.record->status = home_.config().router.linkLost;
        committing.record->outcome = "lost";
        committing.log = &home_.services().records;
    }
    ++committing_;
    // In memory there is nothing that the answer waits for.
    Store& store = home_.services().store;
    if (!store.isDurable()) return committed(std::move(committing), true);
    IdRecord stored;
    stored.id = id;
    stored.connector = connector_;
    stored.smscId = smscId;
    stored.account = submission.account->systemId();
    stored.time = wallSeconds();
    stored.flags = flags;
    stored.shown = shown == id ? 0 : shown;
    stored.message = whole;
    stored.destination = submission.destination.forStore();
    stored.sender = submission.sender.forStore();
    if (submission.source != nullptr) stored.source = submission.source->octets();
    if (submission.own != nullptr) stored.own = submission.own->octets();
    auto done = [this, committing = std::move(committing)](bool ok) mutable {
        nio::onDispatcher.assertCurrent();
        committed(std::move(committing), ok);
    };
    store.addId(std::move(stored), home_.thread(), std::move(done));
}

// When dispatchers have stopped before the commit.
SentRequests::Committing::~Committing() {
    if (record != nullptr) log->write(std::move(*record));
}

void SentRequests::committed(Committing&& done, bool ok) {
    --committing_;
    const Status status = ok ? Status::ok : Status::sysErr;
    count(outcomes_.stagesOf(status).commit, Moment::now() - done.asked);
    outcomes_.endedNow(std::move(done.record), done.arrived, status, ok ? "accepted" : "refused");
    // The answer leaves before any receipt that waited for it.
    ok ? done.origin.answer(std::move(done.response)) : done.origin.refuse(status);
    receipts_.committedNow(done.id, ok);
    tellIfNothingComesNow();
}

}  // namespace router
