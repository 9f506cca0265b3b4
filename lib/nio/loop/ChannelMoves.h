// Migration of channels from one dispatcher to another, as one dispatcher sees it: those that wait
// to leave, and those that arrive.
//
// A channel's home (see ChannelPlaces.h) begins every migration: it holds back later posts, asks
// the place where the channel is to let it go, and goes on when it hears where the channel is now.
// So what was posted before reaches the old place before the channel leaves it, and what was posted
// after reaches the new place after the channel.
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

    // Moves the channel, with its handler and all bytes that the two hold, to `target`, where it
    // keeps its interest and its handle: see SelectorHandlers.h. Not inside this call: in the tasks
    // of the next turn at the latest, when no callback of it runs. On `target` already: nothing
    // happens. Refused: notRegistered, notMovable, stopped (this dispatcher or `target` drains or
    // has stopped, the channel's home has stopped; the channel stays). What happens after that goes
    // to onError, on whichever dispatcher finds it out: the same, or handlerFailed (an exception
    // from leaving() or arrived()).
    Result<void> moveNow(SelectableChannel& channel, SelectorThread& target,
                         CallbackErrorHandler onError = {}) NIO_REQUIRES(onDispatcher);
    // Thread: any. False: stopped or full. All errors go to onError.
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
    // Of one that travels: also while it waits to leave.
    ChannelHandle handleOf(const Registration& registration) NIO_REQUIRES(onDispatcher);
    bool isLeaving(const Registration& registration) NIO_REQUIRES(onDispatcher) {
        return departureOf(registration) != departures_.end();
    }
    // What one that waits to leave asks for it gets where it will be. Null: it does not leave.
    Interest* interestThere(Registration& registration) NIO_REQUIRES(onDispatcher);
    Registry::Visits* visitsThere(const Registration& registration) NIO_REQUIRES(onDispatcher);
    // A registration that travels has been closed.
    void ended(Registration& registration) NIO_REQUIRES(onDispatcher);
    // After each select: those that the engine did not let go yet, and homes that could not be told
    // (out of memory), also while there is nothing else to do.
    bool hasErrands() const NIO_REQUIRES(onDispatcher) {
        return !departures_.empty() || places_.owesNews();
    }
    void askAgain() NIO_REQUIRES(onDispatcher);
    static TimePoint nextTry() { return Clock::now() + std::chrono::milliseconds(10); }
    // Those that have not left yet stay.
    void callBack() NIO_REQUIRES(onDispatcher);

    // Tasks for handles whose channel was closed meanwhile. Thread: any.
    std::uint64_t droppedTasks() const { return dropped_.read(); }
    void countDropped() NIO_REQUIRES(onDispatcher) { dropped_.add(1); }

  private:
    // What travels.
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
    // All that needs memory, before anybody is told.
    Result<void> prepare(ChannelHandle handle, ChannelPlaces::Guests& guest)
        NIO_REQUIRES(onDispatcher);
    // Refused: why it does not leave.
    Result<void> tellLeaving(Registration& registration, const TaskQueue& target)
        NIO_REQUIRES(onDispatcher);
    bool tellArrived(Registration& registration, const Traveller* traveller = nullptr)
        NIO_REQUIRES(onDispatcher);
    Departure packed(Registration& registration, Request request, ChannelPlaces::Guests guest)
        NIO_REQUIRES(onDispatcher);
    Departures::iterator departureOf(const Registration& registration) NIO_REQUIRES(onDispatcher);
    // Null: it does not leave, or another handler took its place.
    Traveller* travellerOf(Registration& registration) NIO_REQUIRES(onDispatcher);
    // True: it has gone, in either direction.
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
