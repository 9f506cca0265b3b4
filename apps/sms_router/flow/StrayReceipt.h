// A receipt that came by a connector which has not sent its message: it goes round the others of
// the same SMSC (ConnectorConfig::smsc) until one of them knows it, and else comes back.
//
// Thread: a value that is handed from dispatcher to dispatcher.
#pragma once

#include <vector>

#include <nio/base/Bytes.h>
#include <nio/dispatch/SelectorThread.h>

namespace router {

class ReceiptGate;

struct StrayReceipt {
    nio::ChannelHandle link;  // by which it came, and is answered
    nio::Bytes pdu;
    nio::TimePoint until{};           // it may be held
    std::vector<ReceiptGate*> stops;  // that it has still to make, the next one last; then: home
    std::uint64_t place = 0;          // among those that are held at home
    bool mayComeYet = false;          // its message, to one where it has been
    bool isInDoubt = false;           // whether it is of a message that one of them has
    bool isLastRound = false;         // it is, unless there is a better one
};

// A connector, as the others of its SMSC see it. Never destroyed while dispatchers run.
class ReceiptGate {
  public:
    virtual ~ReceiptGate() = default;

    // Thread: any.
    virtual nio::SelectorThread& dispatcher() const = 0;
    // It came from another one, or back. Answered, now or later, unless the memory for that fails:
    // then the SMSC's time-out is the answer.
    virtual void strayedNow(StrayReceipt&& receipt) NIO_REQUIRES(nio::onDispatcher) = 0;
};

}  // namespace router
