// What a script does where buffers are tight, and what it does not compare there.
#include <array>

#include "simulation/differential/Script.h"

namespace simulation {

namespace kernel = nio::kernel;
using nio::IoResult;
using nio::IoStatus;

namespace {

constexpr std::chrono::milliseconds forAnAcknowledgement{300};
constexpr int mostRounds = 10'000;

nio::Byte byteAt(std::size_t sender, std::uint64_t offset) {
    return static_cast<nio::Byte>(offset * 7 + offset / 256 + sender);
}

}  // namespace

// Until it would block, would still do so once all that can arrive has arrived, and poll says so,
// too: a late acknowledgement may make room at any time.
void Script::fill(std::size_t index) {
    End& end = ends_[index];
    IoResult result = IoResult::wouldBlock();
    for (int blocked = 0, rounds = 0; blocked < 2 || hasRoom(index);) {
        if (++rounds > mostRounds) return note("fill " + std::to_string(index) + ": no end");
        nio::Bytes bytes(sizes_.between(1, 5000));
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = byteAt(index, end.sent + i);
        result = kernel::send(end.fd.get(), bytes);
        end.sent += result.bytes;
        if (!result.isDone() && result.status != IoStatus::wouldBlock) break;
        blocked = result.isDone() ? 0 : blocked + 1;
        if (!result.isDone()) settle();
    }
    note("fill", index, result);
    end.isCrowded = end.isCrowded || result.status == IoStatus::wouldBlock;
}

bool Script::hasRoom(std::size_t index) const {
    return (eventsOf(index, POLLOUT, std::chrono::milliseconds(0)) & POLLOUT) != 0;
}

// Until nothing comes any more.
void Script::drain(std::size_t index) {
    End& end = ends_[index];
    IoResult result = IoResult::wouldBlock();
    bool asSent = true;
    do {
        nio::Bytes into(sizes_.between(1, 5000));
        result = kernel::receive(end.fd.get(), into);
        if (!result.isDone()) continue;
        for (std::size_t i = 0; i < result.bytes; ++i) {
            asSent = asSent && into[i] == byteAt(*end.peer, end.received + i);
        }
        end.received += result.bytes;
    } while (result.isDone() || (result.status == IoStatus::wouldBlock && somethingComes(index)));
    note("drain", index, result);
    end.isBroken = end.isBroken || result.status == IoStatus::failed;
    if (!end.isBroken && isWhole(index)) note("all of it");
    if (!asSent) note("not as it was sent");
    if (!end.peer) return;
    ends_[*end.peer].isCrowded = false;
    if (ends_[*end.peer].fd) askForRoom(*end.peer);
}

void Script::askForRoom(std::size_t index) {
    settle();
    noteEvents("room", index, eventsOf(index, POLLOUT, forAnAcknowledgement));
}

bool Script::isWhole(std::size_t index) const {
    const End& end = ends_[index];
    return !end.peer || end.received == ends_[*end.peer].sent;
}

bool Script::somethingComes(std::size_t index) {
    if (isWhole(index)) return false;
    settle();
    return eventsOf(index, POLLIN, forAnAcknowledgement) != 0;
}

// Whether it has arrived depends on the buffers.
bool Script::isFinBehindTheCrowd(std::size_t index) const {
    const auto finishes = [](const End& end) { return end.isFinished && end.isCrowded; };
    const End& end = ends_[index];
    return finishes(end) || (end.peer && finishes(ends_[*end.peer]));
}

std::uint32_t Script::comparable(std::size_t index, std::uint32_t events) const {
    std::uint32_t ignored = 0;
    if (ends_[index].isCrowded) ignored |= EPOLLOUT;
    if (isFinBehindTheCrowd(index)) ignored |= EPOLLHUP;
    return events & ~ignored;
}

}  // namespace simulation
