#include <nio/net/ConnectionDealer.h>

#include <optional>
#include <string>

#include <nio/base/Log.h>

namespace nio {

namespace {

// Called on each dispatcher. Beyond a limit it may be every connection.
void logError(const Error& error) {
    thread_local LogLimiter limit;
    if (const auto more = limit.admit(Clock::now())) {
        log(LogLevel::warning,
            "a new connection was closed: registration failed: " + error.message() + *more);
    }
}

}  // namespace

void ConnectionDealer::socketConnected(Acceptor&, AcceptedConnection connection) {
    std::unique_ptr<ReadWriteSelectorHandler> handler = makeHandler_(std::move(connection));
    if (handler == nullptr) return;
    SelectorThread& thread = group_.next();
    if (!thread.isCurrent()) return batchFor(thread).add(std::move(handler));
    const Result<ChannelHandle> done =
        thread.registerChannelNow(std::move(handler), Interest::read);
    if (!done) logError(done.error());
}

void ConnectionDealer::batchEnded(Acceptor&) {
    for (RegistrationBatch& batch : batches_) {
        if (batch.post() || !logLimit_.admit(Clock::now())) continue;
        log(LogLevel::warning, "dispatcher " + batch.thread().name() +
                                   " accepts no more tasks: new connections were closed");
    }
}

RegistrationBatch& ConnectionDealer::batchFor(SelectorThread& thread) {
    for (RegistrationBatch& batch : batches_) {
        if (&batch.thread() == &thread) return batch;
    }
    return batches_.emplace_back(thread, logError);
}

}  // namespace nio
