#include <nio/net/Acceptor.h>

#include <algorithm>
#include <new>

#include <nio/base/Log.h>

namespace nio {

namespace {

// What a program needs besides its connections: standard streams, selectors, logs, files.
constexpr std::size_t descriptorsForTheProgram = 64;

// More than any kernel is usually told to queue (net.core.somaxconn).
constexpr int mostBacklog = 65535;

// The accept that finds nobody costs the kernel as much as one that finds somebody: where
// connections come one by one, only every eighth turn looks for a second one. Who waits is reported
// again.
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
    log(LogLevel::warning, "accept on " + acceptor.address().toString() + ": " + error.message());
}

Result<std::unique_ptr<Acceptor>> Acceptor::open(const SocketAddress& address,
                                                 std::unique_ptr<AcceptorListener> listener,
                                                 const AcceptorOptions& options) {
    if (options.maxAcceptsPerTurn == 0) {
        return Error(std::errc::invalid_argument, "maxAcceptsPerTurn");
    }
    if (options.backOff <= std::chrono::milliseconds::zero()) {
        return Error(std::errc::invalid_argument, "backOff");
    }
    Result<ServerSocketChannel> channel = ServerSocketChannel::open(address, options.listen);
    if (!channel) return channel.error();
    Result<SocketAddress> local = channel.value().localAddress();
    if (!local) return local.error();
    Result<UniqueFd> reserve = kernel::openReserve();
    if (!reserve) return reserve.error();
    std::unique_ptr<Acceptor> acceptor(
        new Acceptor(std::move(channel).value(), std::move(listener), options));
    acceptor->address_ = local.value();
    acceptor->reserve_ = std::move(reserve).value();
    return acceptor;
}

Acceptor::Acceptor(ServerSocketChannel channel, std::unique_ptr<AcceptorListener> listener,
                   const AcceptorOptions& options)
    : channel_(std::move(channel)),
      listener_(std::move(listener)),
      options_(options),
      gate_(std::make_shared<ConnectionGate>(connectionLimit(options.maxConnections))) {}

void Acceptor::handleRegistered() {
    try {
        prepareBackOff();
    } catch (const std::bad_alloc&) {
        // There may be memory when it is needed.
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
        gate_->waitForOne(resumption());
        backOff();  // and looks by itself now and then: who gives a place back may lack the memory
        complain("the maximum of connections is reached; new ones wait");
        return Step::pause;
    }
    ConnectionPermit permit(gate_);
    kernel::Accepted accepted = channel_.accept();
    if (!accepted.result.isDone()) return afterFailure(accepted.result);
    if (isShortOfMemory() && !draining_) [[unlikely]] {
        refuse();
        return Step::again;
    }
    // It matters to throughput, not to correctness: a socket without it still works.
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
    complain("the memory budget is short; new connections are refused");
}

// It may be there again at once, for ever: the pause comes before what may throw.
Acceptor::Step Acceptor::afterFailure(const IoResult& result) {
    if (!result.isFailed()) return Step::stop;
    backOff();
    if (isExhaustion(result.code)) {
        complain("out of descriptors or memory; accepting pauses");
        turnOneAway();
    } else {
        listener_->socketError(*this, result.error("accept"));
    }
    return Step::pause;
}

// Runs wherever the permit is given back; the rest happens on the Acceptor's own dispatcher.
UniqueFunction<void()> Acceptor::resumption() {
    return [queue = dispatcher().queue(), handle = dispatcher().handleOf(channel_)] {
        auto resume = [handle] {
            onDispatcher.assertCurrent();
            SelectorHandler* acceptor = handle.dispatcher()->findNow(handle);
            if (acceptor != nullptr) static_cast<Acceptor*>(acceptor)->resume();
        };
        // Refused only when the dispatcher has stopped.
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

// The peer sees a closed connection instead of one that nobody ever serves.
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
    const std::optional<std::size_t> heldBack = logLimit_.admit(Clock::now());
    if (!heldBack) return;
    std::string text = "accept on " + address_.toString() + ": " + line;
    if (*heldBack > 0) text += " (" + std::to_string(*heldBack) + " more like this)";
    log(LogLevel::warning, text);
} catch (const std::bad_alloc&) {
    log(LogLevel::warning, line);
}

void Acceptor::handleDrain(const DrainOptions&) {
    if (std::exchange(draining_, true)) return;
    // Linux queues one more than it is asked for.
    const int backlog = options_.listen.backlog;
    mayStillWait_ = static_cast<std::size_t>(backlog < 0 ? mostBacklog : backlog) + 1;
    acceptWhatWaits();
}

void Acceptor::acceptWhatWaits() {
    (void)acceptBatch(mayStillWait_);
    channel_.close();
}

// The connection that failed is closed; those behind it have their turn, also in a drain. Who backs
// off looks again when that is over.
void Acceptor::handleFailure(std::exception_ptr exception) {
    if (draining_)
        return mayStillWait_ > 0 ? dispatcher().revisitLater(channel_) : channel_.close();
    if (backOffEnd_ && backOffEnd_->isSet()) return;
    AcceptSelectorHandler::handleFailure(exception);
}

}  // namespace nio
