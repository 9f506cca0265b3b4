// A connector, as the connections and desks of accounts see it: messages go out through it, and it
// is told what became of what it has delivered. A connector of another protocol than SMPP
// implements this.
//
// Thread: the connector's dispatcher, except dispatcher(): any.
// Lifetime: the router's.
#pragma once

#include "sms_router/model/Delivery.h"
#include "sms_router/model/Submission.h"

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

}  // namespace router
