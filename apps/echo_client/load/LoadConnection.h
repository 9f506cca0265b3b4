// One socket of a load: carries the messages of its slot. PacketConnection has a framing,
// RawConnection has none.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: that of its handler; the slot lives longer.
#pragma once

#include <nio/connection/StreamHandler.h>

namespace load {

class LoadSlot;

class LoadConnection {
  public:
    explicit LoadConnection(LoadSlot& slot) : slot_(slot) {}
    LoadConnection(const LoadConnection&) = delete;
    LoadConnection& operator=(const LoadConnection&) = delete;
    virtual ~LoadConnection() = default;

    virtual void send(nio::ByteView message) NIO_REQUIRES(nio::onDispatcher) = 0;
    virtual nio::StreamHandler& stream() = 0;

  protected:
    LoadSlot& slot() const { return slot_; }

  private:
    LoadSlot& slot_;
};

}  // namespace load
