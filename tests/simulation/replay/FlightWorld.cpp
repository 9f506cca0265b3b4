#include "simulation/replay/FlightWorld.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

#include <nio/observe/FlightDump.h>
#include <nio/sys/Kernel.h>

#include "echo_server/Echo.h"

namespace simulation {

namespace {

constexpr std::size_t roomy = std::size_t{1} << 30;

Machine::Limits limitsFor(const Flight& flight) {
    Machine::Limits limits;
    limits.descriptors = 256 + 2 * flight.connections;
    limits.client = limits.server = {roomy, roomy};
    return limits;
}

// A callback is a record and perhaps two that go on; a turn has three of its own.
std::size_t recordsFor(const Flight& flight) {
    std::size_t records = 64 + 4 * flight.connections;
    for (const FlightTurn& turn : flight.turns) {
        records += 8 + 8 * (turn.tasks.size() + turn.events.size());
    }
    return records;
}

nio::SelectorThreadGroupOptions groupFor(const Flight& flight) {
    nio::SelectorThreadGroupOptions options;
    options.threads = 1;
    options.thread.name = "replay";
    options.thread.selector.kind = nio::SelectorKind::epoll;
    options.thread.flightRecords = recordsFor(flight);
    return options;
}

std::uint32_t readinessOf(const FlightEvent& event) {
    if (event.what == "handleRead" || event.what == "handleAccept") return EPOLLIN;
    return event.what == "handleWrite" ? std::uint32_t{EPOLLOUT} : 0;
}

}  // namespace

// Who comes alone makes the acceptor look for fewer in the turns after it. Whom it has accepted for
// other dispatchers this one's records do not tell: then a stranger comes with each.
class FlightWorld::Arrivals final : public nio::AcceptorListener {
  public:
    explicit Arrivals(FlightWorld& world) : world_(world) {}

    void socketConnected(nio::Acceptor&, nio::AcceptedConnection connection) override
        NIO_REQUIRES(nio::onDispatcher) {
        if (world_.accepted_.empty()) return;
        const std::size_t number = world_.accepted_.front();
        world_.accepted_.pop_front();
        world_.enter(number, std::move(connection.channel), std::move(connection.permit));
    }

