#include <nio/net/Acceptor.h>

#include <algorithm>
#include <new>

#include <nio/base/Log.h>
#include <nio/sys/select/Select.h>

namespace nio {

namespace {

// Descriptors that a program needs besides its connections: standard streams, selectors, files.
constexpr std::size_t descriptorsForTheProgram = 64;

// On select(2), which watches only the descriptors with low numbers.
constexpr std::size_t mostOnSelect = kernel::selectLimit - descriptorsForTheProgram;

// Above the usual limit of the kernel's backlog (net.core.somaxconn).
constexpr int mostBacklog = 65535;

// An accept() that returns EAGAIN costs as much as a successful one: while connections arrive one
// by one, only every eighth turn tries a second accept. A connection left in the backlog is
// reported again.
constexpr std::size_t turnsForOne = 7;

std::size_t connectionLimit(std::size_t asked) {
    const std::size_t descriptors = kernel::descriptorLimit();
    const std::size_t possible = descriptors > 2 * descriptorsForTheProgram
                                     ? descriptors - descriptorsForTheProgram
                                     : descriptors / 2;
    return asked == 0 ? possible : asked;
}

bool isExhaustion(std::errc code) {
    return code == std::errc::too_many_files_open ||
           code == std::errc::too_many_files_open_in_system || code == std::errc::no_buffer_space ||
           code == std::errc::not_enough_memory;
}

}  // namespace

void AcceptorListener::socketError(Acceptor& acceptor, const Error& error) {
    acceptor.complain(error.message().c_str());
}

Result<std::unique_ptr<Acceptor>> Acceptor::open(const SocketAddress& address,
                                                 std::unique_ptr<AcceptorListener> listener,
                                                 const AcceptorOptions& options) {
    Result<ServerSocketChannel> channel = ServerSocketChannel::open(address, options.listen);
    if (!channel) return channel.error();
    return open(std::move(channel).value(), std::move(listener), options);
}

Result<std::unique_ptr<Acceptor>> Acceptor::open(ServerSocketChannel channel,
                                                 std::unique_ptr<AcceptorListener> listener,
                                                 const AcceptorOptions& options) {
    if (options.maxAcceptsPerTurn == 0) {
        return Error(std::errc::invalid_argument, "maxAcceptsPerTurn");
    }
    if (options.backOff <= std::chrono::milliseconds::zero()) {
        return Error(std::errc::invalid_argument, "backOff");
    }
    Result<SocketAddress> local = channel.localAddress();
    if (!local) return local.error();
    Result<UniqueFd> reserve = kernel::openReserve();
    if (!reserve) return reserve.error();
    std::unique_ptr<Acceptor> acceptor(
        new Acceptor(std::move(channel), std::move(listener), options));
    acceptor->address_ = local.value();
    acceptor->reserve_ = std::move(reserve).value();
    return acceptor;
}

Acceptor::Acceptor(ServerSocketChannel channel, std::unique_ptr<AcceptorListener> listener,
                   const AcceptorOptions& options)
    : channel_(std::move(channel)),
      listener_(std::move(listener)),
      options_(options),
      gate_(options.gate != nullptr
                ? options.gate
                : std::make_shared<ConnectionGate>(connectionLimit(options.maxConnections))) {
    gate_->expectWaiter();
}

void Acceptor::handleRegistered() {
    if (dispatcher().registry().selectorName() == nameOf(SelectorKind::select)) {
        gate_->setMaximum(std::min(gate_->maximum(), mostOnSelect));
    }
    try {
        prepareBackOff();
    } catch (const std::bad_alloc&) {
        // The memory may be available by the time it is needed.
    }
}

void Acceptor::handleAccept() {
    const std::size_t most = comesAlone_ == 0 ? options_.maxAcceptsPerTurn : 1;
    if (comesAlone_ > 0) --comesAlone_;
    std::size_t left = most;
    const Step step = acceptBatch(left);
    const bool foundOne = step == Step::stop && most - left == 2;
    if (foundOne) comesAlone_ = turnsForOne;
    if (step != Step::pause) waitForMore();
}

Acceptor::Step Acceptor::acceptBatch(std::size_t& left) {
    Step step = Step::again;
    try {
        while (left > 0 && step == Step::again) {
            --left;
            step = acceptOne();
        }
    } catch (...) {
        listener_->batchEnded(*this);
        throw;
    }
    listener_->batchEnded(*this);
    return step;
}

Acceptor::Step Acceptor::acceptOne() {
    if (draining_) {
        gate_->enterAnyway();
    } else if (!gate_->enter()) {
        gate_->waitForOne(resumption(), this);
        backOff();  // retries by itself too: releasing a permit may fail for lack of memory
        complain("maximum connections reached; new ones wait in the backlog");
        return Step::pause;
    }
    ConnectionPermit permit(gate_);
    kernel::Accepted accepted = channel_.accept();
    if (!accepted.result.isDone()) return afterFailure(accepted.result);
    if (isShortOfMemory() && !draining_) [[unlikely]] {
        refuse();
        return Step::again;
    }
    // A failure is ignored: it costs throughput, not correctness.
    (void)kernel::setNoDelay(accepted.fd.get(), true).ok();
    listener_->socketConnected(*this, {SocketChannel(std::move(accepted.fd)), std::move(permit)});
    return channel_.isOpen() ? Step::again : Step::pause;
}

bool Acceptor::isShortOfMemory() const {
    return dispatcher().memory().refusesConnections();
}

void Acceptor::refuse() {
    ++refused_;
    dispatcher().memory().countRefused();
    complain("memory budget exceeded; new connections are refused");
}

// The condition may persist: start the pause before anything that may throw, or this would spin.
Acceptor::Step Acceptor::afterFailure(const IoResult& result) {
    if (!result.isFailed()) return Step::stop;
    backOff();
    if (isExhaustion(result.code)) {
        complain("out of file descriptors or memory; accepting paused");
        turnOneAway();
    } else {
        listener_->socketError(*this, result.error("accept"));
    }
    return Step::pause;
}

// Runs on the thread that releases the permit; the rest happens on the Acceptor's own dispatcher.
UniqueFunction<void()> Acceptor::resumption() {
    return [queue = dispatcher().queue(), handle = dispatcher().handleOf(channel_)] {
        auto resume = [handle] {
            onDispatcher.assertCurrent();
            SelectorHandler* acceptor = handle.dispatcher()->findNow(handle);
            if (acceptor != nullptr) static_cast<Acceptor*>(acceptor)->resume();
        };
        // Fails only if the dispatcher has stopped.
        (void)queue->push(resume, TaskQueue::Post::exempt).ok();
    };
}

void Acceptor::waitForMore() {
    if (!reserve_) takeReserve();
    dispatcher().addChannelInterestNow(channel_, Interest::accept);
}

void Acceptor::resume() {
    if (backOffEnd_) backOffEnd_->cancel();
    waitForMore();
}

void Acceptor::prepareBackOff() {
    if (backOffEnd_) return;
    backOffEnd_.emplace(dispatcher().deadlines(), [this] {
        onDispatcher.assertCurrent();
        waitForMore();
    });
}

void Acceptor::backOff() {
    prepareBackOff();
    backOffEnd_->wakeAfter(options_.backOff);
}

// The peer sees a closed connection instead of one that is never served.
void Acceptor::turnOneAway() {
    reserve_.reset();
    kernel::Accepted accepted = channel_.accept();
    if (accepted.result.isDone()) ++turnedAway_;
    accepted.fd.reset();
    takeReserve();
}

void Acceptor::takeReserve() {
    Result<UniqueFd> reserve = kernel::openReserve();
    if (reserve) reserve_ = std::move(reserve).value();
}

void Acceptor::complain(const char* line) try {
    if (const auto more = logLimit_.admit(Clock::now())) {
        log(LogLevel::warning, "accept on " + address_.toString() + ": " + line + *more);
    }
} catch (const std::bad_alloc&) {
    log(LogLevel::warning, line);
}

void Acceptor::handleDrain(const DrainOptions& options) {
    if (std::exchange(draining_, true)) return;
    if (options.leavesListeners) {
        channel_.leaveFile();
        return channel_.close();
    }
    // Linux queues one connection more than the backlog.
    const int backlog = options_.listen.backlog;
    mayStillWait_ = static_cast<std::size_t>(backlog < 0 ? mostBacklog : backlog) + 1;
    acceptWhatWaits();
}

void Acceptor::acceptWhatWaits() {
    (void)acceptBatch(mayStillWait_);
    channel_.close();
}

// The connection that failed is closed; the ones after it are accepted, also in a drain. During a
// back-off they wait until it ends.
void Acceptor::handleFailure(std::exception_ptr exception) {
    if (draining_)
        return mayStillWait_ > 0 ? dispatcher().revisitLater(channel_) : channel_.close();
    if (backOffEnd_ && backOffEnd_->isSet()) return;
    AcceptSelectorHandler::handleFailure(exception);
}

}  // namespace nio
