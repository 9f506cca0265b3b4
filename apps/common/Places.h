// The places of a listener. Where the last one is taken, the peer that has offered its place for
// the longest is disconnected: a silent peer keeps no other peer out. A peer offers its place
// until it has authenticated, or while nothing is being done for it, and keeps it afterwards. So
// many places may be of one source at most, if there is such a limit.
//
//     auto places = std::make_shared<apps::Places>("listener 'esme'", acceptor->gate());
//     std::optional<apps::Places::Place> place = places->enter(peer.host());   // accepted
//     place->offer(handle);                                                    // registered
//     place->keep();                                                           // authenticated
//
// Thread: any; the connections may be on several dispatchers. A Place is its connection's, on its
// dispatcher.
// Lifetime: a Place keeps its Places; a connection gives it back before its dispatcher goes.
// Errors: enter() and offer() throw std::bad_alloc, and have changed nothing then.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <nio/dispatch/ChannelHandle.h>
#include <nio/handlers/ConnectionPermit.h>
#include <nio/sys/LogLimiter.h>

namespace apps {

class Places : public std::enable_shared_from_this<Places> {
    struct Offer {
        nio::ChannelHandle connection;
        bool ends = false;  // the connection has been told to
    };
    using Offers = std::list<Offer>;
    using Sources = std::map<std::string, std::size_t>;

  public:
    class Place {
      public:
        Place() = default;  // an empty place: the calls do nothing
        Place(Place&& other) noexcept = default;
        Place& operator=(Place&& other) noexcept {
            std::swap(places_, other.places_);
            std::swap(source_, other.source_);
            std::swap(offer_, other.offer_);
            return *this;
        }
        ~Place();

        // From now on others may have it. Behind all that have been offered before.
        void offer(nio::ChannelHandle connection);
        void keep();

      private:
        friend class Places;
        Place(std::shared_ptr<Places> places, Sources::iterator source)
            : places_(std::move(places)), source_(source) {}
        void withdraw();

        std::shared_ptr<Places> places_;
        Sources::iterator source_;
        std::optional<Offers::iterator> offer_;
    };

    // `gate` says how many places there are, and how many are taken. `name`: for the log.
    Places(std::string name, std::shared_ptr<nio::ConnectionGate> gate)
        : name_(std::move(name)), gate_(std::move(gate)) {}

    // 0: no limit. Closes no connection.
    void limitEachSource(std::size_t most);
    // Nothing: this source has all that it may have.
    std::optional<Place> enter(const std::string& source);

  private:
    // A place is free, or will be once those that were told to end have ended.
    bool isFull() const { return gate_->open() >= gate_->maximum() + ending_; }
    // Releases the lock. `newest` stays: a single place is its connection's.
    void makeRoom(std::unique_lock<std::mutex> lock, const Offer* newest);
    bool mustEnd(nio::ChannelHandle connection);
    // Empty: no line now.
    std::string line(nio::LogLimiter& limiter, const std::string& what);

    const std::string name_;
    const std::shared_ptr<nio::ConnectionGate> gate_;
    std::mutex mutex_;
    // Under mutex_.
    Offers offers_;           // in their order
    std::size_t ending_ = 0;  // of them: those that were told to
    Sources sources_;
    std::size_t mostOfEach_ = 0;
    nio::LogLimiter refusedLines_;
    nio::LogLimiter endedLines_;
};

}  // namespace apps
