// The simulated kernel, part two: readiness, signals (none), the clock.
#include <nio/sys/Kernel.h>
#include <nio/sys/Ticks.h>

#include "simulation/Machine.h"

namespace nio::kernel {

namespace {

using simulation::Descriptor;
using simulation::Fault;
using simulation::Machine;
using simulation::Watch;

Machine& machine() {
    return Machine::current();
}

Result<UniqueFd> opened(Descriptor descriptor, const char* call) {
    const int fd = machine().add(std::move(descriptor));
    if (fd < 0) return Error(std::errc::too_many_files_open, call);
    return UniqueFd(fd);
}

Result<UniqueFd> openEvent() {
    Descriptor descriptor;
    descriptor.kind = Descriptor::Kind::event;
    return opened(std::move(descriptor), "eventfd");
}

// The connection ends for it; no peer could expect that.
Error refused(Descriptor& descriptor, std::errc code, const char* call) {
    if (descriptor.connection != nullptr) descriptor.connection->excuse("epoll refused it");
    return {code, call};
}

}  // namespace

Result<UniqueFd> createEpoll() {
    Descriptor descriptor;
    descriptor.kind = Descriptor::Kind::epoll;
    descriptor.epoll = std::make_unique<simulation::Epoll>();
    return opened(std::move(descriptor), "epoll_create1");
}

Result<void> changeEpoll(int epoll, EpollChange change, int fd, std::uint32_t events, void* data) {
    Descriptor* watched = machine().find(fd);
    if (watched == nullptr) return Error(std::errc::bad_file_descriptor, "epoll_ctl");
    *watched->unanswered = 0;
    auto& watches = machine().find(epoll)->epoll->watches;
    const bool isThere = watches.contains(fd);
    const bool isStream = watched->kind == Descriptor::Kind::stream;
    const auto strikes = [&](Fault fault) { return isStream && machine().faults().strikes(fault); };
    switch (change) {
        case EpollChange::add:
            if (isThere) return Error(std::errc::file_exists, "epoll_ctl add");
            if (strikes(Fault::watchFails)) {
                return refused(*watched, std::errc::no_space_on_device, "epoll_ctl add");
            }
            watches[fd] = Watch{watched->serial, events, data};
            return {};
        case EpollChange::modify:
            if (!isThere) return Error(std::errc::no_such_file_or_directory, "epoll_ctl modify");
            if (strikes(Fault::rearmFails)) {
                return refused(*watched, std::errc::not_enough_memory, "epoll_ctl modify");
            }
            watches[fd] = Watch{watched->serial, events, data};
            return {};
        case EpollChange::remove:
            if (!isThere) return Error(std::errc::no_such_file_or_directory, "epoll_ctl remove");
            watches.erase(fd);
            return {};
    }
    return std::errc::invalid_argument;
}

Result<std::size_t> waitEpoll(int epoll, std::span<epoll_event> events, WaitTime wait) {
    return machine().wait(epoll, events, wait);
}

// Runs use epoll; poll is for the differential scenarios, which have no faults.
Result<std::size_t> waitPoll(std::span<pollfd> entries, WaitTime) {
    std::size_t count = 0;
    for (pollfd& entry : entries) {
        entry.revents = 0;
        Descriptor* descriptor = entry.fd < 0 ? nullptr : machine().find(entry.fd);
        if (descriptor == nullptr) continue;
        const simulation::Readiness ready = machine().readiness(*descriptor);
        int events = 0;
        if (ready.input) events |= POLLIN;
        if (ready.output) events |= POLLOUT;
        events &= entry.events;
        if (ready.error) events |= POLLERR;
        if (ready.hangUp) events |= POLLHUP;
        entry.revents = static_cast<short>(events);
        if (events != 0) ++count;
    }
    return count;
}

Result<UniqueFd> createEvent() {
    return openEvent();
}

void signalEvent(int fd) noexcept {
    Descriptor* event = machine().find(fd);
    if (event == nullptr) return machine().journal().fail("a closed event is signalled");
    ++event->signals;
    machine().eventSignalled(fd);
}

void clearEvent(int fd) noexcept {
    if (Descriptor* event = machine().find(fd)) event->signals = 0;
}

Result<void> catchSignals(std::initializer_list<int>) {
    return {};
}
Result<UniqueFd> createSignalDescriptor(std::initializer_list<int>) {
    return openEvent();
}
void forgetSignalDescriptor(int) noexcept {}
int readSignal(int) noexcept {
    return 0;
}

// The processor's counter would make what metrics say differ from run to run.
TickClock TickClock::best() {
    return {};
}
TimePoint now() noexcept {
    return machine().now();
}
std::chrono::nanoseconds suspendedTime() noexcept {
    return machine().suspendedTime();
}
std::chrono::nanoseconds threadCpuTime() noexcept {
    return machine().now().time_since_epoch();
}
int threadCpuClock() noexcept {
    return noCpuClock;
}
std::chrono::nanoseconds cpuTimeOf(int) noexcept {
    return {};
}
void makeWaitsPrecise() noexcept {}
void sleepFor(std::chrono::nanoseconds time) noexcept {
    machine().pause(time);
}
void yieldCpu() noexcept {}

// --- files, limits and names ----------------------------------------------------------------

Result<UniqueFd> openReserve() {
    if (machine().faults().strikes(Fault::noReserve)) {
        return Error(std::errc::too_many_files_open, "eventfd");
    }
    return openEvent();
}

std::size_t descriptorLimit() noexcept {
    return machine().limits().descriptors;
}

std::optional<std::string> environment(const char*) {
    return std::nullopt;
}
SocketFile inspectSocketFile(const std::string&) {
    return SocketFile::absent;
}
std::optional<FileIdentity> identifyFile(const std::string&) {
    return std::nullopt;
}
Result<void> removeFile(const std::string&) {
    return {};
}
void setModeBeforeBind(int, unsigned) noexcept {}
Result<void> setFileMode(const std::string&, unsigned) {
    return {};
}
Result<UniqueFd> lockFile(const std::string& path) {
    return Error(std::errc::function_not_supported, "flock " + path);
}

Result<std::vector<SocketAddress>> resolve(const std::string& host, std::uint16_t port) {
    const Result<SocketAddress> address = SocketAddress::numeric(host, port);
    if (!address) return Error(Errc::nameNotFound, "getaddrinfo " + host);
    return std::vector{address.value()};
}

}  // namespace nio::kernel
