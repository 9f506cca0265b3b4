#include "echo_client/Exchange.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace load {

namespace {

std::string hex(nio::Byte byte) {
    constexpr const char* digits = "0123456789abcdef";
    const auto value = static_cast<unsigned>(byte);
    return {'0', 'x', digits[value >> 4], digits[value & 15]};
}

}  // namespace

Exchange::Exchange(const Pattern& pattern, std::size_t connection, std::size_t messageBytes,
                   std::size_t depth)
    : pattern_(pattern),
      connection_(connection),
      messageBytes_(messageBytes),
      depth_(depth),
      askedAt_(new nio::TimePoint[depth]),
      askPosition_(pattern.startOf(connection)),
      answerPosition_(askPosition_) {}

nio::ByteView Exchange::ask(nio::TimePoint now) {
    assert(mayAsk());
    askedAt_[newest_] = now;
    if (++newest_ == depth_) newest_ = 0;
    ++outstanding_;
    const nio::ByteView message = pattern_.view(askPosition_, messageBytes_);
    askPosition_ = pattern_.after(askPosition_, messageBytes_);
    return message;
}

bool Exchange::answer(nio::ByteView bytes, nio::TimePoint now, LatencyHistogram& latency) {
    while (!bytes.empty()) {
        if (outstanding_ == 0) return wrong("more came back than was sent");
        const std::size_t count = std::min(bytes.size(), messageBytes_ - answeredBytes_);
        const nio::ByteView expected = pattern_.view(answerPosition_, count);
        if (std::memcmp(expected.data(), bytes.data(), count) != 0) {
            return wrongByte(expected, bytes);
        }
        answerPosition_ = pattern_.after(answerPosition_, count);
        answeredBytes_ += count;
        bytes = bytes.subspan(count);
        if (answeredBytes_ == messageBytes_) messageAnswered(now, latency);
    }
    return true;
}

bool Exchange::answerPacket(nio::ByteView packet, nio::TimePoint now, LatencyHistogram& latency) {
    if (packet.size() == messageBytes_) return answer(packet, now, latency);
    return wrong("a packet of " + std::to_string(packet.size()) + " bytes instead of " +
                 std::to_string(messageBytes_));
}

void Exchange::messageAnswered(nio::TimePoint now, LatencyHistogram& latency) {
    latency.record(now - askedAt_[oldest_]);
    if (++oldest_ == depth_) oldest_ = 0;
    --outstanding_;
    answeredBytes_ = 0;
    ++answeredMessages_;
}

bool Exchange::wrongByte(nio::ByteView expected, nio::ByteView got) {
    const auto differ = std::mismatch(expected.begin(), expected.end(), got.begin());
    const auto offset = static_cast<std::size_t>(differ.first - expected.begin());
    return wrong("byte " + std::to_string(answeredBytes_ + offset) + " is " + hex(*differ.second) +
                 " instead of " + hex(*differ.first));
}

bool Exchange::wrong(const std::string& what) {
    mistake_ = "connection " + std::to_string(connection_) + ", message " +
               std::to_string(answeredMessages_) + ": " + what;
    return false;
}

}  // namespace load
