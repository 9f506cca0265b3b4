// The listener of an Acceptor that distributes connections over the dispatchers of a group. It
// creates a handler for each and registers it with the next dispatcher: immediately if that is the
// Acceptor's own, else together with the others of its batch, in one task.
//
// Thread: the Acceptor's dispatcher; the factory is called there.
// Errors: if the dispatcher refuses a connection (it has stopped, or its queue is full), the
// connection is closed and a line is logged, once a second at most.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include <nio/group/RegistrationBatch.h>
#include <nio/group/SelectorThreadGroup.h>
#include <nio/net/Acceptor.h>

namespace nio {

// Creates the handler of one connection, which belongs to no dispatcher yet: use only the
// arguments. Null closes the connection.
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
