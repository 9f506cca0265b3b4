// The interfaces by which a dispatcher tells a state machine what its channel is ready for.
//
// A handler implements the one it can serve, and can be registered for nothing else: the
// registration calls of SelectorThread are overloaded by these types.
//
// The ready operation has left the channel's interest when a callback begins, as in the article: a
// handler that wants to be called again adds the interest again (in user space; in the steady
// state the kernel is not told).
//
// Thread: the dispatcher's own, every one of them.
// Lifetime: once registered, a handler belongs to its key alone. It is destroyed at the end of the
// turn in which its channel was closed, never inside one of its own callbacks; between the
// close (with its handleClosed) and the destruction no callback runs.
// Errors: an exception that escapes is caught by the dispatcher, reported with the handler's
// name, and given to handleFailure(); no other channel notices.
// Source: ONJava article 2004, figure 1.
#pragma once

#include <cstddef>
#include <exception>
#include <string>

#include <nio/base/Error.h>
#include <nio/base/ThreadRole.h>
#include <nio/channel/SelectableChannel.h>
#include <nio/loop/Drain.h>

namespace nio {

class MovableHandler;
class Registry;
class SelectorThread;

class SelectorHandler {
  public:
    virtual ~SelectorHandler() = default;

    // The channel that this handler owns.
    virtual SelectableChannel& channel() = 0;

    // For reports; the type's name unless overridden. Thread: any that may read the handler.
    virtual std::string name() const;

    // It has been registered (or has taken a registered channel over).
    virtual void handleRegistered() NIO_REQUIRES(onDispatcher) {}
    // The dispatcher drains: finish and close. Closes at once unless overridden.
    virtual void handleDrain(const DrainOptions&) NIO_REQUIRES(onDispatcher) { channel().close(); }
    // The drain timeout has expired. Closes unless overridden.
    virtual void handleAbort() NIO_REQUIRES(onDispatcher) { channel().close(); }
    // One of this handler's callbacks threw. Closes unless overridden.
    virtual void handleFailure(std::exception_ptr) NIO_REQUIRES(onDispatcher) { channel().close(); }
    // The channel has been closed: the last callback.
    virtual void handleClosed() NIO_REQUIRES(onDispatcher) {}
    // SelectorThread::flushLater was called: once per turn, after all callbacks.
    virtual void handleFlush() NIO_REQUIRES(onDispatcher) {}
    // SelectorThread::revisitLater was called: in the next turn, without any readiness.
    virtual void handleRevisit() NIO_REQUIRES(onDispatcher) {}
    // The idle timeout of the handler has expired (IdleHook). Closes unless overridden.
    virtual void handleIdle() NIO_REQUIRES(onDispatcher) { channel().close(); }

    // The memory budget begins or ceases to pause reads of connections with pending output. Only
    // handlers that hold buffers (SelectorThread::countBuffered) are told.
    virtual void handlePressure() NIO_REQUIRES(onDispatcher) {}
    // Evicted: the memory budget is exhausted and this handler holds the most. It must close; it is
    // closed if it does not.
    virtual void handleOverload() NIO_REQUIRES(onDispatcher) { channel().close(); }

    // Whether handleFlush() is also called when the channel gets unread input to hold
    // (SocketChannel::unread, or from an engine), so that the handler counts it.
    virtual bool countsHeldInput() const { return false; }

    virtual Remains remains() const { return {}; }
    // Whether it counts where connections are counted (load, drain report).
    virtual bool countsAsConnection() const { return false; }
    // Whether a drain waits for it. A handler that serves the program and no peer returns false;
    // its handleAbort() is called when all others have closed.
    virtual bool holdsUpDrain() const { return true; }
    // This handler if it can migrate, else null.
    virtual MovableHandler* asMovable() { return nullptr; }

    // The dispatcher with which it is registered, or was last. Only after registration.
    SelectorThread& dispatcher() const { return *dispatcher_; }
    // Whether it has ever been registered. Its channel may have been registered before that, with
    // another handler.
    bool hasDispatcher() const { return dispatcher_ != nullptr; }

  private:
    friend class Registry;

    SelectorThread* dispatcher_ = nullptr;
};

class AcceptSelectorHandler : public SelectorHandler {
  public:
    // A connection can be accepted.
    virtual void handleAccept() NIO_REQUIRES(onDispatcher) = 0;
    // The listener stays.
    void handleFailure(std::exception_ptr) override NIO_REQUIRES(onDispatcher);
};

class ConnectSelectorHandler : public SelectorHandler {
  public:
    // The connect in progress has completed: see SocketChannel::connectOutcome.
    virtual void handleConnect() NIO_REQUIRES(onDispatcher) = 0;
};

class ReadWriteSelectorHandler : public SelectorHandler {
  public:
    virtual void handleRead() NIO_REQUIRES(onDispatcher) = 0;
    virtual void handleWrite() NIO_REQUIRES(onDispatcher) = 0;
    // Only with Interest::exceptional: urgent data, say. Called between the other two.
    virtual void handleExceptional() NIO_REQUIRES(onDispatcher) {}
    bool countsAsConnection() const override { return true; }
};

// A read/write handler that can migrate to another dispatcher while it is open
// (ChannelMoves::moveNow and moveLater).
//
// A migration, in this order: leaving() on the old dispatcher; the kernel forgets the channel
// there; transfer of the handler, its channel, the bytes that the two hold, its interest and
// requested flushes and revisits; registration with the new dispatcher; arrived() there. No
// callback runs in between, and no byte is lost, repeated or reordered. If the target drains,
// handleDrain() follows arrived() at once.
//
// Release in leaving() what is bound to the old dispatcher, and acquire it again in arrived():
// deadlines (Deadline::leave, Deadline::arrive), the idle hook (IdleHook::suspend,
// IdleTimeouts::resume), and whatever else was given dispatcher() or points to it. A task or timer
// with a pointer to the handler still runs on the old dispatcher, where the handler no longer is:
// post by ChannelHandle instead. A handle stays valid for life: posts by it follow the handler, in
// order, each once (ChannelHandle.h).
//
// Thread: isMovable() and leaving() the old dispatcher's own, arrived() the new one's. dispatcher()
// is the new one from arrived() on.
// Errors: an exception from either goes the usual way: it is reported and handleFailure() is
// called, which closes unless overridden; a handler that survives leaving() stays where it is.
class MovableHandler : public ReadWriteSelectorHandler {
  public:
    MovableHandler* asMovable() final { return this; }
    // Asked right before leaving(), and after it until the channel has left. False refuses the
    // migration with notMovable.
    virtual bool isMovable() const NIO_REQUIRES(onDispatcher) { return true; }
    // The last callback on the old dispatcher.
    virtual void leaving() NIO_REQUIRES(onDispatcher) = 0;
    // The first callback on the new dispatcher; or, if the migration failed after leaving() or
    // isMovable() became false, on the old one.
    virtual void arrived() NIO_REQUIRES(onDispatcher) = 0;
    // The new dispatcher could not register it (no memory, a limit of the kernel): its channel is
    // closed, and this is the last callback, on the new dispatcher. handleClosed() unless
    // overridden.
    virtual void lost(const Error&) NIO_REQUIRES(onDispatcher) { handleClosed(); }
};

}  // namespace nio
