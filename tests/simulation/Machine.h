// The simulated kernel: descriptors, listeners, epoll, the clock. The functions of nio::kernel are
// implemented on the one that is current (Kernel*.cpp beside this file); peers, which are outside
// of the process under test, use dial() and their Connection.
//
// Thread: the one of the run. One machine is current at a time, from construction to destruction.
#pragma once

#include <sys/epoll.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <nio/channel/SelectableChannel.h>
#include <nio/sys/Clock.h>
#include <nio/sys/SocketAddress.h>

#include "simulation/AnyRing.h"
#include "simulation/Connection.h"
#include "simulation/Faults.h"
#include "simulation/Journal.h"

namespace simulation {

struct Listener {
    nio::SocketAddress address{};
    std::size_t backlog = 0;
    bool isSilent = false;  // what is dialled is not answered: the connect times out
    std::deque<std::shared_ptr<Connection>> waiting{};
    std::vector<std::shared_ptr<Connection>> dialled{};  // all there were
};

struct Watch {
    std::uint64_t serial = 0;
    std::uint32_t events = 0;
    void* data = nullptr;
    bool wasReported = false;  // edge-triggered, and nothing new since
};

struct Epoll {
    std::map<int, Watch> watches{};
    std::optional<nio::TimePoint> sleepsUntil{};
};

struct Descriptor {
    enum class Kind { socket, listener, stream, epoll, event, ring };

    Kind kind = Kind::socket;
    std::uint64_t serial = 0;  // another one under the same number has another
    nio::SocketAddress bound{};
    bool resetOnClose = false;
    std::unique_ptr<Listener> listener{};
    std::shared_ptr<Connection> connection{};
    Side side = Side::server;
    std::unique_ptr<Epoll> epoll{};
    std::unique_ptr<AnyRing> ring{};
    std::uint64_t signals = 0;
    // Whose it is, where the run knows: it may be used in the turn of its dispatcher only.
    const nio::SelectableChannel* channel = nullptr;
    // Reported as ready so often, and not touched; duplicates have it in common.
    std::shared_ptr<unsigned> unanswered = std::make_shared<unsigned>(0);
    unsigned passedOver = 0;  // ready in so many waits that had no room for it
    std::uint64_t uses = 0;
};

class Machine {
  public:
    struct Limits {
        std::size_t descriptors = 1024;
        Connection::Buffers client{4096, 4096};
        Connection::Buffers server{4096, 4096};
    };

    Machine(std::uint64_t seed, const Limits& limits, Faults& faults, Journal& journal);
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;
    ~Machine();

    static Machine& current();
    static bool hasCurrent();

    // --- for peers and the scheduler --------------------------------------------------------

    struct Dialled {
        std::shared_ptr<Connection> connection{};
        bool refused = false;  // neither: the backlog is full, try again
    };
    Dialled dial(const nio::SocketAddress& address);
    // Somebody outside listens: whom the process connects to, it finds in `waiting`.
    Listener& listenOutside(const nio::SocketAddress& address, std::size_t backlog);
    // How many sockets the process has opened: to dial, or to listen.
    std::size_t sockets() const { return sockets_; }
    void countSocket() { ++sockets_; }
    std::vector<std::shared_ptr<Connection>>& connections() { return connections_; }
    // One step of the network. False: nothing is under way.
    bool deliverSome();

    nio::TimePoint now() const { return now_; }
    void advanceTo(nio::TimePoint time) { now_ = std::max(now_, time); }
    // Its clock stands still meanwhile.
    void suspend(std::chrono::nanoseconds time) { suspended_ += time; }
    std::chrono::nanoseconds suspendedTime() const { return suspended_; }
    // The earliest end of a wait that a dispatcher sleeps in.
    std::optional<nio::TimePoint> nextWake() const;
    // Its last wait would still go on. A dispatcher waits by an epoll or by a ring.
    bool isAsleep(int waiter) const;
    std::optional<int> takeLastWaited() { return std::exchange(lastWaited_, std::nullopt); }
    // Another thread makes the next turns; a ring will not have it.
    void changeThreadOf(int waiter);
    std::size_t openDescriptors() const { return descriptors_.size(); }
    std::uint64_t progress() const { return progress_; }
    void countProgress() { ++progress_; }
    // What others do while a dispatcher sleeps.
    void setWhileAsleep(std::function<void(int waiter)> hook) { whileAsleep_ = std::move(hook); }
    bool hasSignalFor(int waiter) const;
    // What others do while a dispatcher lets events gather: nothing wakes it.
    using Pause = std::function<void(std::chrono::nanoseconds)>;
    void setWhilePaused(Pause hook) { whilePaused_ = std::move(hook); }
    void pause(std::chrono::nanoseconds time);
    struct Ready {
        int fd;
        std::uint32_t events;
        bool isReal;
    };
    // What a wait finds is what this makes of it, in this order.
    using Arrange = std::function<void(const Epoll&, std::vector<Ready>&)>;
    void setArrange(Arrange arrange) { arrange_ = std::move(arrange); }

    // --- for the functions of nio::kernel ---------------------------------------------------

    Descriptor* find(int fd);
    // One that is used on the data path, by its dispatcher only. Of one that is on its way out a
    // ring may still do what it has.
    Descriptor& used(int fd);
    // -1: too many.
    int add(Descriptor descriptor);
    // Of a socket that is connected. The connection ends with the last one. -1: too many.
    int duplicate(int fd);
    void close(int fd);
    std::size_t wait(int epoll, std::span<epoll_event> events,
                     std::optional<std::chrono::nanoseconds> wait);
    // io_uring_enter: minus an errno where it fails.
    long enter(int ring, std::uint32_t count, bool sleeps,
               std::optional<std::chrono::nanoseconds> wait);
    Readiness readiness(const Descriptor& descriptor) const;
    // An edge: it is reported anew.
    void eventSignalled(int fd);
    Listener* listenerAt(const nio::SocketAddress& address);
    std::uint16_t freePort() { return nextPort_++; }

    Faults& faults() { return faults_; }
    Journal& journal() { return journal_; }
    Random& random() { return random_; }
    const Limits& limits() const { return limits_; }
    // accept has failed for want of a descriptor: who is accepted next is turned away.
    bool turnsAway = false;

  private:
    bool hasDuplicate(const Descriptor& descriptor) const;
    std::vector<Ready> readyOf(Epoll& epoll);
    std::uint32_t eventsOf(const Watch& watch, const Descriptor& descriptor) const;
    void report(const Ready& ready, Epoll& epoll, epoll_event& into);
    void order(std::vector<Ready>& ready);
    static std::optional<nio::TimePoint> sleepsUntil(const Descriptor& waiter);

    const Limits limits_;
    Faults& faults_;
    Journal& journal_;
    Random random_;
    nio::TimePoint now_{std::chrono::hours(1000)};
    std::chrono::nanoseconds suspended_{};
    std::map<int, Descriptor> descriptors_;
    std::deque<Listener> outside_;
    std::vector<std::shared_ptr<Connection>> connections_;
    std::function<void(int)> whileAsleep_;
    Pause whilePaused_;
    Arrange arrange_;
    std::optional<int> lastWaited_;
    bool ringWorks_ = false;
    std::uint64_t serials_ = 0;
    std::uint64_t progress_ = 0;
    std::size_t sockets_ = 0;
    std::uint16_t nextPort_ = 40000;
};

}  // namespace simulation
