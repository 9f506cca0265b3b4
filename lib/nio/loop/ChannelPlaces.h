// Where migrated channels are, as one dispatcher knows it: its own that are away, and guests, whose
// home is elsewhere.
//
// A channel's home is the dispatcher with which it was first registered; its handles name the home
// for life. While the channel is away, its home keeps its slot, knows its place, and forwards
// posts. Posts during a migration are held until the home learns the new place. So a post takes at
// most one forward, however often the channel migrates.
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

// A task posted by handle, called on the dispatcher where the channel is. `found` is null if it is
// gone.
using HandlerTask = UniqueFunction<void(SelectorThread& here, SelectorHandler* found)>;

class ChannelPlaces {
  public:
    // A dispatcher that may be gone by the time it is posted to: its queue refuses then.
    struct Place {
        SelectorThread* thread = nullptr;
        std::shared_ptr<TaskQueue> queue{};
    };
    // A channel of this home that is away.
    struct Away {
        Place place;  // empty while it migrates
        std::vector<Task> held{};
    };
    // A channel whose home is elsewhere. It is allocated before the channel leaves its home and
    // goes along, so a report to the home can wait in it even when memory has run out.
    struct Guest {
        ChannelHandle handle;
        std::shared_ptr<TaskQueue> home;
        Registration* registration = nullptr;  // here
        bool leaves = false;
        bool closed = false;
        bool newsOwed = false;  // a report to its home is pending
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
    // The handle of a guest; empty if it is none.
    ChannelHandle handleOf(const Registration& registration) const NIO_REQUIRES(onDispatcher);

    // --- its own that are elsewhere -----------------------------------------------------------

    // Null: its home is elsewhere, or it is here or closed.
    Away* away(ChannelHandle handle) NIO_REQUIRES(onDispatcher);
    bool anyIsAway() const NIO_REQUIRES(onDispatcher) { return !away_.empty(); }
    // On the home of a channel that is not here: forwards `task`, or holds it back.
    void forward(ChannelHandle handle, HandlerTask task) NIO_REQUIRES(onDispatcher);
    // The channel is back; returns the held tasks.
    std::vector<Task> cameBack(ChannelHandle handle) NIO_REQUIRES(onDispatcher);
    void isAt(ChannelHandle handle, Place place) NIO_REQUIRES(onDispatcher);
    // The channel was closed elsewhere; held tasks run with a null handler.
    void ended(ChannelHandle handle) NIO_REQUIRES(onDispatcher);
    // The dispatcher stops; held tasks run with a null handler.
    void forgetAway() NIO_REQUIRES(onDispatcher);

    // --- those of others that are here --------------------------------------------------------

    // The queue of its home, to which its migrations are posted.
    const std::shared_ptr<TaskQueue>& homeOf(ChannelHandle handle) const NIO_REQUIRES(onDispatcher);
    // Allocates everything before leaving() is called. If this throws std::bad_alloc, nothing has
    // changed.
    void prepareToLeave(ChannelHandle handle, Guests& guest) NIO_REQUIRES(onDispatcher);
    // It does not leave after all.
    void stays(ChannelHandle handle) NIO_REQUIRES(onDispatcher);
    // It leaves as `guest`, which is filled by prepareToLeave() if its home is here.
    void leaves(ChannelHandle handle, Guests& guest) NIO_REQUIRES(onDispatcher);
    // It has been posted to another dispatcher.
    void hasLeft(ChannelHandle handle) NIO_REQUIRES(onDispatcher) { byHandle_.erase(handle); }
    // All that needs memory, before it is registered here. Throws.
    void prepareToArrive(Guests& guest) NIO_REQUIRES(onDispatcher);
    // The channel is registered here as a guest; its home is told.
    void arrived(Registration& registration, Guests guest) NIO_REQUIRES(onDispatcher);
    // Frees the slot that a guest had here.
    void freeSlot(Registration& registration) NIO_REQUIRES(onDispatcher);
    // Removes and returns the guest of a registration that was closed here; empty if it is none.
    Guests taken(const Registration& registration) NIO_REQUIRES(onDispatcher);
    void farewell(Guests guest) NIO_REQUIRES(onDispatcher);
    // Whether reports to homes are pending (out of memory).
    bool owesNews() const NIO_REQUIRES(onDispatcher) { return newsOwed_ > 0; }
    void tellOwed() NIO_REQUIRES(onDispatcher);

  private:
    struct HashHandle {
        std::size_t operator()(const ChannelHandle& handle) const {
            const std::uint64_t value = (std::uint64_t{handle.generation()} << 32) + handle.slot();
            return std::hash<const void*>{}(handle.dispatcher()) ^
                   std::hash<std::uint64_t>{}(value);
        }
    };
    struct Forward;

    void run(std::vector<Task> held) NIO_REQUIRES(onDispatcher);
    void tellHome(Guests::iterator guest) NIO_REQUIRES(onDispatcher);

    SelectorThread& thread_;
    ExceptionBarrier& barrier_;
    std::unordered_map<std::uint32_t, Away> away_ NIO_GUARDED_BY(onDispatcher);  // by slot
    // Includes closed ones whose report is pending.
    Guests guests_ NIO_GUARDED_BY(onDispatcher);
    std::size_t newsOwed_ NIO_GUARDED_BY(onDispatcher) = 0;  // pending reports
    std::unordered_map<ChannelHandle, Guests::iterator, HashHandle> byHandle_
        NIO_GUARDED_BY(onDispatcher);
    // Of guests, by the slot that they have here.
    std::vector<ChannelHandle> handles_ NIO_GUARDED_BY(onDispatcher);
};

}  // namespace nio