  private:
    FlightWorld& world_;
};

FlightWorld::FlightWorld(const Flight& flight)
    : flight_(flight),
      faults_(1, FaultSet{}),
      machine_(1, limitsFor(flight), faults_, journal_),
      group_(groupFor(flight)),
      peers_(flight.connections) {
    const auto address = nio::SocketAddress::loopback4(7007);
    auto acceptor = nio::Acceptor::open(address, std::make_unique<Arrivals>(*this)).orThrow();
    address_ = acceptor->address();
    listener_ = acceptor->channel().fd();
    back_ = nio::kernel::openStreamSocket(nio::SocketAddress::Family::ipv4).orThrow();
    backAddress_ = nio::SocketAddress::loopback4(7008);
    nio::kernel::bind(back_.get(), backAddress_).orThrow();
    nio::kernel::listen(back_.get(), 4096).orThrow();
    (void)thread().registerChannelLater(std::move(acceptor), nio::Interest::accept);
    for (std::size_t number = 0; number < flight.before; ++number) comeByTask(number);
    while (thread().queue()->size() > 0 || prepared_ == 0) {
        thread().turn(std::chrono::nanoseconds::zero());
        ++prepared_;
    }
    began_ = machine_.now();
    machine_.setArrange(
        [this](const Epoll& epoll, std::vector<Machine::Ready>& ready) { arrange(epoll, ready); });
}

FlightWorld::~FlightWorld() {
    machine_.setArrange({});
}

// --- what comes -----------------------------------------------------------------------------

void FlightWorld::comeAll(const FlightTurn& turn) {
    const auto registers = [](const FlightEvent& event) {
        return event.what == "handleRegistered";
    };
    for (const FlightEvent& event : turn.tasks) {
        if (registers(event)) comeByTask(event.connection);
    }
    for (const FlightEvent& event : turn.events) {
        if (!registers(event)) continue;
        peers_[event.connection].connection = machine_.dial(address_).connection;
        accepted_.push_back(event.connection);
    }
    const bool othersToo = flight_.isOneOfMany && !accepted_.empty();
    if (othersToo) (void)machine_.dial(address_);
}

void FlightWorld::comeByTask(std::size_t number) {
    peers_[number].connection = machine_.dial(backAddress_).connection;
    auto task = [this, number,
                 channel = nio::SocketChannel(nio::kernel::accept(back_.get()).fd)]() mutable {
        nio::onDispatcher.assertCurrent();
        enter(number, std::move(channel), {});
    };
    (void)thread().invokeLater(std::move(task));
}

void FlightWorld::enter(std::size_t number, nio::SocketChannel channel,
                        nio::ConnectionPermit permit) {
    static const auto stream = std::make_shared<const nio::StreamOptions>();
    peers_[number].fd = channel.fd();
    auto handler = std::make_unique<echo::RawEcho>(std::move(channel), stream);
    handler->keep(std::move(permit));
    (void)thread().registerChannelNow(std::move(handler), nio::Interest::read).ok();
}

// --- what happens to it ---------------------------------------------------------------------

void FlightWorld::play(std::size_t number) {
    const FlightTurn& turn = flight_.turns[number];
    machine_.advanceTo(began_ + turn.time);
    comeAll(turn);
    limitOutput(turn);
    for (const FlightEvent& event : turn.events) bring(event, number);
    deliverAll();
    select(turn);
    thread().turn(std::chrono::nanoseconds::zero());
    deliverAll();
    readAll();
}

// A FIN is seen by a read of nothing that nothing comes after.
void FlightWorld::bring(const FlightEvent& event, std::size_t turn) {
    if (event.connection == FlightEvent::nobody) return;
    Peer& peer = peers_[event.connection];
    if (event.in > 0) {
        const nio::Bytes bytes(event.in, nio::Byte{'x'});
        (void)peer.connection->send(Side::client, bytes);
    }
    if (event.reason == "reset") {
        deliverAll();
        return peer.connection->close(Side::client, true);
    }
    const bool readsNothing = event.what == "handleRead" && event.in == 0;
    const bool isEnd = readsNothing && !bringsMore(event.connection, turn);
    if (peer.finished || !(isEnd || event.reason == "finished")) return;
    peer.finished = true;
    (void)peer.connection->shutdownWrite(Side::client);
}

bool FlightWorld::bringsMore(std::size_t connection, std::size_t afterTurn) const {
    const auto brings = [connection](const FlightEvent& event) {
        return event.connection == connection && (event.in > 0 || event.reason == "reset");
    };
    const auto turn = flight_.turns.begin() + static_cast<std::ptrdiff_t>(afterTurn);
    return std::any_of(turn, flight_.turns.end(), [&](const FlightTurn& later) {
        return std::any_of(later.events.begin(), later.events.end(), brings);
    });
}

// As much as was sent: a kernel that took less had no more room.
void FlightWorld::limitOutput(const FlightTurn& turn) {
    std::vector<std::size_t> most(peers_.size(), 0);
    for (const auto* events : {&turn.tasks, &turn.events}) {
        for (const FlightEvent& event : *events) {
            if (event.connection != FlightEvent::nobody) most[event.connection] += event.out;
        }
    }
    for (std::size_t i = 0; i < peers_.size(); ++i) {
        if (peers_[i].connection != nullptr) {
            peers_[i].connection->limitSending(Side::server, most[i]);
        }
    }
}

void FlightWorld::select(const FlightTurn& turn) {
    ready_.clear();
    for (const FlightEvent& event : turn.events) {
        const std::uint32_t events = readinessOf(event);
        if (events == 0) continue;
        const auto known = std::find_if(ready_.begin(), ready_.end(), [&event](const Ready& ready) {
            return ready.connection == event.connection;
        });
        if (known == ready_.end()) {
            ready_.push_back({event.connection, events});
        } else {
            known->events |= events;
        }
    }
}

// Known as late as that: who comes by a task may bring something in the same turn.
int FlightWorld::descriptorOf(std::size_t connection) const {
    return connection == FlightEvent::nobody ? listener_ : peers_[connection].fd;
}

// Wake-ups as they are; of the others those of the turn, in its order, as far as the library wants
// to hear of them.
void FlightWorld::arrange(const Epoll& epoll, std::vector<Machine::Ready>& ready) const {
    const std::vector<Machine::Ready> found = std::exchange(ready, {});
    for (const Machine::Ready& real : found) {
        const bool isEdge = (epoll.watches.at(real.fd).events & EPOLLET) != 0;
        if (isEdge) ready.push_back(real);
    }
    for (const Ready& wanted : ready_) {
        const int fd = descriptorOf(wanted.connection);
        const auto watch = epoll.watches.find(fd);
        const auto real = std::find_if(found.begin(), found.end(),
                                       [fd](const Machine::Ready& one) { return one.fd == fd; });
        std::uint32_t events = watch == epoll.watches.end() ? 0 : watch->second.events;
        events &= wanted.events;
        if (real != found.end()) events |= real->events & (EPOLLERR | EPOLLHUP);
        if (events != 0) ready.push_back({fd, events, real != found.end()});
    }
}

void FlightWorld::deliverAll() {
    for (const auto& connection : machine_.connections()) {
        for (const Side side : {Side::client, Side::server}) {
            while (connection->canDeliver(side)) connection->deliver(side, machine_.random());
        }
    }
}

void FlightWorld::readAll() {
    std::vector<nio::Byte> into(256 * 1024);
    for (const Peer& peer : peers_) {
        if (peer.connection == nullptr) continue;
        while (peer.connection->receive(Side::client, into).isDone()) {
        }
    }
}

// --- what it did ----------------------------------------------------------------------------

// Of a dispatcher that does not select the last turn is under way: it makes one more.
Flight FlightWorld::fared() {
    ready_.clear();
    thread().turn(std::chrono::nanoseconds::zero());
    std::FILE* file = std::tmpfile();
    nio::FlightDump::writeTo(::fileno(file), "replay");
    std::rewind(file);
    std::stringstream text;
    for (int letter = std::fgetc(file); letter != EOF; letter = std::fgetc(file)) {
        text << static_cast<char>(letter);
    }
    std::fclose(file);
    Flight flight = readFlights(text, flight_.handler).at(0);
    if (flight.isCut) flight.turns.pop_back();
    std::erase_if(flight.turns,
                  [this](const FlightTurn& turn) { return turn.number <= prepared_; });
    return flight;
}

}  // namespace simulation
