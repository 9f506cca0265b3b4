// The places of a listener. Where the last one is taken, a peer that offers its place is
// disconnected: the oldest offer of the source with most strangers, among the sources that offer
// any. So a silent peer keeps no other peer out, and a source with many that offer only ends its
// own. A peer offers its place until it has authenticated, or while nothing is being done for it,
// and keeps it afterwards. A limit of places for each source is optional.
//
//     auto places = std::make_shared<apps::Places>("listener 'esme'", acceptor->gate());
//     std::optional<apps::Places::Place> place = places->enter(peer.host());   // accepted
//     place->offer(handle);                                                    // registered
//     place->keep();                                                           // authenticated
//
// Thread: any; the connections may be on several dispatchers. A Place is its connection's, on its
// dispatcher.
// Lifetime: a Place keeps its Places; a connection gives it back before its dispatcher goes.
// Errors: enter() and offer() throw std::bad_alloc; enter() has changed nothing then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <nio/connection/ConnectionPermit.h>
#include <nio/loop/ChannelHandle.h>
#include <nio/sys/LogLimiter.h>

namespace apps {

class Places : public std::enable_shared_from_this<Places> {
    struct Offer {
        nio::ChannelHandle connection;
        std::uint64_t number;
        bool ends = false;  // the connection has been told to
    };
    using Offers = std::list<Offer>;
    struct Source {
        std::size_t connections = 0;
        std::size_t strangers = 0;  // of them: those that keep no place, and were not told to end
        Offers offers;              // of strangers, in their order
    };
    using Sources = std::map<std::string, Source>;
    // Whose offer is taken first: the most strangers, then the oldest offer.
    struct Ranking {
        bool operator()(Sources::iterator a, Sources::iterator b) const;
    };

  public:
    class Place {
      public:
        Place() = default;  // an empty place: the calls do nothing
        Place(Place&& other) noexcept = default;
        Place& operator=(Place&& other) noexcept {
            std::swap(places_, other.places_);
            std::swap(source_, other.source_);
            std::swap(offer_, other.offer_);
            std::swap(kept_, other.kept_);
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
        bool kept_ = false;
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
    bool isFull() const { return gate_->open() >= gate_->maximum() + ending_.size(); }
    // Each change of what a source's rank depends on. `change` throws nothing.
    template <class F>
    void rank(Sources::iterator source, F&& change);
    // Releases the lock. `newest` stays: a single place is its connection's.
    void makeRoom(std::unique_lock<std::mutex> lock, const Offer* newest);
    bool mustEnd(nio::ChannelHandle connection);
    // Empty: no line now.
    std::string line(nio::LogLimiter& limiter, const std::string& what);

    const std::string name_;
    const std::shared_ptr<nio::ConnectionGate> gate_;
    std::mutex mutex_;
    // Under mutex_.
    Sources sources_;
    std::set<Sources::iterator, Ranking> ranked_;  // all of them
    Offers ending_;                                // those that were told to
    std::uint64_t lastNumber_ = 0;
    std::size_t mostOfEach_ = 0;
    nio::LogLimiter refusedLines_;
    nio::LogLimiter endedLines_;
};

}  // namespace apps
