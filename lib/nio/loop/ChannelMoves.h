// Migration of channels between dispatchers, as one dispatcher sees it: channels that wait to
// leave, and channels that arrive.
//
// A channel's home dispatcher (see ChannelPlaces.h) begins every migration: it holds later posts
// back, asks the dispatcher where the channel is to release it, and forwards the held posts when it
// learns the new place. So earlier posts reach the old dispatcher before the channel leaves, and
// later ones reach the new dispatcher after it has arrived.
//
// Thread: the dispatcher's own, unless it says otherwise.
#pragma once

#include <memory>
#include <vector>

#include <nio/base/Published.h>
#include <nio/loop/ChannelPlaces.h>
#include <nio/loop/Registry.h>
#include <nio/sys/Clock.h>

namespace nio {

class ChannelMoves {
  public:
    // Both must outlive it.
    ChannelMoves(SelectorThread& thread, ExceptionBarrier& barrier)
        : thread_(thread), barrier_(barrier), places_(thread, barrier) {}
    ChannelMoves(const ChannelMoves&) = delete;
    ChannelMoves& operator=(const ChannelMoves&) = delete;

    // Migrates the channel, its handler and the bytes they hold to `target`; interest and handle
    // stay (see SelectorHandlers.h). It begins after this call, in a task, while no callback of the
    // channel runs. Does nothing if the channel is on `target` already. Errors, and the channel
    // stays: notRegistered, notMovable, not_enough_memory, stopped (this dispatcher or `target`
    // drains or has stopped, or the channel's home has stopped). Later errors go to onError, on the
    // dispatcher that finds them: the same, or handlerFailed (leaving() or arrived() threw).
    Result<void> moveNow(SelectableChannel& channel, SelectorThread& target,
                         CallbackErrorHandler onError = {}) NIO_REQUIRES(onDispatcher);
    // The same from any thread. False: the channel's home has stopped, or its queue is full. All
    // other errors go to onError.
    [[nodiscard]] bool moveLater(ChannelHandle handle, SelectorThread& target,
                                 CallbackErrorHandler onError = {});

    // --- for the library --------------------------------------------------------------------

    struct Request {
        ChannelHandle handle;
        ChannelPlaces::Place target;
        CallbackErrorHandler onError{};
    };
    // At the channel's home.
    void begin(Request request) NIO_REQUIRES(onDispatcher);

    ChannelPlaces& places() { return places_; }
    // The handle of a channel that waits to leave, or whose home is elsewhere.
    ChannelHandle handleOf(const Registration& registration) NIO_REQUIRES(onDispatcher);
    bool isLeaving(const Registration& registration) NIO_REQUIRES(onDispatcher) {
        return departureOf(registration) != departures_.end();
    }
    // The interest and the visits that a channel waiting to leave will have on the target. Null: it
    // does not leave.
    Interest* interestThere(Registration& registration) NIO_REQUIRES(onDispatcher);
    Registry::Visits* visitsThere(const Registration& registration) NIO_REQUIRES(onDispatcher);
    // A registration with `travels` has been closed.
    void ended(Registration& registration) NIO_REQUIRES(onDispatcher);
    // Whether askAgain() must run after the select, even if idle: the engine has not released a
    // channel yet, or a home could not be told (out of memory).
    bool hasErrands() const NIO_REQUIRES(onDispatcher) {
        return !departures_.empty() || places_.owesNews();
    }
    void askAgain() NIO_REQUIRES(onDispatcher);
    static TimePoint nextTry() { return Clock::now() + std::chrono::milliseconds(10); }
    // Cancels all departures that wait; the channels stay.
    void callBack() NIO_REQUIRES(onDispatcher);

    // Number of tasks dropped because their channel had closed. Thread: any.
    std::uint64_t droppedTasks() const { return dropped_.read(); }
    void countDropped() NIO_REQUIRES(onDispatcher) { dropped_.add(1); }

  private:
    // A migrating channel and what goes with it.
    struct Traveller {
        ChannelPlaces::Guests guest;  // one
        Registration::Served served;
        Interest interest;
        Registry::Visits visits{};
        CallbackErrorHandler onError{};
        std::unique_ptr<SelectorHandler> handler{};  // once it has left

        ChannelHandle handle() const { return guest.front().handle; }
        bool isServedBy(const SelectorHandler& one) const { return served.handler == &one; }
    };
    struct Departure {
        Registration* registration;
        ChannelPlaces::Place target;
        Traveller traveller;
    };
    using Departures = std::vector<Departure>;
    struct Begin;
    struct BeginDeparture;
    struct Arrival;

    void tell(CallbackErrorHandler& onError, const Error& error) NIO_REQUIRES(onDispatcher);
    void holdBack(ChannelPlaces::Away& away, Request request) NIO_REQUIRES(onDispatcher);
    void depart(Registration& registration, Request request) NIO_REQUIRES(onDispatcher);
    // Allocates everything before any callback.
    Result<void> prepare(ChannelHandle handle, ChannelPlaces::Guests& guest)
        NIO_REQUIRES(onDispatcher);
    // Calls leaving(). On an error the channel does not leave.
    Result<void> tellLeaving(Registration& registration, const TaskQueue& target)
        NIO_REQUIRES(onDispatcher);
    bool tellArrived(Registration& registration, const Traveller* traveller = nullptr)
        NIO_REQUIRES(onDispatcher);
    Departure packed(Registration& registration, Request request, ChannelPlaces::Guests guest)
        NIO_REQUIRES(onDispatcher);
    Departures::iterator departureOf(const Registration& registration) NIO_REQUIRES(onDispatcher);
    // Null: it does not leave, or another handler took its place.
    Traveller* travellerOf(Registration& registration) NIO_REQUIRES(onDispatcher);
    // True: it no longer waits, since it has left or its departure was cancelled.
    bool letGo(Registration& registration) NIO_REQUIRES(onDispatcher);
    Departure taken(const Registration& registration) NIO_REQUIRES(onDispatcher);
    void comeBack(Departure departure, Errc reason) NIO_REQUIRES(onDispatcher);
    void send(Departure departure) NIO_REQUIRES(onDispatcher);
    void arrive(Traveller traveller) NIO_REQUIRES(onDispatcher);
    Result<Registration*> enter(Traveller& traveller) NIO_REQUIRES(onDispatcher);
    void strand(Traveller traveller, const Error& error) NIO_REQUIRES(onDispatcher);
    void welcome(Registration& registration, Traveller traveller) NIO_REQUIRES(onDispatcher);

    SelectorThread& thread_;
    ExceptionBarrier& barrier_;
    ChannelPlaces places_;
    Departures departures_ NIO_GUARDED_BY(onDispatcher);
    Published<std::uint64_t> dropped_;
};

}  // namespace nio
