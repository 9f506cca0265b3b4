#include "simulation/differential/Script.h"

#include <algorithm>
#include <stdexcept>

namespace simulation {

namespace kernel = nio::kernel;
using nio::IoResult;
using nio::IoStatus;

namespace {

constexpr std::size_t mostEnds = 12;
constexpr std::uint64_t eventMark = 1000;

// Ports of connections that were closed stay taken for a minute.
nio::SocketAddress addressOf(std::uint64_t seed) {
    const std::string third = std::to_string(seed / 250 % 250);
    const std::string fourth = std::to_string(seed % 250 + 1);
    return nio::SocketAddress::numeric("127.0." + third + "." + fourth, 0).orThrow();
}

std::string textOf(std::errc code) {
    return std::make_error_code(code).message();
}

std::string textOf(std::uint32_t events) {
    std::string text;
    if ((events & EPOLLIN) != 0) text += " in";
    if ((events & EPOLLOUT) != 0) text += " out";
    if ((events & EPOLLERR) != 0) text += " error";
    if ((events & EPOLLHUP) != 0) text += " hang-up";
    return text;
}

}  // namespace

Script::Script(std::uint64_t seed, Buffers buffers)
    : buffers_(buffers),
      anyPort_(addressOf(seed)),
      random_(seed),
      sizes_(~seed),
      ground_(seed, buffers) {}

std::string Script::run() {
    open();
    const std::size_t steps = random_.between(10, 80);
    for (std::size_t i = 0; i < steps; ++i) {
        step();
        settle();
    }
    return std::move(trace_);
}

void Script::open() {
    listener_ = kernel::openStreamSocket(nio::SocketAddress::Family::ipv4).orThrow();
    kernel::bind(listener_.get(), anyPort_).orThrow();
    ground_.prepare(listener_.get());
    kernel::listen(listener_.get(), 64).orThrow();
    address_ = kernel::localAddress(listener_.get()).orThrow();
    epoll_ = kernel::createEpoll().orThrow();
    event_ = kernel::createEvent().orThrow();
    void* mark = reinterpret_cast<void*>(eventMark);
    kernel::changeEpoll(epoll_.get(), kernel::EpollChange::add, event_.get(), EPOLLIN | EPOLLET,
                        mark)
        .orThrow();
}

void Script::settle() {
    std::vector<int> sockets;
    for (const End& end : ends_) {
        if (end.fd) sockets.push_back(end.fd.get());
    }
    ground_.settle(sockets);
}

void Script::step() {
    const std::size_t choice = random_.below(100);
    if (choice < 10) return connect();
    if (choice < 20) return accept();
    if (choice < 22) return connectToNobody();
    if (choice < 23) return closeListener();
    if (choice < 27) return signal();
    if (choice < 35) return waitEpoll();
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < ends_.size(); ++i) {
        if (ends_[i].fd) open.push_back(i);
    }
    if (open.empty()) return connect();
    const std::size_t index = open[random_.below(open.size())];
    if (isFinBehindTheCrowd(index)) return drain(index);
    if (choice < 70) return choice < 52 ? sendTo(index) : receiveFrom(index);
    if (choice < 76) return shutdown(index);
    if (choice < 80) return close(index, choice < 77);
    if (choice < 82) return note("outcome", index, kernel::connectOutcome(ends_[index].fd.get()));
    if (choice < 90) return watch(index);
    ask(index);
}

// --- the calls ------------------------------------------------------------------------------

void Script::connect() {
    if (ends_.size() >= mostEnds) return;
    ends_.push_back({kernel::openStreamSocket(nio::SocketAddress::Family::ipv4).orThrow()});
    ground_.prepare(ends_.back().fd.get());
    // Else what is sent may wait for an acknowledgement.
    kernel::setNoDelay(ends_.back().fd.get(), true).orThrow();
    const IoResult result = kernel::connect(ends_.back().fd.get(), address_);
    note("connect", ends_.size() - 1, result);
    if (listener_ && !result.isFailed()) backlog_.push_back(ends_.size() - 1);
}

void Script::connectToNobody() {
    const nio::UniqueFd bound =
        kernel::openStreamSocket(nio::SocketAddress::Family::ipv4).orThrow();
    kernel::bind(bound.get(), anyPort_).orThrow();
    const nio::UniqueFd fd = kernel::openStreamSocket(nio::SocketAddress::Family::ipv4).orThrow();
    const auto nobody = kernel::localAddress(bound.get()).orThrow();
    note("connect to nobody", 0, kernel::connect(fd.get(), nobody));
    settle();
    note("connect to nobody", 0, kernel::connectOutcome(fd.get()));
}

