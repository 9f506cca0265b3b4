// Lanes with names that take turns: a long one keeps nobody in another waiting. A new one waits for
// a turn of all others. `Inner` is a Lane, or Lanes of their own.
//
// Thread: one at a time.
// Errors: push() throws std::bad_alloc, and has changed nothing then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <utility>

namespace router {

template <class Inner>
class Lanes {
  public:
    std::size_t size() const { return size_; }
    // Null: nothing waits there.
    const Inner* find(const std::string& lane) const {
        const auto found = byName_.find(lane);
        return found == byName_.end() ? nullptr : &found->second->inner;
    }
    // `within`: its lane there, where those are Lanes.
    template <class T, class... Names>
    void push(T&& item, const std::string& lane, const Names&... within) {
        const auto found = byName_.find(lane);
        const Place place = found == byName_.end() ? open(lane) : found->second;
        try {
            place->inner.push(std::forward<T>(item), within...);
        } catch (...) {
            recount(place);
            throw;
        }
        recount(place);
    }
    // The lane whose turn it is. Not when they are empty.
    const Inner& front() const { return turns_.front().inner; }
    template <class Visit>
    void visit(Visit&& visit) const {
        for (const Named& lane : turns_) visit(lane.inner);
    }
    // `change` may take items out of each lane that it is given.
    template <class Change>
    void changeEach(Change&& change) {
        for (Place place = turns_.begin(); place != turns_.end();) {
            const Place lane = place++;
            change(lane->inner);
            recount(lane);
        }
    }
    // The first of the lane whose turn it is. Not when they are empty.
    auto pop() {
        const Place first = turns_.begin();
        auto item = first->inner.pop();
        turns_.splice(turns_.end(), turns_, first);
        recount(first);
        return item;
    }
    // The last of the longest lane; of several, of the one that came last. Not when they are empty.
    auto popOfLongest() {
        const Place longest = bySize_.rbegin()->second;
        auto item = longest->inner.popOfLongest();
        recount(longest);
        return item;
    }

  private:
    struct Named {
        std::string name;
        std::uint64_t number;
        std::size_t counted = 0;
        Inner inner{};
    };
    using Place = typename std::list<Named>::iterator;
    using BySize = std::map<std::pair<std::size_t, std::uint64_t>, Place>;

    Place open(const std::string& name) {
        const Place place = turns_.insert(turns_.end(), Named{name, opened_++});
        try {
            byName_.emplace(name, place);
            bySize_.emplace(std::pair(place->counted, place->number), place);
        } catch (...) {
            byName_.erase(name);
            turns_.erase(place);
            throw;
        }
        return place;
    }
    // Needs no memory.
    void recount(Place place) {
        auto entry = bySize_.extract({place->counted, place->number});
        size_ -= place->counted;
        place->counted = place->inner.size();
        size_ += place->counted;
        if (place->counted == 0) return close(place);
        entry.key().first = place->counted;
        bySize_.insert(std::move(entry));
    }
    void close(Place place) {
        byName_.erase(place->name);
        turns_.erase(place);
    }

    std::list<Named> turns_;  // none is empty
    std::map<std::string, Place> byName_;
    BySize bySize_;
    std::size_t size_ = 0;
    std::uint64_t opened_ = 0;
};

}  // namespace router
