// The requests that wait at a connector. Accounts take turns, and each one's requests keep their
// order. The octets count for the memory budget of the dispatcher.
//
// Where there is no room, the account that holds the most memory makes it: with its last request.
//
// Thread: the dispatcher's own, except construction and destruction.
// Limits: those of push(). What it gives back is for the caller to refuse.
#pragma once

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include <nio/loop/SelectorThread.h>

#include "sms_router/model/Lanes.h"
#include "sms_router/model/Submission.h"

namespace router {

class SubmitQueue {
  public:
    // The dispatcher must outlive this, but for the destructor.
    explicit SubmitQueue(nio::SelectorThread& dispatcher) : dispatcher_(dispatcher) {}

    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }

    // Gives back what finds no place: `submission` where its account has all that it may have
    // (Submission::mostWaiting); where more than `most` wait, or the memory budget refuses (then
    // nothing more is kept than before), the last one of the account that holds the most.
    [[nodiscard]] std::optional<Submission> push(Submission&& submission, std::size_t most)
        NIO_REQUIRES(nio::onDispatcher);
    // Of the account whose turn it is. Not when it is empty.
    const Submission& front() const { return lanes_.front().front(); }
    Submission pop() NIO_REQUIRES(nio::onDispatcher);

    std::vector<Submission> takeAll() NIO_REQUIRES(nio::onDispatcher);
    // Those of a connection that is over.
    std::vector<Submission> takeFrom(nio::ChannelHandle link) NIO_REQUIRES(nio::onDispatcher);
    // Those that were handed over before that.
    std::vector<Submission> takeOlderThan(nio::TimePoint when) NIO_REQUIRES(nio::onDispatcher);
    // Those, at most so many, that `leaves(submission)` says, lane by lane.
    template <class Leaves>
    std::vector<Submission> takeSome(std::size_t most, Leaves&& leaves)
        NIO_REQUIRES(nio::onDispatcher) {
        const auto isOneOf = [&](const Submission& each) {
            if (most == 0 || !leaves(each)) return false;
            --most;
            return true;
        };
        return take([&](AccountLane& lane, auto& taken) { lane.takeIf(isOneOf, taken); });
    }
    // When the first of them was handed over. Not when it is empty.
    nio::TimePoint oldest() const;

  private:
    // The requests of one account; its size is the memory that they hold.
    class AccountLane {
      public:
        std::size_t size() const { return bytes_; }
        std::size_t count() const { return waiting_.size(); }
        const Submission& front() const { return waiting_.front(); }
        void push(Submission&& submission);
        Submission pop();
        Submission popOfLongest();
        template <class Condition>
        void takeIf(Condition&& condition, std::vector<Submission>& into);

      private:
        static std::size_t memoryOf(const Submission& submission) {
            return sizeof submission + submission.pdu.size();
        }

        std::deque<Submission> waiting_;
        std::size_t bytes_ = 0;
    };

    template <class Take>
    std::vector<Submission> take(Take&& takeFromLane) NIO_REQUIRES(nio::onDispatcher);
    bool isShortOfMemory() const NIO_REQUIRES(nio::onDispatcher);
    void recount(std::ptrdiff_t change) NIO_REQUIRES(nio::onDispatcher);

    nio::SelectorThread& dispatcher_;
    Lanes<AccountLane> lanes_;
    std::size_t count_ = 0;
    std::size_t counted_ = 0;  // bytes, by the dispatcher
};

template <class Condition>
void SubmitQueue::AccountLane::takeIf(Condition&& condition, std::vector<Submission>& into) {
    const auto first = std::find_if(waiting_.begin(), waiting_.end(), condition);
    auto stays = first;
    for (auto each = first; each != waiting_.end(); ++each) {
        const bool leaves = each == first || condition(*each);
        if (leaves) bytes_ -= memoryOf(*each);
        leaves ? into.push_back(std::move(*each)) : void(*stays++ = std::move(*each));
    }
    waiting_.erase(stays, waiting_.end());
}

template <class Take>
std::vector<Submission> SubmitQueue::take(Take&& takeFromLane) {
    std::vector<Submission> taken;
    lanes_.changeEach([&](AccountLane& lane) { takeFromLane(lane, taken); });
    recount(-static_cast<std::ptrdiff_t>(taken.size()));
    return taken;
}

}  // namespace router
