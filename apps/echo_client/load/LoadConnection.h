// One socket of a load: carries the messages of its slot, with or without framing.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: that of its handler; the slot lives longer.
#pragma once

#include <memory>
#include <optional>

#include <nio/connection/StreamHandler.h>

namespace load {

class LoadSlot;

class LoadConnection {
  public:
    // A handler for `channel`, as the plan's framing wants it.
    static std::unique_ptr<nio::StreamHandler> make(nio::SocketChannel channel, LoadSlot& slot);

    explicit LoadConnection(LoadSlot& slot) : slot_(slot) {}
    LoadConnection(const LoadConnection&) = delete;
    LoadConnection& operator=(const LoadConnection&) = delete;
    virtual ~LoadConnection() = default;

    virtual void send(nio::ByteView message) NIO_REQUIRES(nio::onDispatcher) = 0;
    virtual nio::StreamHandler& stream() = 0;

  protected:
    LoadSlot& slot() { return slot_; }

  private:
    LoadSlot& slot_;
};

}  // namespace load
