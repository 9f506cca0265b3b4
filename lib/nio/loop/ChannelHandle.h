// Identifies a registered channel: a value that can be kept, copied and passed to other threads.
// Once the channel is closed, lookups by it find nothing.
//
// Thread: keeping and copying any; SelectorThread::findNow the dispatcher's own.
// Lifetime: must not be used after its dispatcher is destroyed.
#pragma once

#include <cstdint>

#include <nio/base/Error.h>
#include <nio/base/UniqueFunction.h>

namespace nio {

class SelectorThread;

// Where a …Later call reports an error that it found when it ran. Called at most once, on the
// dispatcher that ran the call. Source: ONJava article 2004, CallbackErrorHandler.
using CallbackErrorHandler = UniqueFunction<void(const Error&)>;

class ChannelHandle {
  public:
    ChannelHandle() = default;  // identifies no channel
    ChannelHandle(SelectorThread& thread, std::uint32_t slot, std::uint32_t generation)
        : thread_(&thread), slot_(slot), generation_(generation) {}

    // Null for a default-constructed handle.
    SelectorThread* dispatcher() const { return thread_; }
    SelectorThread& dispatcherOr(SelectorThread& other) const {
        return thread_ == nullptr ? other : *thread_;
    }
    std::uint32_t slot() const { return slot_; }
    std::uint32_t generation() const { return generation_; }

    bool operator==(const ChannelHandle&) const = default;

  private:
    SelectorThread* thread_ = nullptr;
    std::uint32_t slot_ = 0;
    std::uint32_t generation_ = 0;
};

}  // namespace nio
