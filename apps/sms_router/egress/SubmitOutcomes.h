// How the requests of a connector end: the answer to the ESME, the line in the access log, and the
// connector's counters.
//
// Thread: the dispatcher's own, except construction.
#pragma once

#include <string>
#include <string_view>

#include "sms_router/model/Submission.h"
#include "sms_router/routing/Shard.h"

namespace router {

// The SMSC takes fewer messages than it is sent.
inline bool isThrottling(smpp::Status status) {
    return status == smpp::Status::throttled || status == smpp::Status::msgQFul;
}

class SubmitOutcomes {
  public:
    struct Figures {
        MessageCounters counters;
        RefusalCounts refusedBy;
        Stages stages;  // see ConnectorRow
        StatusStages refusedStages;
    };

    explicit SubmitOutcomes(Shard& home) : home_(home) {}

    // The connector's, for the access log.
    void useName(const std::string& name) { name_ = name; }
    const std::string& name() const { return name_; }

    // `sent`: to the SMSC; TimePoint(): it was not.
    void refuseNow(Submission& submission, smpp::Status status, std::string_view outcome,
                   nio::TimePoint sent = {}) NIO_REQUIRES(nio::onDispatcher);
    // The SMSC's own answer, with the ESME's sequence number and our message id.
    void relayNow(Submission& submission, const smpp::Pdu& answer, nio::TimePoint sent)
        NIO_REQUIRES(nio::onDispatcher);
    // Up to this answer of the SMSC, or of ours in its place. refuseNow() and relayNow() do it.
    void countStages(const Submission& submission, smpp::Status status, nio::TimePoint sent,
                     nio::TimePoint now);
    Stages& stagesOf(smpp::Status status) {
        return status == smpp::Status::ok ? figures_.stages : figures_.refusedStages.of(status);
    }
    // An answer that the caller gives. `record` may be null.
    void endedNow(std::unique_ptr<MessageRecord> record, nio::TimePoint arrived,
                  smpp::Status status, std::string_view outcome) NIO_REQUIRES(nio::onDispatcher);

    Figures& figures() { return figures_; }
    const Figures& figures() const { return figures_; }

  private:
    // Of a message, or of a request about one.
    void countAnswer(const Submission& submission, smpp::Status status);
    void countRefusal(smpp::Status status);
    void write(std::unique_ptr<MessageRecord> record, nio::TimePoint arrived, smpp::Status status,
               std::string_view outcome) NIO_REQUIRES(nio::onDispatcher);

    Shard& home_;
    std::string name_;
    Figures figures_;
};

}  // namespace router
