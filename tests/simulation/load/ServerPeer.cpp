#include "simulation/load/ServerPeer.h"

#include <algorithm>
#include <numeric>

namespace simulation {

namespace {

// No generator dials it.
const nio::SocketAddress& elsewhere() {
    static const nio::SocketAddress address = nio::SocketAddress::loopback4(1);
    return address;
}

bool resets(Treatment treatment) {
    return treatment == Treatment::resetAtOnce || treatment == Treatment::resetMidway;
}

bool endsMidway(Treatment treatment) {
    return treatment == Treatment::closeMidway || treatment == Treatment::resetMidway;
}

}  // namespace

ServerPeer::ServerPeer(const LoadScenario& scenario, Machine& machine)
    : scenario_(scenario),
      machine_(machine),
      began_(machine.now()),
      random_(scenario.seed * 7'919),
      listener_(machine.listenOutside(LoadScenario::server(), 1000)) {}

void ServerPeer::step(bool eager) {
    follow(outageNow());
    accept();
    for (Link& link : links_) step(link, eager);
    std::erase_if(links_, [](const Link& link) { return link.isOver; });
    // There are thousands of them in a run.
    std::erase_if(machine_.connections(), [](const std::shared_ptr<Connection>& connection) {
        return !connection->isOpen(Side::client) && !connection->isOpen(Side::server);
    });
}

std::optional<nio::TimePoint> ServerPeer::wakesAt() const {
    nio::TimePoint next = nio::TimePoint::max();
    const auto consider = [&](nio::TimePoint when) {
        if (when > machine_.now()) next = std::min(next, when);
    };
    for (const Outage& outage : scenario_.outages) {
        consider(began_ + outage.from);
        consider(began_ + outage.to);
    }
    for (const Link& link : links_) {
        consider(link.actsAt);
        consider(link.endsAt);
    }
    return next == nio::TimePoint::max() ? std::nullopt : std::optional(next);
}

std::string ServerPeer::toString() const {
    return "server (" + std::to_string(accepted_) + " accepted, " + std::to_string(links_.size()) +
           " open)";
}

// --- who may come in ------------------------------------------------------------------------

const Outage* ServerPeer::outageNow() const {
    const auto time = machine_.now() - began_;
    const auto lasts = [time](const Outage& each) { return time >= each.from && time < each.to; };
    const auto found = std::find_if(scenario_.outages.begin(), scenario_.outages.end(), lasts);
    return found == scenario_.outages.end() ? nullptr : &*found;
}

void ServerPeer::follow(const Outage* outage) {
    if (outage == std::exchange(outage_, outage)) return;
    listener_.address =
        outage != nullptr && !outage->isSilent ? elsewhere() : LoadScenario::server();
    listener_.isSilent = outage != nullptr && outage->isSilent;
    machine_.countProgress();
}

void ServerPeer::accept() {
    while (!listener_.waiting.empty()) {
        links_.push_back(welcome(std::move(listener_.waiting.front())));
        listener_.waiting.pop_front();
        machine_.countProgress();
    }
}

ServerPeer::Link ServerPeer::welcome(std::shared_ptr<Connection> connection) {
    Link link{std::move(connection)};
    const bool isDropped = ++accepted_ <= scenario_.droppedFirst;
    link.treatment = isDropped ? Treatment::closeAtOnce : drawTreatment();
    if (link.connection->isUnanswered) link.treatment = Treatment::keepSilent;
    link.actsAt = soon();
    if (!endsMidway(link.treatment)) return link;
    link.budget = random_.anySize(1000);
    link.endsAt = machine_.now() + std::chrono::milliseconds(random_.between(1, 200));
    return link;
}

Treatment ServerPeer::drawTreatment() {
    const auto& weights = scenario_.weights;
    std::size_t place = random_.below(std::accumulate(weights.begin(), weights.end(), 0U));
    std::size_t drawn = 0;
    while (place >= weights[drawn]) place -= weights[drawn++];
    return static_cast<Treatment>(drawn);
}

nio::TimePoint ServerPeer::soon() {
    const auto latest = static_cast<std::size_t>(scenario_.latency.count());
    return machine_.now() + std::chrono::microseconds(random_.between(latest / 4, latest));
}

// --- what it does with them -----------------------------------------------------------------

void ServerPeer::step(Link& link, bool eager) {
    if (!link.connection->isOpen(Side::client) && link.treatment == Treatment::keepSilent) {
        return end(link);
    }
    if (machine_.now() < link.actsAt || link.isOver) return;
    switch (link.treatment) {
        case Treatment::closeAtOnce:
        case Treatment::resetAtOnce: return end(link);
        case Treatment::keepSilent: return;
        case Treatment::closeMidway:
        case Treatment::resetMidway:
            if (machine_.now() >= link.endsAt) return end(link);
            return echo(link, eager);
        case Treatment::echo: return echo(link, eager);
    }
}

void ServerPeer::echo(Link& link, bool eager) {
    constexpr std::size_t most = 64 * 1024;
    if (!link.out.empty()) {
        write(link, eager ? most : 1 + random_.anySize(300));
    } else if (link.clientFinished) {
        end(link);
    } else {
        read(link, most);
    }
}

void ServerPeer::read(Link& link, std::size_t most) {
    nio::Bytes into(most);
    const nio::IoResult got = link.connection->receive(Side::server, into);
    if (got.status == nio::IoStatus::wouldBlock) return;
    machine_.countProgress();
    if (got.isFailed()) return end(link);
    if (!got.isDone()) {
        link.clientFinished = true;
        return;
    }
    link.out.assign(into.begin(), into.begin() + static_cast<std::ptrdiff_t>(got.bytes));
    link.actsAt = soon();
}

void ServerPeer::write(Link& link, std::size_t most) {
    const std::size_t size = std::min({most, link.out.size(), link.budget});
    if (size == 0) return end(link);
    const nio::IoResult sent =
        link.connection->send(Side::server, nio::ByteView(link.out).first(size));
    if (sent.status == nio::IoStatus::wouldBlock) return;
    machine_.countProgress();
    if (!sent.isDone()) return end(link);
    link.budget -= sent.bytes;
    link.out.erase(link.out.begin(), link.out.begin() + static_cast<std::ptrdiff_t>(sent.bytes));
}

void ServerPeer::end(Link& link) {
    link.isOver = true;
    link.connection->close(Side::server, resets(link.treatment));
    machine_.countProgress();
}

}  // namespace simulation
