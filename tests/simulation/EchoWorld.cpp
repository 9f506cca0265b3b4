#include "simulation/EchoWorld.h"

#include <algorithm>
#include <string>

#include <nio/selector/SelectionKey.h>

#include "echo_server/Echo.h"

namespace simulation {

namespace {

constexpr std::size_t mostTurnsUnserved = 4;
// A move holds back what comes meanwhile, and a queue may be longer than a turn takes.
constexpr std::size_t mostTurnsOfAPost = 50;

}  // namespace

EchoWorld::EchoWorld(const Scenario& scenario, Machine& machine)
    : scenario_(scenario),
      machine_(machine),
      random_(scenario.seed ^ 0x9d3f),
      listener_(std::make_shared<WatchedListener>(machine.journal())),
      epolls_(scenario.dispatchers),
      group_(std::make_unique<nio::SelectorThreadGroup>(groupOptions())) {
    const bool crosses = scenario.crossing != Scenario::Crossing::nowhere;
    auto dealer = std::make_unique<nio::ConnectionDealer>(
        *group_, crosses ? crossing() : watched(makeHandlers()));
    auto acceptor = nio::Acceptor::open(nio::SocketAddress::loopback4(7007), std::move(dealer),
                                        scenario.acceptor)
                        .orThrow();
    server_.address = acceptor->address();
    const auto onError = [this](const nio::Error& error) {
        fail("the listener was refused: " + error.message());
    };
    if (!(*group_)[0].registerChannelLater(std::move(acceptor), nio::Interest::accept, onError)) {
        fail("the listener was refused");
    }
    // Threads there are none (SimulatedLoad.cpp): it starts the rebalancer.
    group_->start();
}

EchoWorld::~EchoWorld() = default;

nio::SelectorThreadGroupOptions EchoWorld::groupOptions() {
    nio::SelectorThreadGroupOptions options;
    options.threads = scenario_.dispatchers;
    options.thread.name = "simulated";
    options.thread.selector = scenario_.selector;
    options.thread.maxTasksPerTurn = scenario_.maxTasksPerTurn;
    options.thread.maxQueuedTasks = scenario_.maxQueuedTasks;
    options.thread.moderation = scenario_.moderation;
    options.rebalance = scenario_.rebalance;
    options.thread.onMisuse = [this](const nio::Failure& failure) { fail(failure.toString()); };
    options.thread.onFailure = [this](const nio::Failure& failure) {
        const bool wasInjected = failure.what().find("epoll_ctl") != std::string::npos;
        if (!wasInjected) fail(failure.toString());
    };
    return options;
}

// --- handlers -------------------------------------------------------------------------------

nio::HandlerFactory EchoWorld::makeHandlers() {
    const auto stream = std::make_shared<const nio::StreamOptions>(scenario_.stream);
    if (scenario_.framing != apps::Framing::raw) {
        return support::packetHandlers(
            [framing = scenario_.framing] { return apps::makeDecoder(framing); }, listener_,
            stream);
    }
    return [stream](nio::AcceptedConnection connection) {
        auto handler = std::make_unique<echo::RawEcho>(std::move(connection.channel), stream);
        handler->keep(std::move(connection.permit));
        return handler;
    };
}

nio::HandlerFactory EchoWorld::watched(nio::HandlerFactory factory) {
    return [this, factory = std::move(factory)](nio::AcceptedConnection connection) {
        auto handler = factory(std::move(connection));
        link(dynamic_cast<nio::StreamHandler&>(*handler));
        return handler;
    };
}

nio::HandlerFactory EchoWorld::crossing() {
    return [this, options = scenario_.stream](nio::AcceptedConnection accepted) {
        const auto connection = machine_.find(accepted.channel.fd())->connection;
        const auto crossed =
            std::make_shared<Crossed>(Crossed{machine_.journal(), openHalves_, [connection] {
                                                  connection->excuse("its other half is to fail");
                                              }});
        crossings_.push_back(crossed);
        if (random_.chance(200)) crossed->failsAtRead = 1 + random_.below(20);
        const WatchedHalf front(crossed, true), back(crossed, false);
        const nio::Framed framed(apps::AnyFraming(scenario_.framing));
        const auto make = [&](const auto& factory) -> std::unique_ptr<nio::StreamHandler> {
            std::unique_ptr<nio::StreamHandler> handler =
                factory.with(options)(std::move(accepted));
            link(*handler, crossed);
            return handler;
        };
        const nio::On on = nio::on(*group_);
        return scenario_.crossing == Scenario::Crossing::behindTheFraming
                   ? make(nio::pipeline(framed, front, on, back, echo::PacketEcho()))
                   : make(nio::pipeline(front, on, back, framed, echo::PacketEcho()));
    };
}

void EchoWorld::link(nio::StreamHandler& handler, std::shared_ptr<Crossed> crossed) {
    Descriptor* descriptor = machine_.find(handler.channel().fd());
    descriptor->channel = &handler.channel();
    links_.push_back({&handler, handler.channel().fd(), descriptor->serial, std::move(crossed)});
}

bool EchoWorld::isAlive(const Link& link) {
    const Descriptor* descriptor = machine_.find(link.fd);
    return descriptor != nullptr && descriptor->serial == link.serial;
}

EchoWorld::Link* EchoWorld::anyLink() {
    std::erase_if(links_, [this](const Link& link) { return !isAlive(link); });
    if (links_.empty()) return nullptr;
    Link& link = links_[random_.below(links_.size())];
    return link.handler->channel().isRegistered() ? &link : nullptr;
}

// --- what happens to it ---------------------------------------------------------------------

// What was posted after its last wait began would have ended that: the wait is over already here.
bool EchoWorld::isAwake(std::size_t dispatcher) const {
    const nio::SelectorThread& thread = (*group_)[dispatcher];
    if (thread.isStopped()) return false;
    const std::optional<int> epoll = epolls_[dispatcher];
    return !epoll || thread.queue()->size() > 0 || !machine_.isAsleep(*epoll);
}

bool EchoWorld::someoneIsAwake() const {
    for (std::size_t i = 0; i < size(); ++i) {
        if (isAwake(i)) return true;
    }
    return false;
}

void EchoWorld::turn(std::size_t dispatcher) {
    nio::SelectorThread& thread = (*group_)[dispatcher];
    if (thread.isStopped() || isTurning()) return;
    nio::kernel::WaitTime wait;
    if (random_.chance(200)) wait = std::chrono::milliseconds(random_.below(3) * 10);
    turning_ = dispatcher;
    machine_.journal().note("turn", dispatcher);
    const std::size_t faults = machine_.faults().struck().size();
    const std::optional<int>& waiter = epolls_[dispatcher];
    if (waiter && machine_.faults().strikes(Fault::otherThread)) machine_.changeThreadOf(*waiter);
    if (!thread.turn(wait)) machine_.countProgress();
    turning_ = nobody;
    if (const auto waited = machine_.takeLastWaited()) epolls_[dispatcher] = waited;
    checkBuffers();
    checkHandles(thread);
    checkHalves(thread);
    if (machine_.faults().struck().size() == faults) checkFairness(thread);
}

bool EchoWorld::post() {
    const Link* link = random_.chance(300) ? anyLink() : nullptr;
    if (link != nullptr) return postByHandle(*link);
    nio::SelectorThread& thread = (*group_)[random_.below(size())];
    const std::size_t number = posts_.runs.size();
    const bool accepted = thread.invokeLater([this, &thread, number] {
        nio::onDispatcher.assertCurrent();
        if (!thread.isCurrent()) fail("a task runs on another dispatcher");
        ++posts_.runs[number];
    });
    if (accepted) posts_.runs.push_back(0);
    machine_.journal().note("post", accepted);
    return accepted;
}

bool EchoWorld::postByHandle(const Link& link) {
    nio::SelectorThread& thread = link.handler->dispatcher();
    return thread.invokeLater([this, link, &thread] {
        nio::onDispatcher.assertCurrent();
        if (!isAlive(link) || !link.handler->channel().isRegistered()) return;
        if (&link.handler->dispatcher() != &thread) return;
        const nio::ChannelHandle handle = thread.handleOf(link.handler->channel());
        const std::size_t number = posts_.byHandle;
        const bool accepted = (*group_)[random_.below(size())].invokeLater(
            handle, [this, link, number](nio::SelectorHandler& found) {
                nio::onDispatcher.assertCurrent();
                if (&found != link.handler) fail("a handle has found somebody else");
                if (!found.dispatcher().isCurrent()) fail("a handle's task runs elsewhere");
                ++posts_.ranByHandle;
                std::erase_if(posts_.waiting, [&](const Waiting& w) { return w.number == number; });
            });
        if (!accepted) return;
        ++posts_.byHandle;
        posts_.waiting.push_back({number, link, handle.dispatcher()});
    });
}

bool EchoWorld::move() {
    const Link* link = anyLink();
    if (link == nullptr) return false;
    nio::SelectorThread& thread = link->handler->dispatcher();
    nio::SelectorThread& target = (*group_)[random_.below(size())];
    return thread.invokeLater([this, link = *link, &thread, &target] {
        nio::onDispatcher.assertCurrent();
        if (!isAlive(link) || !link.handler->channel().isRegistered()) return;
        if (&link.handler->dispatcher() != &thread) return;
        machine_.journal().note("move", static_cast<std::uint64_t>(link.fd));
        // Draining, stopped or closing: it stays, or ends.
        (void)thread.moves().moveNow(link.handler->channel(), target).ok();
    });
}

void EchoWorld::requestDrain() {
    if (isDraining()) return;
    server_.drainBegan = machine_.now();
    machine_.journal().note("drain");
    machine_.countProgress();
    group_->requestClose(scenario_.drain);
}

bool EchoWorld::isStopped() const {
    for (std::size_t i = 0; i < size(); ++i) {
        if (!(*group_)[i].isStopped()) return false;
    }
    return true;
}

// --- what must hold -------------------------------------------------------------------------

void EchoWorld::checkWakeUp(int epoll) const {
    const bool hasWork = (*group_)[turning_].queue()->size() > 0;
    if (hasWork && !machine_.hasSignalFor(epoll)) fail("a task waits for a dispatcher that sleeps");
}

void EchoWorld::checkPause(std::chrono::nanoseconds time) {
    machine_.journal().note("pause", static_cast<std::uint64_t>(time.count()));
    if (time > scenario_.moderation) fail("a pause is longer than the bound");
    nio::SelectorThread& thread = (*group_)[turning_];
    const auto due = thread.deadlines().earliest();
    if (due && *due > machine_.now() && machine_.now() + time > *due) {
        fail("a deadline is late by a pause");
    }
    if (thread.queue()->hasWork()) fail("a task waits for a pause to end");
}

void EchoWorld::checkBuffers() {
    std::erase_if(links_, [this](const Link& link) { return !isAlive(link); });
    for (const Link& link : links_) {
        if (link.handler->channel().isRegistered()) {
            machine_.find(link.fd)->connection->wasServed = true;
        }
        const bool crosses = link.crossed != nullptr;
        const std::size_t pending =
            link.handler->pendingBytes() + (crosses ? link.crossed->outbound : 0);
        if (pending > scenario_.mostPending()) {
            fail(std::to_string(pending) + " bytes wait to be sent, more than the marks allow");
        }
        if (crosses) checkCrossing(link);
    }
}

// What the other half has not taken is bounded: at the mark the socket is not read.
void EchoWorld::checkCrossing(const Link& link) {
    const bool isOpen = link.crossed->front != nullptr && link.crossed->back != nullptr;
    if (!isOpen || link.crossed->inbound <= scenario_.stream.crossingHighMark) return;
    if (!link.handler->isReadingPaused()) fail("reads go on above the mark of a crossing");
}

std::size_t EchoWorld::mostTurnsWithout() const {
    const nio::SelectorOptions& selector = scenario_.selector;
    const std::size_t most = mostTurnsUnserved + 2 * (links_.size() / selector.maxSelectedKeys);
    if (selector.kind != nio::SelectorKind::uring) return most;
    // It may have all buffers, one of which is handled in a turn, or wait for one of them; and who
    // is about to move has to wait for what is under way.
    return most + selector.maxReceiveBuffers + 4 * (links_.size() / selector.maxReceiveBuffers) +
           scenario_.movesPerMille / 10;
}

// Who wants what is there is served within so many turns of its dispatcher, not counting those in
// which the kernel failed.
void EchoWorld::checkFairness(const nio::SelectorThread& thread) {
    const std::size_t most = mostTurnsWithout();
    for (Link& link : links_) {
        if (!link.handler->channel().isRegistered() || &link.handler->dispatcher() != &thread) {
            continue;
        }
        const Descriptor& descriptor = *machine_.find(link.fd);
        const bool isServed = std::exchange(link.uses, descriptor.uses) != descriptor.uses;
        link.starves = isServed || !isWaiting(link) ? 0 : link.starves + 1;
        if (link.starves <= most) continue;
        fail("descriptor " + std::to_string(link.fd) + " was ready in " +
             std::to_string(link.starves) + " turns, and not served");
    }
}

bool EchoWorld::isWaiting(const Link& link) const {
    const auto* key = static_cast<const nio::SelectionKey*>(link.handler->channel().registration());
    const Readiness ready = machine_.readiness(*machine_.find(link.fd));
    return (ready.input && any(key->interest() & nio::Interest::read)) ||
           (ready.output && any(key->interest() & nio::Interest::write));
}

// What was posted by handle runs as long as the channel is open, wherever that moves.
void EchoWorld::checkHandles(const nio::SelectorThread& thread) {
    std::erase_if(posts_.waiting, [this](const Waiting& each) { return !isAlive(each.link); });
    for (Waiting& each : posts_.waiting) {
        nio::StreamHandler& handler = *each.link.handler;
        if (each.home == &thread) ++each.turnsAtHome;
        if (handler.channel().isRegistered() && &handler.dispatcher() == &thread) ++each.turnsThere;
        const std::size_t turns = std::min(each.turnsAtHome, each.turnsThere);
        // A ring lets nobody go at once.
        const bool waits = scenario_.selector.kind == nio::SelectorKind::uring;
        if (turns <= mostTurnsOfAPost + (waits ? scenario_.movesPerMille : 0)) continue;
        fail("a task by handle did not run within " + std::to_string(turns) + " turns");
    }
}

// When one half has ended, the other one soon does.
void EchoWorld::checkHalves(const nio::SelectorThread& thread) {
    std::erase_if(crossings_, [](const auto& crossed) { return crossed.use_count() == 1; });
    for (const std::shared_ptr<Crossed>& each : crossings_) {
        nio::StreamHandler* left = each->back != nullptr ? each->back : each->front;
        if (!each->isEnding || left == nullptr || !left->channel().isRegistered()) continue;
        if (&left->dispatcher() != &thread) continue;
        if (++each->turnsAlone > mostTurnsOfAPost) fail("a half outlives the other one");
    }
}

void EchoWorld::checkEnd() {
    checkPosts();
    checkDrain();
    if (listener_->openChannels() > 0) fail("a channel was never told its end");
    if (openHalves_ > 0) fail("a half of a connection was never told its end");
    for (std::size_t i = 0; i < size(); ++i) {
        if ((*group_)[i].deadlines().size() > 0) fail("a deadline is left");
        if ((*group_)[i].connectionCount() > 0) fail("connections are still counted");
    }
    group_.reset();
    const std::size_t left = machine_.openDescriptors();
    if (left > 0) fail(std::to_string(left) + " descriptors are left");
}

void EchoWorld::checkPosts() {
    for (const unsigned char runs : posts_.runs) {
        if (runs != 1) fail("a task that was accepted ran " + std::to_string(runs) + " times");
    }
    std::size_t dropped = 0;
    for (std::size_t i = 0; i < size(); ++i) dropped += (*group_)[i].moves().droppedTasks();
    if (posts_.ranByHandle + dropped != posts_.byHandle) {
        fail("of " + std::to_string(posts_.byHandle) + " tasks by handle " +
             std::to_string(posts_.ranByHandle) + " ran and " + std::to_string(dropped) +
             " were dropped");
    }
}

// Without anybody cut off by a deadline or a time-out nothing may be lost.
void EchoWorld::checkDrain() {
    const nio::DrainReport report = group_->drainReport();
    bool excused = false;
    for (const auto& connection : machine_.connections()) {
        const auto idle = connection->idleAtClose();
        const auto timeout = scenario_.stream.idleTimeout;
        excused = excused || !connection->excuse().empty() || connection->isDead(Side::server) ||
                  (timeout.count() > 0 && idle >= timeout);
    }
    if (report.bytesLost > 0 && report.aborted + report.cutOff == 0) {
        fail("a connection with lost bytes is called drained: " + report.toString());
    }
    if (report.aborted == 0 && report.bytesLost > 0 && !excused) {
        fail("the drain has lost bytes: " + report.toString());
    }
}

}  // namespace simulation
