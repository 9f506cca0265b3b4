// Connections on the move, as one dispatcher sees them.
//
// The dispatcher with which a channel was registered first is its home: handles name it for life.
// The home keeps the channel's slot while it is away, knows where it is, and passes on what is
// posted by handle. It also begins every move: it holds back later posts, asks the place where the
// channel is to let it go, and goes on when it hears where the channel is now. So what was
// posted before reaches the old place before the channel leaves it, what was posted after reaches
// the new place after the channel, and no chain of forwards grows, however often it moves.
//
// Thread: the dispatcher's own.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include <nio/loop/ChannelHandle.h>
#include <nio/loop/Registration.h>
#include <nio/sys/Clock.h>
#include <nio/tasks/TaskQueue.h>

namespace nio {

class MovableHandler;

// What was posted by a handle: called on the dispatcher where its handler was found; null: gone.
using HandlerTask = UniqueFunction<void(SelectorThread& here, SelectorHandler* found)>;

class ChannelMoves {
  public:
    // A dispatcher that may be gone by the time it is posted to: its queue refuses then.
    struct Place {
        SelectorThread* thread = nullptr;
        std::shared_ptr<TaskQueue> queue{};
    };
    struct Request {
        ChannelHandle handle;
        Place target;
        CallbackErrorHandler onError{};
    };

    explicit ChannelMoves(SelectorThread& thread) : thread_(thread) {}
    ChannelMoves(const ChannelMoves&) = delete;
    ChannelMoves& operator=(const ChannelMoves&) = delete;

    // Where the channel is: has its home begin a move.
    Result<void> request(Registration& registration, Place target, CallbackErrorHandler onError)
        NIO_REQUIRES(onDispatcher);
    // At the channel's home.
    void begin(Request request) NIO_REQUIRES(onDispatcher);
    // At the home of a handle whose channel is not here.
    void forward(ChannelHandle handle, HandlerTask task) NIO_REQUIRES(onDispatcher);

    // A channel that has its home elsewhere.
    Registration* guest(ChannelHandle handle) const NIO_REQUIRES(onDispatcher);
    // Of one that travels: also while it waits to leave.
    ChannelHandle handleOf(const Registration& registration) NIO_REQUIRES(onDispatcher);

    bool isLeaving(const Registration& registration) NIO_REQUIRES(onDispatcher) {
        return departureOf(registration) != departures_.end();
    }
    // What one that waits to leave asks for it gets where it will be. Null, false: it does not
    // leave.
    Interest* interestThere(Registration& registration) NIO_REQUIRES(onDispatcher);
    bool flushesThere(const Registration& registration) NIO_REQUIRES(onDispatcher);
    bool revisitsThere(const Registration& registration) NIO_REQUIRES(onDispatcher);
    // A registration that travels() has been closed.
    void ended(Registration& registration) NIO_REQUIRES(onDispatcher);
    // After each select: those that the engine did not let go yet, and homes that could not be told
    // (out of memory), also while there is nothing else to do.
    bool hasErrands() const { return !departures_.empty() || owesNews(); }
    // Of those that have their home here.
    bool someoneIsAway() const { return !away_.empty(); }
    void askAgain() NIO_REQUIRES(onDispatcher);
    bool owesNews() const { return newsOwed_ > 0; }
    static TimePoint nextTry() { return Clock::now() + std::chrono::milliseconds(10); }
    // Those that have not left yet stay.
    void callBack() NIO_REQUIRES(onDispatcher);
    // The dispatcher stops: what is held back finds nobody.
    void forgetAway() NIO_REQUIRES(onDispatcher);

  private:
    struct HashHandle {
        std::size_t operator()(const ChannelHandle& handle) const {
            const std::size_t value = (std::size_t{handle.generation()} << 32) + handle.slot();
            return std::hash<const void*>{}(handle.dispatcher()) ^ std::hash<std::size_t>{}(value);
        }
    };
    struct Away {
        Place place;  // nobody's while it is on its way
        std::vector<Task> held{};
    };
    // One that has its home elsewhere. It is made before the channel leaves its home, and travels
    // along: whatever happens on the way, the news of it has a place to wait in.
    struct Guest {
        ChannelHandle handle;
        std::shared_ptr<TaskQueue> home;
        Registration* registration = nullptr;  // here
        bool leaves = false;
        bool closed = false;
        bool newsOwed = false;  // its home was not told yet what has become of it
    };
    using Guests = std::list<Guest>;
    // What travels.
    struct Traveller {
        Guests guest;  // one
        Registration::Served served;
        Interest interest;
        bool flushes = false;
        bool revisits = false;
        CallbackErrorHandler onError{};
        std::unique_ptr<SelectorHandler> handler{};  // once it is on its way

        ChannelHandle handle() const { return guest.front().handle; }
        bool isServedBy(const SelectorHandler& one) const { return served.handler == &one; }
    };
    struct Departure {
        Registration* registration;
        Place target;
        Traveller traveller;
    };
    using Departures = std::vector<Departure>;
    struct Begin;
    struct HeldBegin;
    struct BeginDeparture;
    struct Arrival;
    struct Forward;

    bool isHome(ChannelHandle handle) const { return handle.dispatcher() == &thread_; }
    void tell(CallbackErrorHandler& onError, const Error& error) NIO_REQUIRES(onDispatcher);
    Away* find(ChannelHandle handle) NIO_REQUIRES(onDispatcher);
    void holdBack(Away& away, Request request) NIO_REQUIRES(onDispatcher);
    void depart(Registration& registration, Request request) NIO_REQUIRES(onDispatcher);
    // All that needs memory, before anybody is told.
    Result<void> prepare(ChannelHandle handle, Guests& guest) NIO_REQUIRES(onDispatcher);
    void stays(ChannelHandle handle) NIO_REQUIRES(onDispatcher);
    // Refused: why it does not leave.
    Result<void> tellLeaving(Registration& registration, const TaskQueue& target)
        NIO_REQUIRES(onDispatcher);
    bool tellArrived(Registration& registration, const Traveller* traveller = nullptr)
        NIO_REQUIRES(onDispatcher);
    Departure packed(Registration& registration, Request request, Guests guest)
        NIO_REQUIRES(onDispatcher);
    Departures::iterator departureOf(const Registration& registration) NIO_REQUIRES(onDispatcher);
    void queueVisits(Registration& registration, const Traveller& traveller)
        NIO_REQUIRES(onDispatcher);
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
    void farewell(Guests guest) NIO_REQUIRES(onDispatcher);
    void tellHome(Guests::iterator guest) NIO_REQUIRES(onDispatcher);
    void heardOf(ChannelHandle handle, Place place) NIO_REQUIRES(onDispatcher);
    void heardOfEnd(ChannelHandle handle) NIO_REQUIRES(onDispatcher);

    SelectorThread& thread_;
    std::unordered_map<std::uint32_t, Away> away_;  // by slot
    Guests guests_;             // also those that are closed, while news is owed
    std::size_t newsOwed_ = 0;  // by how many
    std::unordered_map<ChannelHandle, Guests::iterator, HashHandle> byHandle_;
    std::vector<ChannelHandle> handles_;  // of guests, by the slot that they have here
    Departures departures_;
};

}  // namespace nio
