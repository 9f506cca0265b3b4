#include "torture/Scenario.h"

#include <algorithm>

#include <nio/sys/uring/UringAbi.h>

namespace torture {

namespace {

using Ending = Client::Ending;
using std::chrono::milliseconds;

Scenario echo() {
    Scenario scenario{.name = "echo"};
    scenario.clients = {{.bytes = 900}, {.bytes = 3000, .beginsInRound = 2}};
    scenario.hearsSignals = true;
    return scenario;
}

Scenario halfClose() {
    Scenario scenario{.name = "half-close", .framing = apps::Framing::lines};
    scenario.clients = {{.bytes = 2000, .ending = Ending::halfCloses},
                        {.bytes = 100, .ending = Ending::halfCloses, .beginsInRound = 1}};
    return scenario;
}

Scenario slowReader(const char* name, apps::Framing framing) {
    Scenario scenario{.name = name, .framing = framing};
    scenario.limits.client = {1024, 256};
    scenario.limits.server = {256, 1024};
    scenario.stream.outputHighMark = 600;
    scenario.clients = {{.bytes = 6000, .ending = Ending::halfCloses, .readsAtOnce = 150},
                        {.bytes = 400}};
    return scenario;
}

// More than a chunk of output waits: it goes out in pieces.
Scenario muchOutput() {
    Scenario scenario{.name = "much-output"};
    scenario.limits.client = {8192, 2048};
    scenario.limits.server = {2048, 8192};
    scenario.clients = {{.bytes = 24'000,
                         .ending = Ending::halfCloses,
                         .writesAtOnce = 4096,
                         .readsFromRound = 90}};
    return scenario;
}

Scenario drain() {
    Scenario scenario{.name = "drain", .dispatchers = 2, .framing = apps::Framing::lines};
    scenario.limits.server = {256, 1024};
    scenario.drain.deadline = milliseconds(2000);
    scenario.clients = {{.bytes = 4000, .ending = Ending::stays, .readsAtOnce = 200},
                        {.bytes = 800, .ending = Ending::stays},
                        {.bytes = 50, .ending = Ending::stays, .beginsInRound = 5}};
    scenario.drainInRound = 6;
    return scenario;
}

Scenario connect() {
    Scenario scenario{.name = "connect", .framing = apps::Framing::lines};
    scenario.clients = {{.bytes = 300}};
    scenario.connectsWithBytes = 1500;
    return scenario;
}

Scenario move() {
    Scenario scenario{.name = "move", .dispatchers = 2};
    scenario.limits.server = {512, 512};
    scenario.stream.movable = true;
    scenario.stream.idleTimeout = milliseconds(3000);
    scenario.clients = {{.bytes = 3000, .readsAtOnce = 400, .writesAtOnce = 200},
                        {.bytes = 1500, .ending = Ending::halfCloses, .writesAtOnce = 100}};
    scenario.moves = true;
    return scenario;
}

Scenario invocations() {
    Scenario scenario{.name = "invocations", .dispatchers = 2};
    scenario.storms = 700;
    scenario.clients = {{.bytes = 1500, .writesAtOnce = 100}};
    return scenario;
}

Scenario exhaustion() {
    Scenario scenario{.name = "exhaustion", .framing = apps::Framing::lines};
    scenario.limits.descriptors = 7;
    scenario.acceptor.maxConnections = 100;
    scenario.mayTurnAway = 2;
    scenario.clients.assign(6, {.bytes = 200, .ending = Ending::halfCloses, .writesAtOnce = 50});
    return scenario;
}

Scenario crowd() {
    Scenario scenario{.name = "crowd", .dispatchers = 3};
    scenario.acceptor.maxConnections = 5;
    scenario.acceptor.maxAcceptsPerTurn = 3;
    scenario.clients.assign(8, {.bytes = 300});
    scenario.clients[1].ending = scenario.clients[5].ending = Ending::resets;
    scenario.clients[6].ending = Ending::halfCloses;
    return scenario;
}

Scenario idle() {
    Scenario scenario{.name = "idle", .framing = apps::Framing::lines};
    scenario.stream.idleTimeout = milliseconds(500);
    scenario.clients = {{.bytes = 100, .ending = Ending::stays},
                        {.bytes = 200, .ending = Ending::stays, .beginsInRound = 3}};
    return scenario;
}

Scenario crossing() {
    Scenario scenario{.name = "crossing", .dispatchers = 3, .framing = apps::Framing::lines};
    scenario.crosses = true;
    scenario.limits.server = {512, 512};
    scenario.stream.crossingHighMark = 300;
    scenario.stream.outputHighMark = 400;
    scenario.clients = {{.bytes = 1200, .ending = Ending::halfCloses, .readsAtOnce = 200},
                        {.bytes = 200, .beginsInRound = 2},
                        {.bytes = 200, .ending = Ending::resets}};
    return scenario;
}

Scenario crossingMoves() {
    Scenario scenario = crossing();
    scenario.name = "crossing-moves";
    scenario.stream.movable = true;
    scenario.moves = true;
    scenario.clients.push_back({.bytes = 80, .ending = Ending::stays});
    scenario.drainInRound = 12;
    return scenario;
}

Scenario questions() {
    Scenario scenario = invocations();
    scenario.name = "questions";
    scenario.storms = 60;
    scenario.asks = true;
    return scenario;
}

}  // namespace

// Each with either engine, where io_uring is simulated.
const std::vector<Scenario>& scenarios() {
    static const std::vector<Scenario> all = [] {
        std::vector<Scenario> made{
            echo(),     halfClose(),     slowReader("slow-reader", apps::Framing::raw),
            drain(),    connect(),       slowReader("slow-reader-of-packets", apps::Framing::lines),
            move(),     idle(),          invocations(),
            crowd(),    exhaustion(),    muchOutput(),
            crossing(), crossingMoves(), questions()};
        for (std::size_t i = 0, count = NIO_HAS_URING * made.size(); i < count; ++i) {
            Scenario onRing = made[i];
            onRing.name += "-uring";
            onRing.engine = nio::SelectorKind::uring;
            made.push_back(std::move(onRing));
        }
        return made;
    }();
    return all;
}

const Scenario* scenarioNamed(const char* name) {
    const auto found = std::find_if(scenarios().begin(), scenarios().end(),
                                    [&](const Scenario& each) { return each.name == name; });
    return found == scenarios().end() ? nullptr : &*found;
}

}  // namespace torture
