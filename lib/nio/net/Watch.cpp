#include <nio/net/Watch.h>

#include <nio/base/Log.h>
#include <nio/sys/handover/Handover.h>

namespace nio {

namespace {

class WatchedChannel final : public SelectableChannel {
  public:
    explicit WatchedChannel(UniqueFd fd) : SelectableChannel(std::move(fd)) {}
};

}  // namespace

struct Watch::State {
    std::shared_ptr<TaskQueue> queue{};
    SelectorHandler* handler = nullptr;  // the dispatcher's own
    std::atomic<bool> isOn{true};
};

class WatchHandler final : public ReadWriteSelectorHandler {
  public:
    WatchHandler(UniqueFd duplicate, int fd, Interest interest, std::shared_ptr<Watch::State> state,
                 UniqueFunction<void(Interest)> f)
        : channel_(std::move(duplicate)),
          fd_(fd),
          interest_(interest),
          state_(std::move(state)),
          call_(std::move(f)) {}
    ~WatchHandler() override { state_->isOn = false; }

    SelectableChannel& channel() override { return channel_; }
    bool countsAsConnection() const override { return false; }
    int watched() const { return fd_; }

    void handleRegistered() override NIO_REQUIRES(onDispatcher) {
        state_->handler = this;
        if (!state_->isOn) channel_.close();
    }
    void handleRead() override NIO_REQUIRES(onDispatcher) { tell(Interest::read); }
    void handleWrite() override NIO_REQUIRES(onDispatcher) { tell(Interest::write); }
    void handleExceptional() override NIO_REQUIRES(onDispatcher) { tell(Interest::exceptional); }
    void handleClosed() override NIO_REQUIRES(onDispatcher) {
        state_->isOn = false;
        state_->handler = nullptr;
    }

  private:
    void tell(Interest ready) NIO_REQUIRES(onDispatcher) {
        if (!state_->isOn) return channel_.close();
        dispatcher().addChannelInterestNow(channel_, interest_);
        call_(ready);
    }

    WatchedChannel channel_;
    const int fd_;
    const Interest interest_;
    const std::shared_ptr<Watch::State> state_;
    UniqueFunction<void(Interest)> call_;
};

// In a task also on the dispatcher: its handler must not end inside its own call. Where there is no
// memory for the task the handler closes when it is called next.
void Watch::unwatch() noexcept {
    const std::shared_ptr<State> state = std::exchange(state_, nullptr);
    if (state == nullptr || !state->isOn.exchange(false)) return;
    (void)state->queue
        ->pushOrRefuse([state] {
            onDispatcher.assertCurrent();
            if (state->handler != nullptr) state->handler->channel().close();
        })
        .ok();
}

bool Watch::isOn() const {
    return state_ != nullptr && state_->isOn;
}

Result<Watch> watch(SelectorThread& thread, int fd, Interest interest,
                    UniqueFunction<void(Interest)> f) {
    Result<UniqueFd> duplicate = kernel::duplicate(fd);
    if (!duplicate) return duplicate.error();
    constexpr Interest served = Interest::read | Interest::write | Interest::exceptional;
    const bool isServed = any(interest) && !any(interest - served) && f;
    if (!isServed) return Error(std::errc::invalid_argument, "watch");
    auto state = std::make_shared<Watch::State>();
    state->queue = thread.queue();
    auto handler = std::make_unique<WatchHandler>(std::move(duplicate).value(), fd, interest, state,
                                                  std::move(f));
    if (thread.isCurrent()) {
        onDispatcher.assertCurrent();
        const auto done = thread.registerChannelNow(std::move(handler), interest);
        if (!done) return done.error();
        return Watch(std::move(state));
    }
    auto enter = [&thread, fd, interest, handler = std::move(handler)]() mutable {
        onDispatcher.assertCurrent();
        const auto done = thread.registerChannelNow(std::move(handler), interest);
        if (done) return;
        log(LogLevel::error,
            "watch of descriptor " + std::to_string(fd) + ": " + done.error().message());
    };
    const auto posted = state->queue->pushOrRefuse(std::move(enter), TaskQueue::Post::limited);
    if (!posted) return Error(posted.error().code(), "watch");
    return Watch(std::move(state));
}

bool unwatchAll(SelectorThread& thread, int fd) {
    auto end = [&thread, fd] {
        onDispatcher.assertCurrent();
        thread.registry().table().visitAll([fd](Registration& registration) {
            onDispatcher.assertCurrent();
            auto* watched = dynamic_cast<WatchHandler*>(&registration.handler());
            if (watched != nullptr && watched->watched() == fd) watched->channel().close();
        });
    };
    if (!thread.isCurrent()) return thread.invokeLater(end);
    end();
    return true;
}

}  // namespace nio
