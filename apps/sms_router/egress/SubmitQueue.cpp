#include "sms_router/egress/SubmitQueue.h"

#include <iterator>

#include "sms_router/model/Account.h"

namespace router {

// --- the lane of an account -----------------------------------------------------------------

void SubmitQueue::AccountLane::push(Submission&& submission) {
    const std::size_t bytes = memoryOf(submission);
    // One that comes from another connector may have waited for longer.
    auto place = waiting_.end();
    while (place != waiting_.begin() && std::prev(place)->handedOver > submission.handedOver) {
        --place;
    }
    waiting_.insert(place, std::move(submission));
    bytes_ += bytes;
}

Submission SubmitQueue::AccountLane::pop() {
    Submission first = std::move(waiting_.front());
    waiting_.pop_front();
    bytes_ -= memoryOf(first);
    return first;
}

Submission SubmitQueue::AccountLane::popOfLongest() {
    Submission last = std::move(waiting_.back());
    waiting_.pop_back();
    bytes_ -= memoryOf(last);
    return last;
}

// --- the queue ------------------------------------------------------------------------------

std::optional<Submission> SubmitQueue::push(Submission&& submission, std::size_t most) {
    const std::string& account = submission.account->systemId();
    const AccountLane* lane = lanes_.find(account);
    // The window counts a submit_multi once, however many parts it has.
    const bool isCounted = submission.origin.part <= 1;
    if (lane != nullptr && isCounted && lane->count() >= submission.mostWaiting) {
        return std::move(submission);
    }
    lanes_.push(std::move(submission), account);
    recount(1);
    if (count_ <= most && !isShortOfMemory()) return std::nullopt;
    Submission last = lanes_.popOfLongest();
    recount(-1);
    return last;
}

Submission SubmitQueue::pop() {
    Submission first = lanes_.pop();
    recount(-1);
    return first;
}

std::vector<Submission> SubmitQueue::takeAll() {
    return takeOlderThan(nio::TimePoint::max());
}

std::vector<Submission> SubmitQueue::takeFrom(nio::ChannelHandle link) {
    const auto isFrom = [&](const Submission& each) { return each.origin.link == link; };
    return take([&](AccountLane& lane, auto& taken) { lane.takeIf(isFrom, taken); });
}

// The first of a lane is its oldest.
std::vector<Submission> SubmitQueue::takeOlderThan(nio::TimePoint when) {
    return take([&](AccountLane& lane, auto& taken) {
        while (lane.count() > 0 && lane.front().handedOver <= when) taken.push_back(lane.pop());
    });
}

nio::TimePoint SubmitQueue::oldest() const {
    nio::TimePoint first = nio::TimePoint::max();
    lanes_.visit(
        [&](const AccountLane& lane) { first = std::min(first, lane.front().handedOver); });
    return first;
}

bool SubmitQueue::isShortOfMemory() const {
    return dispatcher_.memory().pausesReading();
}

void SubmitQueue::recount(std::ptrdiff_t change) {
    count_ += static_cast<std::size_t>(change);
    dispatcher_.memory().addElsewhere(static_cast<std::ptrdiff_t>(lanes_.size() - counted_));
    counted_ = lanes_.size();
}

}  // namespace router
