// A connector, as the connections and desks of accounts see it: messages go out through it, and it
// is told what became of what it has delivered. A connector of another protocol than SMPP
// implements this.
//
// Thread: the connector's dispatcher, except dispatcher() and handOver(): any.
// Lifetime: the router's.
#pragma once

#include "sms_router/flow/Delivery.h"
#include "sms_router/flow/Submission.h"

namespace router {

class Egress {
  public:
    virtual ~Egress() = default;

    virtual nio::SelectorThread& dispatcher() const = 0;

    // Answers it, now or later, whatever happens.
    virtual void submitNow(Submission&& submission) NIO_REQUIRES(nio::onDispatcher) = 0;
    // The connection of an ESME is over: requests of it that were not sent yet need not be.
    virtual void senderGoneNow(nio::ChannelHandle link) NIO_REQUIRES(nio::onDispatcher) = 0;

    // Once for each delivery that has a source: answers the SMSC.
    virtual void deliveredNow(nio::ChannelHandle link, std::uint32_t sequence,
                              smpp::Command command, MessageId about, std::uint8_t state,
                              Delivered how, smpp::Status status)
        NIO_REQUIRES(nio::onDispatcher) = 0;
};

// On the dispatcher of `egress`, or at once if this is it. False: that has stopped, and
// `submission` is untouched.
[[nodiscard]] bool handOver(Egress& egress, Submission& submission) NIO_REQUIRES(nio::onDispatcher);

}  // namespace router
