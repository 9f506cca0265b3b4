#include "echo_client/payload/StampedExchange.h"

#include <algorithm>

#include "echo_client/payload/WrongAnswer.h"

namespace load {

namespace {

constexpr std::size_t mostThrownAway = 1024 * 1024;
constexpr std::size_t stragglersToSpare = 4096;

}  // namespace

StampedExchange::StampedExchange(const MessageMaker& maker, const SizeDistribution& sizes,
                                 Random random, Tally& tally, nio::Bytes& scratch)
    : maker_(maker), sizes_(sizes), tally_(tally), scratch_(scratch), random_(random) {}

nio::ByteView StampedExchange::ask(nio::TimePoint planned, nio::TimePoint sent) {
    const std::size_t size = sizes_.draw(random_);
    const std::span<nio::Byte> message = std::span(scratch_).first(size);
    maker_.make(inFlight_.next(), message);
    inFlight_.push({planned, sent, static_cast<std::uint32_t>(size)});
    outstanding_ = inFlight_.waiting();
    return message;
}

bool StampedExchange::answer(nio::ByteView bytes, nio::TimePoint now) {
    tail_.feed(bytes, [this, now](nio::ByteView shown) { return take(shown, now); });
    return !useless_;
}

bool StampedExchange::answerPacket(nio::ByteView packet, nio::TimePoint now) {
    const auto stamp = readStamp(maker_.form(), packet);
    if (stamp && isStampOf(maker_.form(), *stamp, packet)) {
        arrived(*stamp, packet, now);
    } else {
        corruptedPacket(packet);
    }
    return true;
}

void StampedExchange::expire(nio::TimePoint limit) {
    inFlight_.expire(limit);
    outstanding_ = inFlight_.waiting();
    stragglers_.expire(limit, [this](const Straggler& straggler) { givenUp(straggler); });
}

void StampedExchange::end(bool broken) {
    stragglers_.keepNewest(0, [this](const Straggler& straggler) { givenUp(straggler); });
    const std::size_t all = inFlight_.overdue() + (broken ? 0 : inFlight_.waiting());
    if (!useless_) tally_.errors().timedOut += all;
    for (; !inFlight_.empty(); inFlight_.popFront()) tally_.unanswered(inFlight_.front().planned);
    outstanding_ = 0;
}

// --- a stream ---------------------------------------------------------------------------------

StreamTail::Progress StampedExchange::take(nio::ByteView bytes, nio::TimePoint now) {
    const std::size_t stampBytes = maker_.stampBytes();
    std::size_t used = 0;
    while (!useless_) {
        if (searching_) used += search(bytes.subspan(used));
        // A stamp may begin at each of the bytes that are left: as many again show them all.
        if (searching_) return {used, 2 * stampBytes - 2};
        const nio::ByteView rest = bytes.subspan(used);
        const auto stamp = readStamp(maker_.form(), rest);
        if (!stamp) return {used, stampBytes};
        const std::size_t length = lengthOf(*stamp, rest);
        if (length > rest.size()) return {used, length};
        used += length == 0 ? loseTrack(rest) : takeMessage(*stamp, rest.first(length), now);
    }
    return {bytes.size(), 0};
}

std::size_t StampedExchange::takeMessage(const Stamp& stamp, nio::ByteView message,
                                         nio::TimePoint now) {
    if (!isStampOf(maker_.form(), stamp, message)) return loseTrack(message);
    arrived(stamp, message, now);
    return message.size();
}

// The first byte is thrown away: no message begins there.
std::size_t StampedExchange::loseTrack(nio::ByteView bytes) {
    searching_ = true;
    thrownAway_ = 1;
    goneBy_ = inFlight_.empty() ? 0 : inFlight_.front().bytes;
    corrupted(bytes.first(std::min(bytes.size(), std::max(goneBy_, maker_.stampBytes()))));
    return 1;
}

std::size_t StampedExchange::search(nio::ByteView bytes) {
    std::size_t at = 0;
    for (; searching_ && at + maker_.stampBytes() <= bytes.size(); ++at) {
        const nio::ByteView rest = bytes.subspan(at);
        searching_ = lengthOf(*readStamp(maker_.form(), rest), rest) == 0;
        if (!searching_) break;
    }
    thrownAway_ += at;
    countGoneBy(searching_ ? thrownAway_ + bytes.size() - at : thrownAway_);
    useless_ = searching_ && thrownAway_ > mostThrownAway + sizes_.largest();
    return at;
}

// Since track was lost. A message has gone by when there were bytes enough for it and all before.
void StampedExchange::countGoneBy(std::size_t bytes) {
    while (!inFlight_.empty() && bytes >= goneBy_ + inFlight_.front().bytes) {
        goneBy_ += inFlight_.front().bytes;
        corrupted({}, "its stamp is damaged");
    }
    if (inFlight_.empty()) goneBy_ = std::max(goneBy_, bytes);
}

// Of the message that begins with `stamp`, the first of `bytes`; 0: there can be no such message.
std::size_t StampedExchange::lengthOf(const Stamp& stamp, nio::ByteView bytes) const {
    if (stamp.connection != maker_.connection()) return 0;
    const auto sequence = sentSequence(stamp.sequence, inFlight_.next());
    if (!sequence) return 0;
    if (const std::size_t length = knownLength(*sequence)) {
        return length == stamp.length ? length : 0;
    }
    // One that is forgotten, come again: believed only once it is seen to be whole and right.
    const std::size_t length = stamp.length;
    const bool canBe = length >= maker_.stampBytes() && length <= bytes.size();
    return canBe && isStampOf(maker_.form(), stamp, bytes.first(length)) ? length : 0;
}

std::size_t StampedExchange::knownLength(std::uint64_t sequence) const {
    if (sizes_.isFixed()) return sizes_.smallest();
    const std::size_t length = inFlight_.bytesOf(sequence);
    return length != 0 ? length : stragglers_.bytesOf(sequence);
}

// --- messages ---------------------------------------------------------------------------------

// Whole and right in itself.
void StampedExchange::arrived(const Stamp& stamp, nio::ByteView message, nio::TimePoint now) {
    if (stamp.connection != maker_.connection()) {
        return corrupted(message, "an answer of connection " + std::to_string(stamp.connection));
    }
    const auto sequence = sentSequence(stamp.sequence, inFlight_.next());
    if (!sequence) {
        return corrupted(message,
                         "an answer to message " + std::to_string(stamp.sequence) + ", not sent");
    }
    const std::size_t length = knownLength(*sequence);
    if ((length != 0 && length != message.size()) || !maker_.bodyFits(*sequence, message)) {
        return corrupted(message, "an answer of an earlier connection with this number");
    }
    if (*sequence < inFlight_.first()) return arrivedLate(*sequence, message, now);
    overtakeUntil(*sequence);
    arrivedInTurn(now);
}

void StampedExchange::arrivedInTurn(nio::TimePoint now) {
    const SentMessage& message = inFlight_.front();
    const bool overdue = inFlight_.frontIsOverdue() || tally_.isOverdue(message.sent, now);
    if (overdue) ++tally_.errors().timedOut;
    tally_.answered(message.planned, message.sent, now, message.bytes);
    inFlight_.popFront();
    outstanding_ = inFlight_.waiting();
}

void StampedExchange::arrivedLate(std::uint64_t sequence, nio::ByteView message,
                                  nio::TimePoint now) {
    const auto straggler = stragglers_.take(sequence);
    if (!straggler) {
        ++tally_.errors().duplicated;
        return keep(sequence, message, "answered more than once");
    }
    const SentMessage& sent = straggler->message;
    tally_.answered(sent.planned, sent.sent, now, sent.bytes);
    if (!straggler->overtaken) return;
    ++tally_.errors().reordered;
    keep(sequence, message, "answered after a later one");
}

void StampedExchange::overtakeUntil(std::uint64_t sequence) {
    while (inFlight_.first() < sequence) leaveTurn(true);
}

void StampedExchange::corruptedPacket(nio::ByteView packet) {
    if (inFlight_.empty() || inFlight_.front().bytes == packet.size()) return corrupted(packet);
    corrupted(packet, "a packet of " + std::to_string(packet.size()) + " bytes instead of " +
                          std::to_string(inFlight_.front().bytes));
}

// Without `what`, the first byte that differs from the expected message is told.
void StampedExchange::corrupted(nio::ByteView got, const std::string& what) {
    ++tally_.errors().corrupted;
    if (inFlight_.empty()) return keep(inFlight_.next(), got, "answered, but never sent");
    if (wantsExample(tally_.errors())) {
        nio::Bytes expected(inFlight_.front().bytes);
        maker_.make(inFlight_.first(), expected);
        keepExample(tally_.errors(),
                    {maker_.connection(), inFlight_.first(),
                     what.empty() ? differenceOf(got, expected) : what, got, expected});
    }
    leaveTurn(false);
}

// What a wrong answer has replaced has been counted as corrupted.
void StampedExchange::givenUp(const Straggler& straggler) {
    tally_.unanswered(straggler.message.planned);
    if (!straggler.overtaken) return;
    ++tally_.errors().lost;
    keep(straggler.sequence, {}, "never answered, but a later one was");
}

void StampedExchange::leaveTurn(bool overtaken) {
    stragglers_.add({inFlight_.first(), inFlight_.front(), overtaken});
    inFlight_.popFront();
    outstanding_ = inFlight_.waiting();
    const std::size_t most = inFlight_.capacity() + stragglersToSpare;
    if (stragglers_.size() <= most) return;
    // Half of them at once, or each further one would move them all.
    stragglers_.keepNewest(most / 2, [this](const Straggler& straggler) { givenUp(straggler); });
}

void StampedExchange::keep(std::uint64_t sequence, nio::ByteView got, const char* what) {
    if (!wantsExample(tally_.errors())) return;
    keepExample(tally_.errors(), {maker_.connection(), sequence, what, got, {}});
}

}  // namespace load
