// A RecordingHandler that can be moved between dispatchers.
//
// Thread: its dispatcher's own.
// Lifetime: the journal must outlive it.
#pragma once

#include <nio/loop/SelectorHandlers.h>

#include "support/RecordingHandler.h"

namespace support {

class MovingHandler : public RecordingBase<nio::MovableHandler, nio::SocketChannel> {
  public:
    using RecordingBase::RecordingBase;

    void handleRead() override NIO_REQUIRES(nio::onDispatcher) {
        call("read", onRead);
        if (onRead) return;
        const nio::Received got = channel().receive();
        if (got.status == nio::IoStatus::closed || got.status == nio::IoStatus::failed) {
            return channel().close();
        }
        kept.append(nio::asText(got.bytes));
        dispatcher().addChannelInterestNow(channel(), nio::Interest::read);
    }
    void handleWrite() override NIO_REQUIRES(nio::onDispatcher) { call("write", onWrite); }
    void handleClosed() override NIO_REQUIRES(nio::onDispatcher) { call("closed", onClosed); }
    void handleDrain(const nio::DrainOptions&) override NIO_REQUIRES(nio::onDispatcher) {
        call("drain", onDrain);
    }
    void handleFailure(std::exception_ptr) override NIO_REQUIRES(nio::onDispatcher) {
        call("failure", onFailure);
        if (!onFailure) channel().close();
    }
    bool isMovable() const override NIO_REQUIRES(nio::onDispatcher) {
        if (onAsked) onAsked();
        return movable;
    }
    void leaving() override NIO_REQUIRES(nio::onDispatcher) { call("leaving", onLeaving); }
    void arrived() override NIO_REQUIRES(nio::onDispatcher) { call("arrived", onArrived); }

    Hook onRead, onWrite, onClosed, onDrain, onFailure, onLeaving, onArrived, onAsked;
    bool movable = true;
    std::string kept;
};

}  // namespace support
