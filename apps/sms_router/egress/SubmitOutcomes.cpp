#include "sms_router/egress/SubmitOutcomes.h"

#include <smpp/pdu/PduPatch.h>

#include "sms_router/model/Moment.h"

namespace router {

using smpp::Field;
using smpp::Status;

void SubmitOutcomes::refuseNow(Submission& submission, Status status, std::string_view outcome,
                               nio::TimePoint sent) {
    countStages(submission, status, sent, Moment::now());
    countAnswer(submission, status);
    write(std::move(submission.record), submission.arrived, status, outcome);
    submission.origin.refuse(status);
}

void SubmitOutcomes::relayNow(Submission& submission, const smpp::Pdu& answer,
                              nio::TimePoint sent) {
    // Its body, if it has any, cannot be read.
    const bool isBare = !answer.has(Field::messageId) && answer.tlvs().empty();
    if (isBare && answer.status() != Status::ok) {
        return refuseNow(submission, answer.status(), "refused", sent);
    }
    countStages(submission, answer.status(), sent, Moment::now());
    countAnswer(submission, answer.status());
    smpp::PduPatch patch(answer);
    patch.sequence(submission.origin.sequence);
    const MessageIdText ours = textOf(submission.about);
    // query_sm_resp names the message.
    if (submission.about != 0 && !answer.text(Field::messageId).empty()) {
        (void)patch.text(Field::messageId, ours.view());
    }
    write(std::move(submission.record), submission.arrived, answer.status(),
          answer.status() == Status::ok ? "accepted" : "refused");
    submission.origin.answer(patch.bytes());
}

// A request that was never sent has no time in the window and none at the SMSC.
void SubmitOutcomes::countStages(const Submission& submission, Status status, nio::TimePoint sent,
                                 nio::TimePoint now) {
    if (submission.about != 0) return;
    Stages& stages = stagesOf(status);
    count(stages.handOff, submission.handedOver - submission.arrived);
    if (sent == nio::TimePoint()) return;
    count(stages.windowWait, sent - submission.handedOver);
    count(stages.smsc, now - sent);
}

void SubmitOutcomes::endedNow(std::unique_ptr<MessageRecord> record, nio::TimePoint arrived,
                              Status status, std::string_view outcome) {
    status == Status::ok ? void(++figures_.counters.accepted) : countRefusal(status);
    write(std::move(record), arrived, status, outcome);
}

void SubmitOutcomes::countAnswer(const Submission& submission, Status status) {
    if (submission.about == 0) return countRefusal(status);
    if (status != Status::ok) ++figures_.refusedBy.of(submission.origin.command).of(status);
}

void SubmitOutcomes::countRefusal(Status status) {
    ++figures_.counters.refused;
    ++figures_.refusedBy.of(smpp::Command::submitSm).of(status);
    if (isThrottling(status)) ++figures_.counters.throttled;
}

void SubmitOutcomes::write(std::unique_ptr<MessageRecord> record, nio::TimePoint arrived,
                           Status status, std::string_view outcome) {
    if (record == nullptr) return;
    record->connector = name_;
    record->status = status;
    record->outcome = outcome;
    record->took = std::chrono::duration_cast<std::chrono::microseconds>(Moment::now() - arrived);
    home_.services().records.write(std::move(*record));
}

}  // namespace router
