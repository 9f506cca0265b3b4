// What the handler of a connection implements so that it can be moved to another dispatcher while
// it lives (SelectorThread::moveChannelNow/Later): reading and writing, and a move.
//
// A move, in this order: leaving() on the old dispatcher; the kernel forgets the channel there; the
// handler travels, with its channel, all the bytes that the two hold, its interest, and the flush
// or revisit that it has asked for; it is registered with the new dispatcher; arrived() there.
// Nothing of it is called in between, and no byte is lost, repeated or put in another order. A
// drain that is under way there comes right after arrived().
//
// What is bound to the old dispatcher must be given up in leaving(), and taken up again in
// arrived(): deadlines (Deadline::leave, Deadline::arrive), the idle hook (IdleHook::suspend,
// IdleTimeouts::resume), whatever else was told dispatcher() or keeps a pointer to it. A task
// or a timer that was given a pointer to the handler still runs on the old dispatcher, and finds
// it elsewhere: post by ChannelHandle instead. A handle stays good for life: posts by it follow the
// handler, in order, each once (ChannelHandle.h).
//
// Thread: isMovable() and leaving() the old dispatcher's own, arrived() the new one's. dispatcher()
// is the new one from arrived() on.
// Errors: an exception from either goes the usual way: it is reported and handleFailure() is
// called, which closes unless overridden; a handler that survives leaving() stays where it is.
#pragma once

#include <nio/base/Error.h>
#include <nio/loop/SelectorHandlers.h>

namespace nio {

class MovableHandler : public ReadWriteSelectorHandler {
  public:
    MovableHandler* asMovable() final { return this; }
    // Asked right before leaving(), and after it, until it has gone. False refuses the move with
    // notMovable.
    virtual bool isMovable() const NIO_REQUIRES(onDispatcher) { return true; }
    // The last callback on the old dispatcher.
    virtual void leaving() NIO_REQUIRES(onDispatcher) = 0;
    // The first callback on the new one; on the old one, when the move failed after leaving(), or
    // the handler was not movable any more then.
    virtual void arrived() NIO_REQUIRES(onDispatcher) = 0;
    // The new dispatcher could not register it (no memory, a limit of the kernel): its channel is
    // closed, and this is the last callback, on the new dispatcher. handleClosed() unless
    // overridden.
    virtual void lost(const Error&) NIO_REQUIRES(onDispatcher) { handleClosed(); }
};

}  // namespace nio