void Script::accept() {
    if (!listener_ || ends_.size() >= mostEnds) return;
    kernel::Accepted accepted = kernel::accept(listener_.get());
    note("accept", ends_.size(), accepted.result);
    if (!accepted.result.isDone()) return;
    if (backlog_.empty()) throw std::runtime_error("a connection that nobody has made is accepted");
    (void)kernel::setNoDelay(accepted.fd.get(), true).ok();
    const std::size_t connected = backlog_.front();
    backlog_.pop_front();
    ends_[connected].peer = ends_.size();
    ends_.push_back({std::move(accepted.fd), false, connected});
}

void Script::sendTo(std::size_t index) {
    buffers_ == Buffers::ample ? send(index) : fill(index);
}

void Script::receiveFrom(std::size_t index) {
    buffers_ == Buffers::ample ? receive(index) : drain(index);
}

void Script::send(std::size_t index) {
    const nio::Bytes bytes(random_.between(1, 2000), static_cast<nio::Byte>(index));
    note("send", index, kernel::send(ends_[index].fd.get(), bytes));
}

void Script::receive(std::size_t index) {
    nio::Bytes into(random_.between(1, 3000));
    note("receive", index, kernel::receive(ends_[index].fd.get(), into));
}

void Script::shutdown(std::size_t index) {
    note("shutdown", index, kernel::shutdownWrite(ends_[index].fd.get()));
    ends_[index].isFinished = true;
}

void Script::close(std::size_t index, bool reset) {
    if (reset) note("reset", index, kernel::setResetOnClose(ends_[index].fd.get()));
    note("close " + std::to_string(index));
    ends_[index].isFinished = true;
    ends_[index].fd.reset();
}

void Script::closeListener() {
    note("close the listener");
    listener_.reset();
}

void Script::ask(std::size_t index) {
    noteEvents("poll", index, eventsOf(index, POLLIN | POLLOUT, std::chrono::milliseconds(0)));
}

std::uint32_t Script::eventsOf(std::size_t index, short asked,
                               std::chrono::milliseconds wait) const {
    std::array<pollfd, 1> entry{{{ends_[index].fd.get(), asked, 0}}};
    (void)kernel::waitPoll(entry, wait).orThrow();
    return static_cast<std::uint32_t>(entry[0].revents);
}

void Script::watch(std::size_t index) {
    End& end = ends_[index];
    const auto change = end.watched ? random_.chance(300) ? kernel::EpollChange::remove
                                                          : kernel::EpollChange::modify
                                    : kernel::EpollChange::add;
    const std::array<std::uint32_t, 4> choices{EPOLLIN, EPOLLOUT, EPOLLIN | EPOLLOUT, 0};
    void* mark = reinterpret_cast<void*>(index + 1);
    note("watch", index,
         kernel::changeEpoll(epoll_.get(), change, end.fd.get(), choices[random_.below(4)], mark));
    end.watched = change != kernel::EpollChange::remove;
}

void Script::waitEpoll() {
    std::array<epoll_event, 2 * mostEnds> events;
    const std::size_t count =
        kernel::waitEpoll(epoll_.get(), events, std::chrono::nanoseconds::zero()).orThrow();
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < count; ++i) {
        const auto mark = reinterpret_cast<std::uintptr_t>(events[i].data.ptr);
        const std::uint32_t what =
            mark == eventMark ? events[i].events : comparable(mark - 1, events[i].events);
        if (what != 0) lines.push_back("ready " + std::to_string(mark) + textOf(what));
    }
    std::sort(lines.begin(), lines.end());
    note("wait");
    for (const std::string& line : lines) note(line);
}

void Script::signal() {
    const bool clears = random_.chance(300);
    note(clears ? "clear" : "signal");
    clears ? kernel::clearEvent(event_.get()) : kernel::signalEvent(event_.get());
}

// --- what they said -------------------------------------------------------------------------

void Script::note(const char* call, std::size_t index, const IoResult& result) {
    std::string line = std::string(call) + " " + std::to_string(index) + ": ";
    switch (result.status) {
        case IoStatus::done: line += "done " + std::to_string(result.bytes); break;
        case IoStatus::wouldBlock: line += "would block"; break;
        case IoStatus::closed: line += "closed"; break;
        case IoStatus::failed: line += textOf(result.code); break;
    }
    note(line);
}

void Script::noteEvents(const char* call, std::size_t index, std::uint32_t events) {
    note(std::string(call) + " " + std::to_string(index) + textOf(comparable(index, events)));
}

void Script::note(const char* call, std::size_t index, const nio::Result<void>& result) {
    const std::string outcome = result ? "done" : result.error().code().message();
    note(std::string(call) + " " + std::to_string(index) + ": " + outcome);
}

}  // namespace simulation
