// Input that a stage has not taken yet, because reading is paused or because it waits for more.
//
// KeptBytes for a stage that takes a part of the bytes it is shown; KeptItems for one that takes
// each item whole.
//
// Thread: the dispatcher's own.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <deque>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nio/base/Bytes.h>

namespace nio {

class KeptBytes {
  public:
    // Includes bytes in delivery, except those taken already.
    std::size_t bytes() const { return untaken_ + bytes_.size() - start_; }
    std::size_t memory() const { return bytes_.capacity(); }
    // Whether they wait to be shown; otherwise the stage has seen them and waits for more.
    bool hasItems() const { return stopped_; }

    // Called inside `take`: it will return at least `count`, which are taken from now on.
    void taken(std::size_t count) { untaken_ -= std::min(untaken_, count); }

    // Calls `take` with what is kept and `arrived`, again with the rest each time, while goesOn().
    // `take` returns how many bytes it has taken; 0: it waits for more. The rest is kept. Called
    // inside `take`, this only keeps.
    template <class Take, class GoesOn>
    void add(ByteView arrived, Take&& take, GoesOn&& goesOn) {
        if (!delivering_ && bytes() == 0) {
            const ByteView rest = arrived.subspan(deliver(arrived, take, goesOn));
            bytes_.insert(bytes_.begin(), rest.begin(), rest.end());
            if (std::exchange(arrivedInside_, false)) again(take, goesOn);
            return;
        }
        arrivedInside_ = delivering_;
        bytes_.insert(bytes_.end(), arrived.begin(), arrived.end());
        again(take, goesOn);
    }
    // The same with what is kept.
    template <class Take, class GoesOn>
    void again(Take&& take, GoesOn&& goesOn) {
        if (delivering_ || bytes() == 0) return;
        Bytes all = std::exchange(bytes_, {});
        std::size_t start = std::exchange(start_, 0);
        start += deliver(ByteView(all).subspan(start), take, goesOn);
        if (start < all.size()) {
            if (start > all.size() / 2) {
                all.erase(all.begin(), all.begin() + std::ptrdiff_t(start));
                start = 0;
            }
            all.insert(all.end(), bytes_.begin(), bytes_.end());
            bytes_ = std::move(all);
            start_ = start;
        }
        if (std::exchange(arrivedInside_, false)) again(take, goesOn);
    }

    // Appends all bytes that were not taken, for another handler of the connection.
    void appendTo(Bytes& rest) const {
        rest.insert(rest.end(), end_ - untaken_, end_);
        rest.insert(rest.end(), bytes_.begin() + std::ptrdiff_t(start_), bytes_.end());
    }
    void forget() {
        bytes_ = Bytes();
        start_ = untaken_ = 0;
    }

  private:
    template <class Take, class GoesOn>
    std::size_t deliver(ByteView input, Take& take, GoesOn& goesOn) {
        const struct Delivering {
            KeptBytes& kept;
            ~Delivering() {
                kept.delivering_ = false;
                kept.untaken_ = 0;
            }
        } delivering{*this};
        delivering_ = true;
        end_ = input.data() + input.size();
        std::size_t done = 0;
        stopped_ = false;
        while (done < input.size()) {
            if (!goesOn()) {
                stopped_ = true;
                break;
            }
            untaken_ = input.size() - done;
            const std::size_t taken = take(input.subspan(done));
            if (taken > input.size() - done) [[unlikely]]
                tookTooMuch();
            if (taken == 0) break;
            done += taken;
        }
        return done;
    }

    [[noreturn, gnu::cold]] static void tookTooMuch() {
        throw std::logic_error("nio::pipeline: read() has returned more than it was shown");
    }

