// A handler of a descriptor that is neither a connection nor a listener for its engine.
//
// Thread: the dispatcher's own.
// Lifetime: the journal must outlive the handler.
#pragma once

#include <utility>

#include <nio/channel/SelectableChannel.h>

#include "support/RecordingHandler.h"

namespace support {

class OtherChannel final : public nio::SelectableChannel {
  public:
    explicit OtherChannel(nio::UniqueFd fd) : SelectableChannel(std::move(fd)) {}
    OtherChannel(OtherChannel&&) = default;
};

class OtherHandler final : public RecordingBase<nio::ReadWriteSelectorHandler, OtherChannel> {
  public:
    using RecordingBase::RecordingBase;
    void handleRead() override NIO_REQUIRES(nio::onDispatcher) { call("read", onRead); }
    void handleWrite() override NIO_REQUIRES(nio::onDispatcher) { call("write", onWrite); }

    Hook onRead, onWrite;
};

}  // namespace support
