#include <nio/selector/Selector.h>

#include <array>
#include <new>

#include <nio/selector/epoll/EpollSelector.h>
#include <nio/selector/kqueue/KqueueSelector.h>
#include <nio/selector/poll/PollSelector.h>
#include <nio/selector/select/SelectSelector.h>
#include <nio/selector/uring/UringSelector.h>

namespace nio {

namespace {

constexpr std::array builtKinds {
    SelectorKind::automatic, SelectorKind::epoll, SelectorKind::poll, SelectorKind::select,
        SelectorKind::uring,
#if NIO_HAS_KQUEUE
        SelectorKind::kqueue,
#endif
};

Result<SelectorKind> automaticKind() {
    const std::optional<std::string> name = kernel::environment("NIO_SELECTOR");
    if (!name || name->empty()) return SelectorKind::automatic;
    if (const std::optional<SelectorKind> kind = selectorKindFrom(*name)) return *kind;
    std::string names;
    for (const SelectorKind kind : builtKinds) {
        names.append(names.empty() ? "" : ", ").append(nameOf(kind));
    }
    return Error(std::errc::invalid_argument, "NIO_SELECTOR=" + *name + ", not one of " + names);
}

Result<std::unique_ptr<Selector>> openKqueue([[maybe_unused]] const SelectorOptions& options) {
#if NIO_HAS_KQUEUE
    return KqueueSelector::open(options);
#else
    return Error(Errc::notSupported, "kqueue (built without <sys/event.h>)");
#endif
}

Result<std::unique_ptr<Selector>> openBest(const SelectorOptions& options) {
    Result<std::unique_ptr<Selector>> epoll = EpollSelector::open(options);
    const bool isRefused = !epoll && (epoll.error().is(std::errc::function_not_supported) ||
                                      epoll.error().is(std::errc::operation_not_permitted));
    if (!isRefused) return epoll;
    Result<std::unique_ptr<Selector>> kqueue = openKqueue(options);
    return kqueue ? std::move(kqueue) : PollSelector::open(options);
}

}  // namespace

constinit const std::span<const SelectorKind> selectorKinds = builtKinds;

std::string_view nameOf(SelectorKind kind) {
    switch (kind) {
        case SelectorKind::epoll: return "epoll";
        case SelectorKind::poll: return "poll";
        case SelectorKind::select: return "select";
        case SelectorKind::uring: return "uring";
        case SelectorKind::kqueue: return "kqueue";
        case SelectorKind::automatic: break;
    }
    return "auto";
}

std::optional<SelectorKind> selectorKindFrom(std::string_view name) {
    for (const SelectorKind kind : selectorKinds) {
        if (nameOf(kind) == name) return kind;
    }
    return std::nullopt;
}

Result<std::unique_ptr<Selector>> Selector::open(const SelectorOptions& options) {
    // With a limit of 0 the loop would spin forever.
    if (options.maxSelectedKeys == 0) return Error(std::errc::invalid_argument, "maxSelectedKeys");
    if (options.receiveBufferBytes == 0) {
        return Error(std::errc::invalid_argument, "receiveBufferBytes");
    }
    Result<SelectorKind> kind = options.kind;
    if (options.kind == SelectorKind::automatic) kind = automaticKind();
    if (!kind) return kind.error();
    switch (kind.value()) {
        case SelectorKind::epoll: return EpollSelector::open(options);
        case SelectorKind::poll: return PollSelector::open(options);
        case SelectorKind::select: return SelectSelector::open(options);
        case SelectorKind::uring: return UringSelector::open(options);
        case SelectorKind::kqueue: return openKqueue(options);
        case SelectorKind::automatic: break;
    }
    return openBest(options);
}

Result<void> Selector::add(SelectionKey& key) {
    // Closed on its way from another selector, say.
    if (!key.channel().isOpen()) return std::errc::bad_file_descriptor;
    // Allocates now, so that noteChange() never does.
    const std::size_t changes = changed_.size() + keyCount_ + 1;
    if (changed_.capacity() < changes) changed_.reserve(2 * changes);
    if (key.channel().hasDescriptor()) {
        if (Result<void> watched = watch(key); !watched) return watched;
    }
    ++keyCount_;
    if (!key.channel().hasUnread()) return {};
    try {
        noteUnread(key);
    } catch (...) {
        cancel(key);
        throw;
    }
    return {};
}

void Selector::cancel(SelectionKey& key) {
    if (key.cancelled_) return;
    strike(key);
    if (key.channel().hasDescriptor()) unwatch(key);
}

bool Selector::release(SelectionKey& key) {
    if (key.channel().hasDescriptor() && !detach(key)) return false;
    strike(key);
    return true;
}

Result<void> Selector::startOver() {
    if (Result<void> renewed = wakeUp_->renew(); !renewed) return renewed;
    return renew();
}

void Selector::watchAgain(SelectionKey& key) {
    if (!key.channel().hasDescriptor()) return;
    key.watched_ = false;
    key.armed_ = Interest::none;
    key.noteChange();
}

bool Selector::detach(SelectionKey& key) {
    unwatch(key);
    return true;
}

void Selector::strike(SelectionKey& key) {
    key.cancelled_ = true;
    if (key.changeIndex_ != SelectionKey::notChanged) changed_[key.changeIndex_] = nullptr;
    if (key.holdsInput_) std::erase(holdInput_, &key);
    --keyCount_;
}

Result<std::span<SelectionKey* const>> Selector::select(kernel::WaitTime time) {
    selected_.clear();
    if (hasChanges()) rearmChanged();
    if (!holdInput_.empty()) offerUnread();
    if (!selected_.empty()) time = std::chrono::nanoseconds::zero();
    // A key already selected is reported once; if it fails again, the next select reports it.
    if (Result<void> waited = wait(time); !waited && selected_.empty()) [[unlikely]]
        return waited.error();
    return std::span<SelectionKey* const>(selected_);
}

std::size_t Selector::makeRoomToOffer(std::size_t keys) {
    try {
        selected_.reserve(2 * (selected_.size() + keys));
        return keys;
    } catch (const std::bad_alloc&) {
        return selected_.capacity() - selected_.size();
    }
}

// If it throws, all of them remain for the next select.
void Selector::rearmChanged() {
    for (SelectionKey* key : changed_) {
        if (key == nullptr || (!key->broken_ && rearm(*key))) continue;
        selected_.push_back(key);
        key->broken_ = true;
    }
    for (SelectionKey* key : changed_) {
        if (key != nullptr) key->changeIndex_ = SelectionKey::notChanged;
    }
    changed_.clear();
}

void Selector::offerUnread() {
    std::erase_if(holdInput_, [](SelectionKey* key) {
        key->holdsInput_ = key->channel().hasUnread();
        return !key->holdsInput_;
    });
    for (SelectionKey* key : holdInput_) key->ready_ = Interest::none;
    const std::size_t room = roomToOffer(holdInput_.size());
    for (std::size_t i = 0; i < room; ++i) offer(*holdInput_[i], Interest::read, false);
}

void Selector::noteUnread(SelectionKey& key) {
    if (!key.holdsInput_) holdInput_.push_back(&key);
    key.holdsInput_ = true;
}

void SelectionKey::channelHoldsInput() {
    selector().noteUnread(*this);
}

void SelectionKey::channelClosing() {
    selector().cancel(*this);
}

void SelectionKey::noteChange() {
    if (changeIndex_ != notChanged || cancelled_) return;
    selector().changed_.push_back(this);
    changeIndex_ = static_cast<std::uint32_t>(selector().changed_.size() - 1);
}

}  // namespace nio
