#include "torture/World.h"

#include <algorithm>
#include <new>
#include <stdexcept>

#include <nio/base/Log.h>
#include <nio/coroutine/CoroutineApplication.h>
#include <nio/group/Ask.h>
#include <nio/net/SignalHandler.h>

#include "echo_server/Echo.h"
#include "simulation/Memory.h"

namespace torture {

using simulation::Memory;
using simulation::Plentiful;
using simulation::Scarce;
using std::chrono::milliseconds;

Outcome World::run(const Scenario& scenario, const Fault& fault, std::size_t failingAllocation,
                   bool prints) {
    nio::setLogger([prints](nio::LogLevel, std::string_view line) {
        if (prints) std::fprintf(stderr, "log: %.*s\n", static_cast<int>(line.size()), line.data());
    });
    Memory::failNth(failingAllocation);
    const std::size_t blocksBefore = Memory::blocks();
    Outcome outcome;
    std::string* failure = &outcome.failure;
    {
        World world(scenario, fault, prints);
        world.live();
        if (world.journal_.hasFailed()) *failure = world.journal_.failure();
        outcome.hasStruck = world.mayFail();
        outcome.wasRefused = world.refused_;
        for (std::size_t i = 0; i < callCount; ++i) {
            outcome.calls[i] = world.injection_.count(static_cast<Call>(i));
        }
        outcome.allocations = Memory::count();
    }
    Memory::failNth(0);
    const bool leaks = outcome.failure.empty() && Memory::blocks() != blocksBefore;
    if (leaks) outcome.failure = "memory is left";
    return outcome;
}

World::World(const Scenario& scenario, const Fault& fault, bool prints)
    : scenario_(scenario),
      journal_(prints),
      machine_(1, scenario.limits, noFaults_, journal_),
      injection_(fault),
      listener_(std::make_shared<Listener>(journal_)),
      epolls_(scenario.dispatchers) {}

void World::live() {
    refused_ = !setUp();
    if (!refused_) {
        runClients();
        checkServed();
    }
    if (!refused_ && !drains_ && !journal_.hasFailed()) serveOneMore();
    if (!refused_ && !journal_.hasFailed()) runDrain();
    if (!journal_.hasFailed()) checkEnd();
    tearDown();
    if (!journal_.hasFailed() && machine_.openDescriptors() > 0) fail("descriptors are left");
}

bool World::mayFail() const {
    return injection_.hasStruck() || Memory::hasFailed();
}

// --- the server -----------------------------------------------------------------------------

bool World::setUp() {
    try {
        const Scarce memory;
        group_ = std::make_unique<nio::SelectorThreadGroup>(groupOptions());
        openAcceptor();
        if (scenario_.connectsWithBytes > 0) {
            const Plentiful plenty;
            dialler_ =
                std::make_unique<Dialler>((*group_)[0], scenario_.connectsWithBytes, journal_);
        }
        if (dialler_ != nullptr && !dialler_->begin(address_)) fail("a task is refused");
    } catch (const std::exception& error) {
        if (!mayFail()) fail(std::string("the server was not set up: ") + error.what());
        return false;
    }
    for (const Client::Script& script : scenario_.clients) {
        clients_.emplace_back(clients_.size(), script, address_, machine_);
    }
    return true;
}

void World::openAcceptor() {
    auto dealer = std::make_unique<nio::ConnectionDealer>(*group_, makeHandlers());
    auto acceptor = nio::Acceptor::open(nio::SocketAddress::loopback4(7007), std::move(dealer),
                                        scenario_.acceptor)
                        .orThrow();
    address_ = acceptor->address();
    const auto onError = [this](const nio::Error& error) {
        refused_ = true;
        if (!mayFail()) fail("a registration was refused: " + error.message());
    };
    nio::SelectorThread& first = (*group_)[0];
    if (!first.registerChannelLater(std::move(acceptor), nio::Interest::accept, onError)) {
        throw std::runtime_error("the listener was refused");
    }
    if (!scenario_.hearsSignals) return;
    auto signals = nio::SignalHandler::open({15}, [](int) {}).orThrow();
    if (!first.registerChannelLater(std::move(signals), nio::Interest::read, onError)) {
        throw std::runtime_error("the signals were refused");
    }
}

nio::SelectorThreadGroupOptions World::groupOptions() {
    nio::SelectorThreadGroupOptions options;
    options.threads = scenario_.dispatchers;
    options.thread.selector.kind = scenario_.engine;
    options.thread.selector.maxReceiveBuffers = 8;
    options.thread.selector.receiveBufferBytes = 256;
    options.thread.maxTasksPerTurn = 500;
    options.thread.onMisuse = [this](const nio::Failure& failure) {
        const Plentiful memory;
        fail(failure.toString());
    };
    options.thread.onFailure = [this](const nio::Failure& failure) {
        const Plentiful memory;
        journal_.note(failure.toString().c_str());
        ++reported_;
        if (!mayFail()) fail(failure.toString());
    };
    return options;
}

nio::HandlerFactory World::makeHandlers() {
    const auto stream = std::make_shared<const nio::StreamOptions>(scenario_.stream);
    nio::HandlerFactory factory;
    if (scenario_.crosses) {
        factory = makeCrossing();
    } else if (scenario_.framing != apps::Framing::raw) {
        factory = support::packetHandlers(
            [framing = scenario_.framing] { return apps::makeDecoder(framing); }, listener_,
            stream);
    } else {
        factory = [stream](nio::AcceptedConnection connection) {
            auto handler = std::make_unique<echo::RawEcho>(std::move(connection.channel), stream);
            handler->keep(std::move(connection.permit));
            return handler;
        };
    }
    return [this, factory = std::move(factory)](nio::AcceptedConnection connection) {
        auto handler = factory(std::move(connection));
        link(dynamic_cast<nio::StreamHandler&>(*handler));
        return handler;
    };
}

// Each line goes to all dispatchers that have not drained yet, and back.
nio::HandlerFactory World::makeCrossing() {
    const WatchedHalf watched{&openHalves_};
    return nio::pipeline(nio::lines(), watched, nio::on(*group_), watched,
                         nio::coroutine([group = group_.get()](auto& peer) -> nio::Coroutine<> {
                             while (auto line = co_await peer.read()) {
                                 for (std::size_t i = 0; i < group->size(); ++i) {
                                     if (!(*group)[i].isStopped()) co_await peer.on((*group)[i]);
                                 }
                                 co_await peer.home();
                                 co_await peer.write(*line);
                             }
                         }))
        .with(scenario_.stream);
}

void World::link(nio::StreamHandler& handler) {
    const Plentiful memory;
    simulation::Descriptor* descriptor = machine_.find(handler.channel().fd());
    descriptor->channel = &handler.channel();
    links_.push_back({&handler, handler.channel().fd(), descriptor->serial});
}

bool World::isAlive(const Link& link) {
    const simulation::Descriptor* descriptor = machine_.find(link.fd);
    return descriptor != nullptr && descriptor->serial == link.serial;
}

// A program asks again where there was no memory to ask.
void World::requestDrain() {
    drains_ = true;
    try {
        const Scarce memory;
        group_->requestClose(scenario_.drain);
    } catch (const std::bad_alloc&) {
        group_->requestClose(scenario_.drain);
    }
}

// A Connector goes once its dispatcher has stopped.
void World::tearDown() {
    if (group_ == nullptr) return;
    if (dialler_ != nullptr && !isStopped()) stopAtOnce();
    if (dialler_ != nullptr) dialler_->giveUp();
    const Scarce memory;
    group_.reset();
}

void World::stopAtOnce() {
    nio::DrainOptions atOnce;
    atOnce.deadline = milliseconds(0);
    for (std::size_t i = 0; i < group_->size(); ++i) {
        (*group_)[i].requestClose(atOnce);
        while ((*group_)[i].turn(milliseconds(0))) {
        }
    }
}

// --- the rounds -----------------------------------------------------------------------------

void World::runClients() {
    while (goesOn() && !areClientsDone()) round();
}

// The fault may hit the first one.
void World::serveOneMore() {
    const bool mayFailYet = !mayFail();
    const Client::Script more{.bytes = 100, .beginsInRound = rounds_};
    clients_.emplace_back(clients_.size(), more, address_, machine_);
    while (goesOn() && !clients_.back().isDone()) round();
    if (!goesOn() || clients_.back().isServed() || listenerIsLost()) return;
    mayFailYet&& mayFail() ? serveOneMore() : fail("nobody is served any more");
}

// A channel that epoll does not let be changed any more is closed, a listener too; Linux has no
// reason to refuse that. It was reported.
bool World::listenerIsLost() {
    return injection_.hasStruck(Call::epollModify) && reported_ > 0 &&
           machine_.listenerAt(address_) == nullptr;
}

void World::runDrain() {
    if (!drains_) requestDrain();
    while (goesOn() && !isStopped()) round();
    hearTheEnd();
}

// What was handed to the kernel is still on its way.
void World::hearTheEnd() {
    constexpr std::size_t mostRounds = 1000;
    for (std::size_t i = 0; i < mostRounds && goesOn() && !areAllDone(); ++i) {
        ++rounds_;
        for (Client& client : clients_) client.step(rounds_);
        deliverAll();
    }
}

bool World::goesOn() const {
    return !journal_.hasFailed() && !refused_;
}

void World::round() {
    constexpr std::size_t mostRounds = 20'000;
    const std::uint64_t before = machine_.progress();
    ++rounds_;
    act();
    for (Client& client : clients_) client.step(rounds_);
    deliverAll();
    turnAll();
    if (drains_ && isStopped()) return;
    if (rounds_ > mostRounds) return fail("no end: " + whatHangs());
    if (machine_.progress() != before || rounds_ < 10) return static_cast<void>(jumps_ = 0);
    if (!letTimePass() && goesOn()) fail("stuck: " + whatHangs());
}

void World::deliverAll() {
    if (machine_.connections().empty()) return;
    for (std::size_t most = 4 * machine_.connections().size(); most > 0; --most) {
        if (!machine_.deliverSome()) return;
    }
}

void World::turnAll() {
    for (std::size_t i = 0; i < scenario_.dispatchers; ++i) {
        nio::SelectorThread& thread = (*group_)[i];
        if (!isAwake(i)) continue;
        {
            const Scarce memory;
            (void)thread.turn(std::nullopt);
        }
        epolls_[i] = machine_.takeLastWaited();
        if (thread.isStopped() && !drains_) fail("a dispatcher has stopped by itself");
    }
}

// One whose wait has failed does not sleep.
bool World::isAwake(std::size_t dispatcher) const {
    const nio::SelectorThread& thread = (*group_)[dispatcher];
    if (thread.isStopped()) return false;
    const std::optional<int> epoll = epolls_[dispatcher];
    return !epoll || thread.queue()->size() > 0 || !machine_.isAsleep(*epoll);
}

void World::act() {
    if (rounds_ <= 3) storm();
    if (scenario_.moves && !drains_) moveAll();
    if (rounds_ == scenario_.drainInRound) requestDrain();
}

void World::storm() {
    for (std::size_t i = 0; i < scenario_.storms; ++i) {
        nio::SelectorThread& thread = (*group_)[i % group_->size()];
        const std::size_t number = taskRuns_.size();
        taskRuns_.push_back(0);
        auto task = [this, &thread, number] {
            nio::onDispatcher.assertCurrent();
            if (!thread.isCurrent()) fail("a task runs on another dispatcher");
            scenario_.asks ? ask((*group_)[number % group_->size()], number) : ran(number);
        };
        try {
            const Scarce memory;
            if (thread.invokeLater(task)) continue;
        } catch (const std::bad_alloc&) {
        }
        taskRuns_.pop_back();
        if (!mayFail()) fail("a task is refused");
    }
}

void World::ask(nio::SelectorThread& other, std::size_t number) {
    try {
        nio::ask(
            other, [] {}, [this, number](const nio::Result<void>&) { ran(number); });
    } catch (const std::bad_alloc&) {
        ran(number);
    }
}

void World::moveAll() {
    std::erase_if(links_, [this](const Link& link) { return !isAlive(link); });
    for (const Link& each : links_) {
        if (each.handler->channel().isRegistered()) move(each, rounds_ % group_->size());
    }
}

void World::move(const Link& link, std::size_t to) {
    nio::SelectorThread& from = link.handler->dispatcher();
    auto task = [this, link, &from, &target = (*group_)[to]] {
        nio::onDispatcher.assertCurrent();
        if (!isAlive(link) || !link.handler->channel().isRegistered()) return;
        if (&link.handler->dispatcher() != &from) return;
        // Closing, away already: it stays, or ends.
        (void)from.moves().moveNow(link.handler->channel(), target).ok();
    };
    try {
        const Scarce memory;
        (void)from.invokeLater(std::move(task));
    } catch (const std::bad_alloc&) {
    }
}

bool World::letTimePass() {
    constexpr std::size_t mostJumps = 500;
    for (const Client& client : clients_) {
        if (client.waitsInRound(rounds_)) return true;
    }
    if (++jumps_ > mostJumps) return false;
    for (std::size_t i = 0; i < group_->size(); ++i) {
        if (isAwake(i)) return true;
    }
    const auto next = machine_.nextWake();
    if (!next) return false;
    machine_.advanceTo(*next);
    return true;
}

bool World::isStopped() const {
    for (std::size_t i = 0; i < group_->size(); ++i) {
        if (!(*group_)[i].isStopped()) return false;
    }
    return true;
}

bool World::areClientsDone() const {
    if (drains_ && isStopped()) return true;
    return (dialler_ == nullptr || dialler_->isDone()) && areAllDone();
}

bool World::areAllDone() const {
    return std::all_of(clients_.begin(), clients_.end(),
                       [](const Client& c) { return c.isDone(); });
}

}  // namespace torture
