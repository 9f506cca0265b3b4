// The listener of an Acceptor that deals connections out to the dispatchers of a group: it has a
// handler made for each, and registers it with the dispatcher that is next: at once if that is the
// Acceptor's own, else with all others of its batch, in one task.
//
// Thread: the Acceptor's dispatcher; the factory is called there.
// Errors: a connection that its dispatcher refuses (it has stopped, its queue is full) is closed
// and logged.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <nio/group/RegistrationBatch.h>
#include <nio/group/SelectorThreadGroup.h>
#include <nio/net/Acceptor.h>

namespace nio {

// Makes the handler of one connection. It belongs to no dispatcher yet: touch only what it was
// given. Null closes the connection.
using HandlerFactory =
    std::function<std::unique_ptr<ReadWriteSelectorHandler>(AcceptedConnection connection)>;

class ConnectionDealer final : public AcceptorListener {
  public:
    // The group must outlive the Acceptor.
    ConnectionDealer(SelectorThreadGroup& group, HandlerFactory makeHandler)
        : group_(group), makeHandler_(std::move(makeHandler)) {}

    void socketConnected(Acceptor& acceptor, AcceptedConnection connection) override
        NIO_REQUIRES(onDispatcher);
    void batchEnded(Acceptor& acceptor) override NIO_REQUIRES(onDispatcher);

  private:
    RegistrationBatch& batchFor(SelectorThread& thread);

    SelectorThreadGroup& group_;
    HandlerFactory makeHandler_;
    std::vector<RegistrationBatch> batches_;  // one for each dispatcher but the Acceptor's
    LogLimiter logLimit_;
};

}  // namespace nio
