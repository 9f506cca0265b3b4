// The deliver_sm of one account: sent on its receiving binds in turn, repeated until they are
// acknowledged, kept while nobody receives.
//
// Thread: the dispatcher's own.
// Lifetime: longer than the links in it.
#pragma once

#include <deque>
#include <vector>

#include <nio/base/ThreadRole.h>

#include <smpp/pdu/Status.h>

#include "smpp_bench/smsc/Delivery.h"
#include "smpp_bench/smsc/SmscCounts.h"

namespace smppbench {

class SmscLink;

class Mailbox {
  public:
    Mailbox(const SmscOptions& options, SmscCounts& counts) : options_(options), counts_(counts) {}

    void addReceiver(SmscLink& link) NIO_REQUIRES(nio::onDispatcher);
    // What it has not acknowledged goes to the others, first of all.
    void removeReceiver(SmscLink& link) NIO_REQUIRES(nio::onDispatcher);
    bool hasReceiver() const { return !receivers_.empty(); }

    void deliver(Delivery delivery) NIO_REQUIRES(nio::onDispatcher);
    // deliver_sm_resp with this status has come for it.
    void answered(Delivery delivery, smpp::Status status) NIO_REQUIRES(nio::onDispatcher);
    // Sends again what has waited for its acknowledgement for too long.
    void repeatOld(nio::TimePoint now) NIO_REQUIRES(nio::onDispatcher);

    // Without an acknowledgement.
    std::size_t size() const;

  private:
    // Null: nobody has room.
    SmscLink* nextReceiver();
    void sendOn(SmscLink& link, Delivery delivery) NIO_REQUIRES(nio::onDispatcher);
    void sendWaiting() NIO_REQUIRES(nio::onDispatcher);
    DeliveryCounts& countsOf(const Delivery& delivery);

    const SmscOptions& options_;
    SmscCounts& counts_;
    std::vector<SmscLink*> receivers_;
    std::size_t next_ = 0;
    std::deque<Delivery> waiting_;
};

}  // namespace smppbench