    Bytes bytes_;
    std::size_t start_ = 0;
    std::size_t untaken_ = 0;    // of what is in delivery
    const Byte* end_ = nullptr;  // of that
    bool delivering_ = false;
    bool arrivedInside_ = false;
    bool stopped_ = false;
};

namespace pipelines {
// What a string or a vector holds outside of itself.
inline std::size_t heldBytes(const auto& item) {
    if constexpr (requires { item.size() * sizeof(*item.data()); }) {
        return item.size() * sizeof(*item.data());
    } else {
        return 0;
    }
}
}  // namespace pipelines

// A pointer: a connection that keeps nothing pays for no more.
template <class Item>
class KeptItems {
  public:
    bool isEmpty() const { return items_ == nullptr; }
    std::size_t bytes() const { return items_ == nullptr ? 0 : items_->bytes; }
    std::size_t memory() const { return bytes(); }
    bool hasItems() const { return !isEmpty(); }

    template <class Arrived>
    void add(Arrived&& item) {
        if (items_ == nullptr) items_ = std::make_unique<Items>();
        if constexpr (std::same_as<Item, Bytes>) {
            items_->queue.push_back(copyOf(item));
        } else {
            items_->queue.push_back(std::forward<Arrived>(item));
        }
        items_->bytes += sizeOf(items_->queue.back());
    }
    // Of bytes: see KeptBytes.
    void appendTo(Bytes& rest) const requires std::same_as<Item, Bytes> {
        if (items_ == nullptr) return;
        for (const Bytes& each : items_->queue) rest.insert(rest.end(), each.begin(), each.end());
    }
    void forget() { items_.reset(); }

    Item takeFirst() {
        Item first = std::move(items_->queue.front());
        items_->bytes -= sizeOf(first);
        items_->queue.pop_front();
        if (items_->queue.empty()) items_.reset();
        return first;
    }

  private:
    struct Items {
        std::deque<Item> queue;
        std::size_t bytes = 0;
    };
    static std::size_t sizeOf(const Item& item) { return sizeof item + pipelines::heldBytes(item); }

    std::unique_ptr<Items> items_;
};

// For a stage that does not read.
struct KeptNothing {
    static constexpr std::size_t bytes() { return 0; }
    static constexpr std::size_t memory() { return 0; }
    static constexpr bool hasItems() { return false; }
    static constexpr void forget() {}
};

namespace pipelines {
// Appends what the steps keep, as it came from the socket: those up to `raw` keep bytes of the
// stream, and what is nearer to the application came first. False: a step behind them keeps what
// another step has made.
template <std::size_t raw, class... Kept>
bool appendRest(const std::tuple<Kept...>& all, Bytes& rest) {
    const auto append = [&]<std::size_t At>(std::integral_constant<std::size_t, At>) {
        const auto& kept = std::get<At>(all);
        if constexpr (At <= raw && requires { kept.appendTo(rest); }) kept.appendTo(rest);
        return At <= raw || kept.bytes() == 0;
    };
    constexpr std::size_t last = sizeof...(Kept) - 1;
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
        return (append(std::integral_constant<std::size_t, last - At>()) && ...);
    }
    (std::make_index_sequence<last + 1>());
}

// What the steps from `first` on keep.
template <std::size_t first, class... Kept>
void forget(std::tuple<Kept...>& all) {
    [&]<std::size_t... At>(std::index_sequence<At...>) {
        (std::get<first + At>(all).forget(), ...);
    }
    (std::make_index_sequence<sizeof...(Kept) - first>());
}

// Sets a bit while it lives; or does nothing.
template <bool isNeeded>
class Marked {
  public:
    Marked(std::uint32_t& bits, std::size_t index) : bits_(bits), bit_(std::uint32_t{1} << index) {
        bits_ |= bit_;
    }
    Marked(const Marked&) = delete;
    Marked& operator=(const Marked&) = delete;
    ~Marked() { bits_ &= ~bit_; }

  private:
    std::uint32_t& bits_;
    const std::uint32_t bit_;
};
template <>
class Marked<false> {
  public:
    Marked(std::uint32_t&, std::size_t) {}
};
// A flag that has this value while it lives.
class Set {
  public:
    Set(bool& flag, bool value) : flag_(flag), outer_(std::exchange(flag, value)) {}
    Set(const Set&) = delete;
    Set& operator=(const Set&) = delete;
    ~Set() { flag_ = outer_; }

  private:
    bool& flag_;
    const bool outer_;
};
}  // namespace pipelines

}  // namespace nio
