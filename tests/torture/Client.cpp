#include "torture/Client.h"

#include <algorithm>
#include <array>

namespace torture {

using simulation::Side;

nio::Bytes Client::stream(std::size_t bytes) {
    constexpr std::size_t lineBytes = 40;
    nio::Bytes stream;
    for (std::size_t i = 0; i < bytes; ++i) {
        const bool isLast = i + 1 == bytes || (i + 1) % lineBytes == 0;
        stream.push_back(static_cast<nio::Byte>(isLast ? '\n' : 'a' + i % 23));
    }
    return stream;
}

Client::Client(std::size_t number, const Script& script, const nio::SocketAddress& server,
               simulation::Machine& machine)
    : number_(number),
      script_(script),
      server_(server),
      machine_(machine),
      sent_(stream(script.bytes)) {}

void Client::step(std::size_t round) {
    if (done_ || round < script_.beginsInRound) return;
    if (connection_ == nullptr) return connect();
    write();
    if (!done_ && round >= script_.readsFromRound) read();
    if (!done_) finish();
}

void Client::connect() {
    simulation::Machine::Dialled dialled = machine_.dial(server_);
    if (dialled.refused) return end(false);
    connection_ = std::move(dialled.connection);
}

void Client::write() {
    const std::size_t size = std::min(script_.writesAtOnce, sent_.size() - written_);
    if (size == 0) return;
    const auto bytes = nio::ByteView(sent_).subspan(written_, size);
    const nio::IoResult result = connection_->send(Side::client, bytes);
    if (result.isFailed()) return cutOff();
    if (!result.isDone()) return;
    written_ += result.bytes;
    machine_.countProgress();
}

void Client::read() {
    std::array<nio::Byte, 4096> into;
    const auto room = std::span(into).first(std::min(into.size(), script_.readsAtOnce));
    const nio::IoResult result = connection_->receive(Side::client, room);
    if (result.status == nio::IoStatus::wouldBlock) return;
    machine_.countProgress();
    if (result.isFailed()) return cutOff();
    const bool waitedForEnd = finSent_ || script_.ending == Ending::stays;
    if (result.status == nio::IoStatus::closed) return end(waitedForEnd && back_ == sent_.size());
    const bool fits = result.bytes <= written_ - back_;
    if (!fits || !std::equal(into.begin(), into.begin() + result.bytes, sent_.begin() + back_)) {
        machine_.journal().fail(toString() + " got back what it has not sent");
    }
    back_ += result.bytes;
}

void Client::finish() {
    const bool allSent = written_ == sent_.size();
    switch (script_.ending) {
        case Ending::closes:
            if (back_ == sent_.size()) end(true);
            return;
        case Ending::halfCloses:
            if (!allSent || finSent_) return;
            finSent_ = connection_->shutdownWrite(Side::client);
            return machine_.countProgress();
        case Ending::resets:
            if (2 * written_ >= sent_.size()) end(true);
            return;
        case Ending::stays: return;
    }
}

void Client::cutOff() {
    cutOff_ = true;
    end(false);
}

void Client::end(bool served) {
    done_ = true;
    served_ = served;
    machine_.countProgress();
    if (connection_ == nullptr) return;
    connection_->close(Side::client, script_.ending == Ending::resets);
}

std::string Client::toString() const {
    return "client " + std::to_string(number_) + ": " + std::to_string(written_) + " of " +
           std::to_string(sent_.size()) + " sent, " + std::to_string(back_) + " back";
}

}  // namespace torture
