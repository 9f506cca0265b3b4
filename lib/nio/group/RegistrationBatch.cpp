#include <nio/group/RegistrationBatch.h>

#include <new>

#include <nio/base/Guarded.h>
#include <nio/loop/SelectorThread.h>

namespace nio {

RegistrationBatch::~RegistrationBatch() {
    for (const auto& handler : handlers_) {
        if (handler != nullptr)
            thread_->registry().expectConnection(handler->countsAsConnection(), -1);
    }
}

void RegistrationBatch::add(std::unique_ptr<ReadWriteSelectorHandler> handler) {
    const bool counts = handler->countsAsConnection();
    handlers_.push_back(std::move(handler));
    thread_->registry().expectConnection(counts, +1);
}

// A task that is refused takes its connections with it.
bool RegistrationBatch::post() try {
    if (handlers_.empty()) return true;
    return thread_->invokeLater([batch = std::move(*this)]() mutable {
        onDispatcher.assertCurrent();
        batch.registerAll();
    });
} catch (const std::bad_alloc&) {
    return false;
}

void RegistrationBatch::registerAll() {
    std::exception_ptr thrown;
    for (auto& handler : handlers_) {
        guarded(
            [&] {
                onDispatcher.assertCurrent();
                registerOne(std::move(handler));
            },
            [&](std::exception_ptr caught) { thrown = std::move(caught); });
    }
    if (thrown) std::rethrow_exception(thrown);
}

void RegistrationBatch::registerOne(std::unique_ptr<ReadWriteSelectorHandler> handler) {
    struct Arrived {
        SelectorThread& thread;
        const bool counts;
        ~Arrived() { thread.registry().expectConnection(counts, -1); }
    } arrived{*thread_, handler->countsAsConnection()};
    const Result<ChannelHandle> done =
        thread_->registerChannelNow(std::move(handler), Interest::read);
    if (!done) onError_(done.error());
}

}  // namespace nio
