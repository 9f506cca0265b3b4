#include "echo_client/payload/PatternExchange.h"

#include <algorithm>
#include <cstring>

#include "echo_client/payload/WrongAnswer.h"

namespace load {

PatternExchange::PatternExchange(const Pattern& pattern, const SizeDistribution& sizes,
                                 Random random, std::size_t connection, std::size_t start,
                                 Tally& tally)
    : pattern_(pattern),
      sizes_(sizes),
      tally_(tally),
      connection_(connection),
      random_(random),
      askPosition_(start),
      answerPosition_(start) {}

nio::ByteView PatternExchange::ask(nio::TimePoint planned, nio::TimePoint sent) {
    const std::size_t size = sizes_.draw(random_);
    inFlight_.push({planned, sent, static_cast<std::uint32_t>(size)});
    outstanding_ = inFlight_.waiting();
    const nio::ByteView message = pattern_.view(askPosition_, size);
    askPosition_ = pattern_.after(askPosition_, size);
    return message;
}

bool PatternExchange::answer(nio::ByteView bytes, nio::TimePoint now) {
    while (!bytes.empty() && !useless_) {
        if (inFlight_.empty()) return wrong("more bytes were received than sent", bytes);
        const nio::ByteView missing = expected().subspan(answeredBytes_);
        const nio::ByteView got = bytes.first(std::min(bytes.size(), missing.size()));
        if (std::memcmp(missing.data(), got.data(), got.size()) != 0) return wrong({}, got);
        answeredBytes_ += got.size();
        bytes = bytes.subspan(got.size());
        if (got.size() == missing.size()) messageAnswered(now);
    }
    return !useless_;
}

bool PatternExchange::answerPacket(nio::ByteView packet, nio::TimePoint now) {
    if (inFlight_.empty() || packet.size() == inFlight_.front().bytes) return answer(packet, now);
    if (useless_) return false;
    return wrong("a packet of " + std::to_string(packet.size()) + " bytes instead of " +
                     std::to_string(inFlight_.front().bytes),
                 packet);
}

void PatternExchange::expire(nio::TimePoint limit) {
    inFlight_.expire(limit);
    outstanding_ = inFlight_.waiting();
}

void PatternExchange::end(bool broken) {
    const std::size_t all = inFlight_.overdue() + (broken ? 0 : inFlight_.waiting());
    if (!useless_) tally_.errors().timedOut += all;
    while (!inFlight_.empty()) dropFront();
    outstanding_ = 0;
}

void PatternExchange::messageAnswered(nio::TimePoint now) {
    const SentMessage& message = inFlight_.front();
    const bool overdue = inFlight_.frontIsOverdue() || tally_.isOverdue(message.sent, now);
    if (overdue) ++tally_.errors().timedOut;
    tally_.answered(message.planned, message.sent, now, message.bytes);
    answerPosition_ = pattern_.after(answerPosition_, message.bytes);
    answeredBytes_ = 0;
    inFlight_.popFront();
    outstanding_ = inFlight_.waiting();
}

void PatternExchange::dropFront() {
    tally_.unanswered(inFlight_.front().planned);
    inFlight_.popFront();
}

nio::ByteView PatternExchange::expected() const {
    if (inFlight_.empty()) return {};
    return pattern_.view(answerPosition_, inFlight_.front().bytes);
}

// Without `what`, the first byte that differs is told. The message's place is free again.
bool PatternExchange::wrong(const std::string& what, nio::ByteView got) {
    useless_ = true;
    ++tally_.errors().corrupted;
    nio::Bytes message = nio::copyOf(expected().first(answeredBytes_));
    message.insert(message.end(), got.begin(), got.end());
    keepExample(tally_.errors(),
                {connection_, inFlight_.first(),
                 what.empty() ? differenceOf(message, expected()) : what, message, expected()});
    if (!inFlight_.empty()) dropFront();
    outstanding_ = inFlight_.waiting();
    return false;
}

}  // namespace load
