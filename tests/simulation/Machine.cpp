#include "simulation/Machine.h"

#include <algorithm>
#include <cassert>
#include <cerrno>

namespace simulation {

namespace {

Machine* currentMachine = nullptr;

// Above the real ones of this process: libcurl closes both kinds by the same function.
constexpr int firstDescriptor = 1000;
constexpr unsigned mostUnanswered = 8;

}  // namespace

Machine::Machine(std::uint64_t seed, const Limits& limits, Faults& faults, Journal& journal)
    : limits_(limits), faults_(faults), journal_(journal), random_(seed) {
    assert(currentMachine == nullptr);
    currentMachine = this;
}

Machine::~Machine() {
    currentMachine = nullptr;
}

bool Machine::hasCurrent() {
    return currentMachine != nullptr;
}

Machine& Machine::current() {
    assert(currentMachine != nullptr);
    return *currentMachine;
}

// --- descriptors ----------------------------------------------------------------------------

Descriptor* Machine::find(int fd) {
    const auto found = descriptors_.find(fd);
    return found == descriptors_.end() ? nullptr : &found->second;
}

Descriptor& Machine::used(int fd) {
    Descriptor* found = find(fd);
    if (found == nullptr) {
        journal_.fail("descriptor " + std::to_string(fd) + " is used after its close");
        static Descriptor nobody;
        return nobody;
    }
    *found->unanswered = 0;
    ++found->uses;
    if (found->channel != nullptr) {
        const nio::ChannelRegistration* registration = found->channel->registration();
        const bool here = registration == nullptr ? ringWorks_ : registration->owner().isCurrent();
        if (!here) journal_.fail("descriptor " + std::to_string(fd) + " is used elsewhere");
    }
    return *found;
}

// The lowest free number, as the real one: a number that was just closed comes back at once.
int Machine::add(Descriptor descriptor) {
    if (descriptors_.size() >= limits_.descriptors) return -1;
    int fd = firstDescriptor;
    for (const auto& [taken, unused] : descriptors_) {
        if (taken != fd) break;
        ++fd;
    }
    descriptor.serial = ++serials_;
    descriptors_.emplace(fd, std::move(descriptor));
    return fd;
}

int Machine::duplicate(int fd) {
    const Descriptor& original = used(fd);
    Descriptor copy;
    copy.kind = original.kind;
    copy.bound = original.bound;
    copy.connection = original.connection;
    copy.side = original.side;
    copy.unanswered = original.unanswered;
    return add(std::move(copy));
}

bool Machine::hasDuplicate(const Descriptor& descriptor) const {
    return std::any_of(descriptors_.begin(), descriptors_.end(), [&](const auto& entry) {
        const Descriptor& other = entry.second;
        return &other != &descriptor && other.connection == descriptor.connection &&
               other.side == descriptor.side;
    });
}

void Machine::close(int fd) {
    Descriptor* found = find(fd);
    if (found == nullptr)
        return journal_.fail("descriptor " + std::to_string(fd) + " is closed twice");
    journal_.note("close", static_cast<std::uint64_t>(fd));
    countProgress();
    for (auto& [number, other] : descriptors_) {
        if (other.epoll != nullptr) other.epoll->watches.erase(fd);
        // A real one would stay open as long as the ring has it.
        if (other.ring != nullptr && other.ring->hasOperationOn(fd)) {
            journal_.fail("descriptor " + std::to_string(fd) + " is closed, and a ring has it");
        }
    }
    if (found->connection != nullptr && !hasDuplicate(*found)) {
        found->connection->closedAt = now_;
        found->connection->close(found->side, found->resetOnClose);
    }
    if (found->listener != nullptr) {
        for (const auto& waiting : found->listener->waiting) {
            waiting->excuse("its listener was closed");
            waiting->close(Side::server, true);
        }
    }
    descriptors_.erase(fd);
}

// --- connections ----------------------------------------------------------------------------

Listener* Machine::listenerAt(const nio::SocketAddress& address) {
    for (auto& [fd, descriptor] : descriptors_) {
        Listener* listener = descriptor.listener.get();
        if (listener != nullptr && listener->address == address) return listener;
    }
    for (Listener& listener : outside_) {
        if (listener.address == address) return &listener;
    }
    return nullptr;
}

Listener& Machine::listenOutside(const nio::SocketAddress& address, std::size_t backlog) {
    return outside_.emplace_back(Listener{address, backlog});
}

Machine::Dialled Machine::dial(const nio::SocketAddress& address) {
    Listener* listener = listenerAt(address);
    if (listener == nullptr) return {nullptr, true};
    if (listener->waiting.size() > listener->backlog) return {};
    auto connection =
        std::make_shared<Connection>(connections_.size() + 1, limits_.client, limits_.server);
    connection->use(now_);
    // A socket that has no room is not writable: to the process it is not connected yet.
    connection->isUnanswered = listener->isSilent;
    if (connection->isUnanswered) connection->limitSending(Side::client, 0);
    listener->waiting.push_back(connection);
    listener->dialled.push_back(connection);
    connections_.push_back(connection);
    countProgress();
    return {connection, false};
}

bool Machine::deliverSome() {
    const std::size_t start = random_.below(2 * connections_.size());
    for (std::size_t i = 0; i < 2 * connections_.size(); ++i) {
        const std::size_t at = (start + i) % (2 * connections_.size());
        Connection& connection = *connections_[at / 2];
        const Side from = at % 2 == 0 ? Side::client : Side::server;
        if (!connection.canDeliver(from)) continue;
        journal_.note("deliver", connection.number(), at % 2);
        connection.deliver(from, random_);
        countProgress();
        return true;
    }
    return false;
}

// --- waiting --------------------------------------------------------------------------------

Readiness Machine::readiness(const Descriptor& descriptor) const {
    switch (descriptor.kind) {
        case Descriptor::Kind::stream: return descriptor.connection->readiness(descriptor.side);
        case Descriptor::Kind::listener: return {!descriptor.listener->waiting.empty()};
        case Descriptor::Kind::event: return {descriptor.signals > 0, true};
        case Descriptor::Kind::socket: return {false, true, false, true};
        case Descriptor::Kind::epoll:
        case Descriptor::Kind::ring: break;
    }
    return {};
}

std::uint32_t Machine::eventsOf(const Watch& watch, const Descriptor& descriptor) const {
    const Readiness ready = readiness(descriptor);
    std::uint32_t events = 0;
    if (ready.input) events |= EPOLLIN;
    if (ready.output) events |= EPOLLOUT;
    events &= watch.events;
    if (ready.error) events |= EPOLLERR;
    if (ready.hangUp) events |= EPOLLHUP;
    return events;
}

std::vector<Machine::Ready> Machine::readyOf(Epoll& epoll) {
    std::vector<Ready> ready;
    for (const auto& [fd, watch] : epoll.watches) {
        const bool isEdge = (watch.events & EPOLLET) != 0;
        if (isEdge && watch.wasReported) continue;
        const std::uint32_t events = eventsOf(watch, descriptors_.at(fd));
        const std::uint32_t armed = watch.events & (EPOLLIN | EPOLLOUT);
        if (events != 0) {
            if (!isEdge && faults_.strikes(Fault::withheldEvent)) continue;
            ready.push_back({fd, events, true});
        } else if (!isEdge && armed != 0 && faults_.strikes(Fault::spuriousEvent)) {
            ready.push_back({fd, armed, false});
        }
    }
    order(ready);
    if (arrange_) arrange_(epoll, ready);
    return ready;
}

// Any; but who had to wait longest comes first: a real kernel starves nobody.
void Machine::order(std::vector<Ready>& ready) {
    for (std::size_t left = ready.size(); left > 1; --left) {
        std::swap(ready[left - 1], ready[random_.below(left)]);
    }
    const auto isBefore = [this](const Ready& a, const Ready& b) {
        return descriptors_.at(a.fd).passedOver > descriptors_.at(b.fd).passedOver;
    };
    std::stable_sort(ready.begin(), ready.end(), isBefore);
}

void Machine::report(const Ready& ready, Epoll& epoll, epoll_event& into) {
    Watch& watch = epoll.watches.at(ready.fd);
    watch.wasReported = true;
    descriptors_.at(ready.fd).passedOver = 0;
    into.events = ready.events;
    into.data.ptr = watch.data;
    journal_.note("ready", static_cast<std::uint64_t>(ready.fd), ready.events);
    if (!ready.isReal || (watch.events & EPOLLET) != 0) return;
    if (++*descriptors_.at(ready.fd).unanswered > mostUnanswered) {
        journal_.fail("descriptor " + std::to_string(ready.fd) + " was ready " +
                      std::to_string(mostUnanswered) + " times, and nobody served it");
    }
}

// It cannot sleep: where nothing is ready others have their say, and then it returns, as if a
// signal had come. The scheduler lets the dispatcher alone until there is a reason to wake up.
std::size_t Machine::wait(int fd, std::span<epoll_event> events,
                          std::optional<std::chrono::nanoseconds> wait) {
    Epoll& epoll = *descriptors_.at(fd).epoll;
    lastWaited_ = fd;
    epoll.sleepsUntil = now_;
    if (faults_.strikes(Fault::interruptedWait)) return 0;
    std::vector<Ready> ready = readyOf(epoll);
    const bool sleeps = !wait || wait->count() > 0;
    if (ready.empty() && sleeps) {
        if (whileAsleep_) whileAsleep_(fd);
        ready = readyOf(epoll);
        epoll.sleepsUntil = wait ? now_ + nio::Clock::bounded(*wait) : nio::TimePoint::max();
    }
    if (!ready.empty()) epoll.sleepsUntil = now_;
    const std::size_t count = std::min(events.size(), ready.size());
    for (std::size_t i = 0; i < count; ++i) report(ready[i], epoll, events[i]);
    for (std::size_t i = count; i < ready.size(); ++i) ++descriptors_.at(ready[i].fd).passedOver;
    return count;
}

long Machine::enter(int fd, std::uint32_t count, bool sleeps,
                    std::optional<std::chrono::nanoseconds> wait) {
    Descriptor* found = find(fd);
    if (found == nullptr || found->ring == nullptr) return -EBADF;
    lastWaited_ = fd;
    ringWorks_ = true;
    const long taken = found->ring->enter(count, sleeps, wait, [&] {
        ringWorks_ = false;
        if (whileAsleep_) whileAsleep_(fd);
        ringWorks_ = true;
    });
    ringWorks_ = false;
    return taken;
}

void Machine::pause(std::chrono::nanoseconds time) {
    const nio::TimePoint end = now_ + time;
    if (whilePaused_) whilePaused_(time);
    advanceTo(end);
}

bool Machine::isAsleep(int waiter) const {
    const auto found = descriptors_.find(waiter);
    if (found == descriptors_.end()) return false;
    if (found->second.ring != nullptr) return found->second.ring->isAsleep();
    if (found->second.epoll->sleepsUntil <= now_) return false;
    for (const auto& [fd, watch] : found->second.epoll->watches) {
        const bool isOld = (watch.events & EPOLLET) != 0 && watch.wasReported;
        if (!isOld && eventsOf(watch, descriptors_.at(fd)) != 0) return false;
    }
    return true;
}

void Machine::changeThreadOf(int waiter) {
    Descriptor* found = find(waiter);
    if (found == nullptr || found->ring == nullptr) return;
    if (descriptors_.size() < limits_.descriptors) found->ring->changeThread();
}

std::optional<nio::TimePoint> Machine::nextWake() const {
    std::optional<nio::TimePoint> next;
    for (const auto& [fd, descriptor] : descriptors_) {
        const auto until = sleepsUntil(descriptor);
        if (!until || *until <= now_ || *until == nio::TimePoint::max()) continue;
        next = next ? std::min(*next, *until) : *until;
    }
    return next;
}

std::optional<nio::TimePoint> Machine::sleepsUntil(const Descriptor& waiter) {
    if (waiter.epoll != nullptr) return waiter.epoll->sleepsUntil;
    return waiter.ring == nullptr ? std::nullopt : waiter.ring->sleepsUntil();
}

void Machine::eventSignalled(int fd) {
    for (auto& [number, descriptor] : descriptors_) {
        if (descriptor.ring != nullptr) descriptor.ring->eventSignalled(fd);
        if (descriptor.epoll == nullptr) continue;
        const auto watch = descriptor.epoll->watches.find(fd);
        if (watch != descriptor.epoll->watches.end()) watch->second.wasReported = false;
    }
}

bool Machine::hasSignalFor(int waiter) const {
    if (descriptors_.at(waiter).ring != nullptr) return descriptors_.at(waiter).ring->hasSignal();
    for (const auto& [fd, watch] : descriptors_.at(waiter).epoll->watches) {
        const Descriptor& descriptor = descriptors_.at(fd);
        const bool isEvent = descriptor.kind == Descriptor::Kind::event;
        if (isEvent && descriptor.signals > 0 && !watch.wasReported) return true;
    }
    return false;
}

}  // namespace simulation
