#include "echo_client/misbehave/EndWatch.h"

#include <nio/sys/Kernel.h>

namespace load {

namespace {

void tell(BadConnection& connection, short found) NIO_REQUIRES(nio::onDispatcher) {
    if ((found & POLLERR) != 0) {
        const nio::IoResult outcome = nio::kernel::connectOutcome(connection.channel().fd());
        return connection.serverGone(outcome.isFailed() ? outcome.error("server")
                                                        : nio::Error(std::errc::connection_reset));
    }
    if ((found & POLLHUP) != 0) return connection.serverGone(std::nullopt);
    if ((found & POLLRDHUP) != 0) connection.serverFinished();
}

}  // namespace

EndWatch::EndWatch(nio::SelectorThread& thread, const std::vector<BadConnection*>& connections)
    : connections_(connections), next_(thread.deadlines(), [this] {
          nio::onDispatcher.assertCurrent();
          look();
          start();
      }) {}

void EndWatch::look() {
    // What ends leaves the list; it is destroyed only after this turn.
    const std::vector<BadConnection*> asked = connections_;
    std::vector<pollfd> entries;
    entries.reserve(asked.size());
    for (BadConnection* connection : asked) {
        entries.push_back({connection->channel().fd(), POLLRDHUP, 0});
    }
    if (!nio::kernel::waitPoll(entries, std::chrono::nanoseconds::zero())) return;
    for (std::size_t i = 0; i < asked.size(); ++i) {
        nio::onDispatcher.assertCurrent();
        if (entries[i].revents != 0) tell(*asked[i], entries[i].revents);
    }
}

}  // namespace load
