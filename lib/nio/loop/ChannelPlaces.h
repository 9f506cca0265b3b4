// Where migrated channels are, as one dispatcher knows it: its own that are elsewhere, and those of
// others that are here.
//
// The dispatcher with which a channel was registered first is its home: handles name it for life.
// The home keeps the channel's slot while it is away, knows where it is, and passes on what is
// posted by handle; what is posted while it migrates is held back until its home hears where it is.
// So no chain of forwards grows, however often it migrates.
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
#include <nio/tasks/TaskQueue.h>

namespace nio {

class ExceptionBarrier;

// What was posted by a handle: called on the dispatcher where its handler was found; null: gone.
using HandlerTask = UniqueFunction<void(SelectorThread& here, SelectorHandler* found)>;

class ChannelPlaces {
  public:
    // A dispatcher that may be gone by the time it is posted to: its queue refuses then.
    struct Place {
        SelectorThread* thread = nullptr;
        std::shared_ptr<TaskQueue> queue{};
    };
    // A channel of this home that is elsewhere.
    struct Away {
        Place place;  // empty while it migrates
        std::vector<Task> held{};
    };
    // A channel that has its home elsewhere. It is made before the channel leaves its home, and
    // travels along: whatever happens meanwhile, the news of it has a place to wait in.
    struct Guest {
        ChannelHandle handle;
        std::shared_ptr<TaskQueue> home;
        Registration* registration = nullptr;  // here
        bool leaves = false;
        bool closed = false;
        bool newsOwed = false;  // its home was not told yet what has become of it
    };
    using Guests = std::list<Guest>;

    // Both must outlive it.
    ChannelPlaces(SelectorThread& thread, ExceptionBarrier& barrier)
        : thread_(thread), barrier_(barrier) {}
    ChannelPlaces(const ChannelPlaces&) = delete;
    ChannelPlaces& operator=(const ChannelPlaces&) = delete;

    bool isHome(ChannelHandle handle) const { return handle.dispatcher() == &thread_; }
    // Null: not here.
    Registration* find(ChannelHandle handle) const NIO_REQUIRES(onDispatcher);
    // Of one that has its home elsewhere; empty: that is not known of it.
    ChannelHandle handleOf(const Registration& registration) const NIO_REQUIRES(onDispatcher);

    // --- its own that are elsewhere -----------------------------------------------------------

    // Null: it has its home elsewhere, is here, or is closed.
    Away* away(ChannelHandle handle) NIO_REQUIRES(onDispatcher);
    bool anyIsAway() const NIO_REQUIRES(onDispatcher) { return !away_.empty(); }
    // At the home of a handle whose channel is not here.
    void forward(ChannelHandle handle, HandlerTask task) NIO_REQUIRES(onDispatcher);
    // It is back; returns what was held back.
    std::vector<Task> cameBack(ChannelHandle handle) NIO_REQUIRES(onDispatcher);
    void isAt(ChannelHandle handle, Place place) NIO_REQUIRES(onDispatcher);
    // It was closed elsewhere: what is held back finds nobody.
    void ended(ChannelHandle handle) NIO_REQUIRES(onDispatcher);
    // The dispatcher stops: what is held back finds nobody.
    void forgetAway() NIO_REQUIRES(onDispatcher);

    // --- those of others that are here --------------------------------------------------------

    // To which its migrations are posted: its home.
    const std::shared_ptr<TaskQueue>& homeOf(ChannelHandle handle) const NIO_REQUIRES(onDispatcher);
    // All that needs memory, before it is told to leave. Throws, and has changed nothing then.
    void prepareToLeave(ChannelHandle handle, Guests& guest) NIO_REQUIRES(onDispatcher);
    // It does not leave after all.
    void stays(ChannelHandle handle) NIO_REQUIRES(onDispatcher);
    // It leaves as `guest`, which is filled by prepareToLeave() if its home is here.
    void leaves(ChannelHandle handle, Guests& guest) NIO_REQUIRES(onDispatcher);
    // It has been posted to another dispatcher.
    void hasLeft(ChannelHandle handle) NIO_REQUIRES(onDispatcher) { byHandle_.erase(handle); }
    // All that needs memory, before it is registered here. Throws.
    void prepareToArrive(Guests& guest) NIO_REQUIRES(onDispatcher);
    // It is registered here, as a guest.
    void arrived(Registration& registration, Guests guest) NIO_REQUIRES(onDispatcher);
    // The slot here of one that is not at home is free.
    void freeSlot(Registration& registration) NIO_REQUIRES(onDispatcher);
    // A registration was closed here that is a guest; empty: it is none.
    Guests taken(const Registration& registration) NIO_REQUIRES(onDispatcher);
    void farewell(Guests guest) NIO_REQUIRES(onDispatcher);
    // Homes that could not be told (out of memory).
    bool owesNews() const NIO_REQUIRES(onDispatcher) { return newsOwed_ > 0; }
    void tellOwed() NIO_REQUIRES(onDispatcher);

  private:
    struct HashHandle {
        std::size_t operator()(const ChannelHandle& handle) const {
            const std::size_t value = (std::size_t{handle.generation()} << 32) + handle.slot();
            return std::hash<const void*>{}(handle.dispatcher()) ^ std::hash<std::size_t>{}(value);
        }
    };
    struct Forward;

    void run(std::vector<Task> held) NIO_REQUIRES(onDispatcher);
    void tellHome(Guests::iterator guest) NIO_REQUIRES(onDispatcher);

    SelectorThread& thread_;
    ExceptionBarrier& barrier_;
    std::unordered_map<std::uint32_t, Away> away_ NIO_GUARDED_BY(onDispatcher);  // by slot
    // Also those that are closed, while news is owed.
    Guests guests_ NIO_GUARDED_BY(onDispatcher);
    std::size_t newsOwed_ NIO_GUARDED_BY(onDispatcher) = 0;  // by how many
    std::unordered_map<ChannelHandle, Guests::iterator, HashHandle> byHandle_
        NIO_GUARDED_BY(onDispatcher);
    // Of guests, by the slot that they have here.
    std::vector<ChannelHandle> handles_ NIO_GUARDED_BY(onDispatcher);
};

}  // namespace nio
