#include "sms_router/delivery/DeskBinds.h"

#include <algorithm>

#include "sms_router/model/Moment.h"

namespace router {

namespace {

constexpr std::size_t mostTogether = 16;  // in flight at a bind that is not in turn

}  // namespace

bool DeskBinds::admit(nio::ChannelHandle link, Ingress* receives) {
    const auto leaving =
        std::count_if(binds_.begin(), binds_.end(), [](const Bind& bind) { return bind.unbinds; });
    const std::size_t others = std::min(static_cast<std::size_t>(leaving), most_);
    if (binds_.size() - others >= most_) return false;
    binds_.push_back({link, receives});
    return true;
}

bool DeskBinds::bound(nio::ChannelHandle link) {
    Bind* bind = find(link);
    if (bind == nullptr) return false;
    bind->bound = true;
    return bind->isReceiving();
}

void DeskBinds::unbinds(nio::ChannelHandle link) {
    Bind* bind = find(link);
    if (bind == nullptr) return;
    bind->bound = false;
    bind->unbinds = true;
}

std::optional<DeskBinds::Numbers> DeskBinds::remove(nio::ChannelHandle link) {
    Bind* left = find(link);
    if (left == nullptr) return std::nullopt;
    Numbers had = std::move(left->has);
    binds_.erase(binds_.begin() + (left - binds_.data()));
    return had;
}

bool DeskBinds::haveReceiver() const {
    return std::any_of(binds_.begin(), binds_.end(),
                       [](const Bind& bind) { return bind.isReceiving(); });
}

bool DeskBinds::haveAnswering() const {
    return std::any_of(binds_.begin(), binds_.end(),
                       [](const Bind& bind) { return bind.isReceiving() && bind.answers; });
}

bool DeskBinds::haveRoom() const {
    return std::any_of(binds_.begin(), binds_.end(),
                       [this](const Bind& bind) { return bind.hasRoom(window_); });
}

std::optional<DeskBinds::Taken> DeskBinds::take(std::uint64_t number) {
    Bind* bind = last();
    if (bind == nullptr) bind = next();
    if (bind == nullptr) return std::nullopt;
    bind->add(number);  // may throw
    ++bind->inFlight;
    return Taken{bind->link, bind->ingress};
}

DeskBinds::Bind* DeskBinds::last() {
    if (turn_ == 0 || binds_.empty()) return nullptr;
    Bind& bind = binds_[(turn_ - 1) % binds_.size()];
    const bool fits = bind.hasRoom(window_) && bind.inFlight < mostTogether && isWorthTrying(bind);
    return fits && bind.ingress->hasOutput(bind.link) ? &bind : nullptr;
}

DeskBinds::Bind* DeskBinds::next() {
    for (std::size_t i = 0; i < binds_.size(); ++i) {
        Bind& bind = binds_[turn_++ % binds_.size()];
        if (bind.hasRoom(window_) && isWorthTrying(bind)) return &bind;
    }
    return nullptr;
}

bool DeskBinds::isWorthTrying(const Bind& bind) const {
    if (bind.answers || !haveAnswering()) return true;
    return bind.inFlight == 0 && Moment::now() >= bind.askAgainAt;
}

void DeskBinds::leaveWindow(nio::ChannelHandle link, std::uint64_t number) {
    Bind* bind = find(link);
    if (bind != nullptr && bind->inFlight > 0) --bind->inFlight;
    if (bind != nullptr) bind->forget(number);
}

void DeskBinds::forget(nio::ChannelHandle link, std::uint64_t number) {
    if (Bind* bind = find(link)) bind->forget(number);
}

// At the end, but for what is repeated.
void DeskBinds::Bind::add(std::uint64_t number) {
    has.insert(std::upper_bound(has.begin(), has.end(), number), number);
}

// At the front, where a bind answers in the order of its requests.
void DeskBinds::Bind::forget(std::uint64_t number) {
    const auto found = std::lower_bound(has.begin(), has.end(), number);
    if (found != has.end() && *found == number) has.erase(found);
}

void DeskBinds::answered(nio::ChannelHandle link) {
    if (Bind* bind = find(link)) bind->answers = true;
}

void DeskBinds::didNotAnswer(nio::ChannelHandle link, nio::TimePoint askAgainAt) {
    Bind* bind = find(link);
    if (bind == nullptr) return;
    bind->answers = false;
    bind->askAgainAt = askAgainAt;
}

DeskBinds::Bind* DeskBinds::find(nio::ChannelHandle link) {
    const auto found = std::find_if(binds_.begin(), binds_.end(),
                                    [&](const Bind& bind) { return bind.link == link; });
    return found == binds_.end() ? nullptr : &*found;
}

}  // namespace router
