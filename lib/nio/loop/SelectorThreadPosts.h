// The part of SelectorThread that is made of templates: registrations and invocations of any type.
// Only SelectorThread.h includes it; the contracts are there.
#pragma once

#include <nio/loop/SelectorThread.h>

namespace nio {

// One error of the compiler, which says what is wrong, instead of a list of overloads.
template <class H>
constexpr bool isServing() {
    static_assert(ServingHandler<H>,
                  "a handler implements exactly one of AcceptSelectorHandler, "
                  "ConnectSelectorHandler and ReadWriteSelectorHandler");
    return ServingHandler<H>;
}

template <class H>
Result<ChannelHandle> SelectorThread::registerChannelNow(std::unique_ptr<H>&& handler,
                                                         Interest interest) {
    identity_.assertCurrent("registerChannelNow");
    if constexpr (!isServing<H>()) {
        return std::errc::invalid_argument;
    } else {
        Result<ChannelHandle> registered = adopt(Registration::Served::by(*handler), interest);
        if (registered) handler.release();
        return registered;
    }
}

template <class H>
struct SelectorThread::RegisterTask {
    SelectorThread* thread;
    std::unique_ptr<H> handler;
    Interest interest;
    CallbackErrorHandler onError;

    void operator()() {
        onDispatcher.assertCurrent();
        const bool counts = handler->countsAsConnection();
        Result<ChannelHandle> done = thread->registerChannelNow(std::move(handler), interest);
        thread->countConnection(counts, -1);
        if (!done && onError) onError(done.error());
    }
};

template <class H>
bool SelectorThread::registerChannelLater(std::unique_ptr<H>&& handler, Interest interest,
                                          CallbackErrorHandler onError) {
    if constexpr (!isServing<H>()) {
        return false;
    } else {
        if (handler->channel().isRegistered()) return false;
        const bool counts = handler->countsAsConnection();
        countConnection(counts, +1);
        RegisterTask<H> task{this, std::move(handler), interest, std::move(onError)};
        if (queue_->pushOrRefuse(std::move(task), TaskQueue::Post::limited)) return true;
        countConnection(counts, -1);
        handler = std::move(task.handler);
        return false;
    }
}

template <class F>
bool SelectorThread::invokeLater(ChannelHandle handle, F&& task) {
    static_assert(std::invocable<F, SelectorHandler&>,
                  "a task for a ChannelHandle takes nio::SelectorHandler&; "
                  "PacketHandle::invokeLater takes one with nio::PacketChannel&");
    if constexpr (std::invocable<F, SelectorHandler&>) {
        SelectorThread& home = homeOf(handle);
        auto make = [&] {
            return Task([&home, handle, task = std::forward<F>(task)]() mutable {
                onDispatcher.assertCurrent();
                if (SelectorHandler* here = home.findNow(handle))
                    return static_cast<void>(task(*here));
                home.moves_.forward(
                    handle, [task = std::move(task)](SelectorThread& thread,
                                                     SelectorHandler* found) mutable {
                        found != nullptr ? static_cast<void>(task(*found)) : thread.countDropped();
                    });
            });
        };
        return home.queue_->push(TaskMadeWhenTaken<decltype(make)&>{make}).ok();
    }
    return false;
}

template <std::invocable F>
Result<std::invoke_result_t<F&>> SelectorThread::invokeAndWait(F&& task) {
    using R = std::invoke_result_t<F&>;
    if constexpr (std::is_void_v<R>) {
        return runAndWait([&task] { task(); });
    } else {
        std::optional<R> value;
        Result<void> ran = runAndWait([&task, &value] { value.emplace(task()); });
        if (!ran) return ran.error();
        return std::move(*value);
    }
}

}  // namespace nio
