// What must hold, of World.
#include "torture/World.h"

namespace torture {

void World::checkServed() {
    if (journal_.hasFailed() || refused_ || drains_) return;
    const std::size_t turnedAway = scenario_.mayTurnAway;
    const std::size_t most = turnedAway + (mayFail() ? 1 : 0);
    std::size_t unserved = dialler_ != nullptr && !dialler_->isServed() ? 1 : 0;
    for (const Client& client : clients_) unserved += client.isServed() ? 0 : 1;
    if (unserved > most) fail(std::to_string(unserved) + " were not served: " + whatHangs());
}

void World::checkEnd() {
    if (group_ == nullptr) return;
    for (const unsigned char runs : taskRuns_) {
        if (!refused_ && runs != 1) fail("a task ran " + std::to_string(runs) + " times");
    }
    if (refused_) return;
    checkDrained();
    if (listener_->openChannels() > 0) fail("a channel was never told its end");
    if (openHalves_ > 0) fail("a half of a connection was never told its end");
    for (std::size_t i = 0; i < group_->size(); ++i) {
        if ((*group_)[i].deadlines().size() > 0) fail("a deadline is left");
        if ((*group_)[i].connectionCount() > 0) fail("connections are still counted");
    }
}

// Who has an exact prefix and a FIN was drained, however little it is.
void World::checkDrained() {
    std::size_t cutOff = 0;
    for (const Client& client : clients_) {
        if (!client.isDone()) fail(client.toString() + ", and no end");
        cutOff += client.wasCutOff() ? 1 : 0;
    }
    const std::size_t most = scenario_.mayTurnAway + (mayFail() ? 1 : 0);
    if (cutOff > most) fail(std::to_string(cutOff) + " were cut off");
    const nio::DrainReport report = group_->drainReport();
    const bool lossless = report.aborted == 0 && report.bytesLost == 0 && report.cutOff == 0;
    if (!lossless && !mayFail()) fail("the drain: " + report.toString());
}

std::string World::whatHangs() const {
    std::string text = drains_ ? "the server drains" : "the server goes on";
    if (dialler_ != nullptr && !dialler_->isServed()) text += "; " + dialler_->toString();
    for (const Client& client : clients_) {
        if (!client.isServed()) text += "; " + client.toString();
    }
    return text;
}

}  // namespace torture
