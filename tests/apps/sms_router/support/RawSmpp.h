// The other end of an SMPP connection, in the hands of a test: octets go out and come in, and
// nothing is answered by itself.
//
//     RawSmpp peer(std::move(link.peer), dispatcher);
//     peer.send(octets("00000010 00000015 00000000 00000007"));
//     EXPECT_EQ(peer.next(), shown(octets("00000010 80000015 00000000 00000007")));
//
// Thread: that of the test, which makes the dispatcher's turns.
#pragma once

#include <string>
#include <utility>

#include "smpp/pdu/Octets.h"
#include "support/TestDispatcher.h"

namespace router {

using smpp::smpptest::written;

class RawSmpp {
  public:
    RawSmpp(support::Peer peer, support::TestDispatcher& dispatcher)
        : peer_(std::move(peer)), dispatcher_(dispatcher) {
        // What is sent in pieces arrives at once, whatever the kernel would rather wait for.
        nio::kernel::setNoDelay(peer_.fd(), true).orThrow();
    }

    void send(nio::ByteView octets) { peer_.send(nio::asText(octets)); }
    // Octets as Octets.h writes them, the command_length included.
    void send(std::string_view octets) { send(smpp::smpptest::octets(octets)); }
    // One after the other, each in a turn of its own.
    void sendChopped(std::string_view octets) {
        for (const nio::Byte octet : smpp::smpptest::octets(octets)) {
            send(nio::ByteView(&octet, 1));
            dispatcher_.turn();
        }
    }

    // The next PDU in hexadecimal digits; empty: the connection has ended before it.
    std::string next() {
        dispatcher_.turnUntil([&] { return pump() >= lengthOfNext() || hasEnded_; });
        if (received_.size() < lengthOfNext()) return {};
        const std::string pdu = received_.substr(0, lengthOfNext());
        received_.erase(0, pdu.size());
        return smpp::smpptest::shown(nio::asBytes(pdu));
    }
    // Whether nothing more has come when the dispatcher has made some turns.
    bool isSilent() {
        dispatcher_.turns(5);
        return pump() == 0 && !hasEnded_;
    }
    // Waits for the end of the stream. False: something else came first.
    bool untilEnd() {
        return dispatcher_.turnUntil([&] { return pump() > 0 || hasEnded_; }) && received_.empty();
    }
    void finish() { peer_.finish(); }
    void close() { peer_.close(); }
    void reset() {
        nio::kernel::setResetOnClose(peer_.fd()).orThrow();
        peer_.close();
    }

  private:
    std::size_t pump() {
        if (!hasEnded_) received_ += peer_.receiveWhatIsThere();
        hasEnded_ = peer_.last().status == nio::IoStatus::closed || peer_.last().isFailed();
        return received_.size();
    }
    // Four octets until the length is there.
    std::size_t lengthOfNext() const {
        if (received_.size() < 4) return 4;
        std::size_t length = 0;
        for (int i = 0; i < 4; ++i) length = length << 8 | static_cast<unsigned char>(received_[i]);
        return length;
    }

    support::Peer peer_;
    support::TestDispatcher& dispatcher_;
    std::string received_;
    bool hasEnded_ = false;
};

}  // namespace router
