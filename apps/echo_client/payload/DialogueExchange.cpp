#include "echo_client/payload/DialogueExchange.h"

#include <algorithm>
#include <utility>

#include "echo_client/payload/WrongAnswer.h"

namespace load {

using nio::TimePoint;

std::size_t Dialogue::largestMessage() const {
    std::size_t bytes = 0;
    for (const Turn& turn : turns) bytes = std::max(bytes, turn.message.largest());
    return bytes;
}

const Dialogue::Turn& Dialogue::draw(Random& random) const {
    if (turns.size() == 1) return turns.front();
    double all = 0;
    for (const Turn& turn : turns) all += turn.weight;
    double left = random.fraction() * all;
    for (const Turn& turn : turns) {
        if ((left -= turn.weight) < 0) return turn;
    }
    return turns.back();
}

DialogueExchange::DialogueExchange(const Dialogue& dialogue, std::size_t connection, Random random,
                                   Tally& tally)
    : dialogue_(dialogue), connection_(connection), random_(random), tally_(tally) {}

// No message of the load: neither its answer nor the lack of it is measured.
nio::ByteView DialogueExchange::greet(TimePoint now) {
    message_.clear();
    if (!dialogue_.firstMessage && !dialogue_.firstAnswer) return message_;
    const Random letters(random_.next(), 0);
    if (dialogue_.firstMessage) dialogue_.firstMessage->append(connection_, 0, letters, message_);
    if (!dialogue_.firstAnswer) return message_;
    Asked asked{now, now, 0, &*dialogue_.firstAnswer};
    asked.answer->append(connection_, 0, letters, asked.exact);
    asked_.push_back(std::move(asked));
    ++outstanding_;
    isGreeting_ = true;
    return message_;
}

nio::ByteView DialogueExchange::ask(TimePoint planned, TimePoint sent) {
    const Dialogue::Turn& turn = dialogue_.draw(random_);
    Asked asked{planned, sent, sequence_++, &turn.answer};
    const Random letters(random_.next(), 0);
    message_.clear();
    turn.message.append(connection_, asked.sequence, letters, message_);
    turn.answer.append(connection_, asked.sequence, letters, asked.exact);
    asked_.push_back(std::move(asked));
    ++outstanding_;
    return message_;
}

bool DialogueExchange::answer(nio::ByteView bytes, TimePoint now) {
    const bool continues = !arrived_.empty();
    if (continues) {
        arrived_.insert(arrived_.end(), bytes.begin(), bytes.end());
        bytes = arrived_;
    }
    while (!bytes.empty() && !useless_) {
        if (asked_.empty()) {
            wrong("an answer to no message", bytes);
            break;
        }
        const std::size_t taken = takeAnswer(bytes, now);
        if (taken == 0) break;
        bytes = bytes.subspan(taken);
    }
    keep(bytes, continues);
    return !useless_;
}

// What is kept grows by what arrives: a long answer in many pieces is not copied for each.
void DialogueExchange::keep(nio::ByteView rest, bool isKept) {
    if (!isKept || rest.empty()) {
        arrived_ = nio::copyOf(rest);
    } else {
        arrived_.erase(arrived_.begin(), arrived_.end() - static_cast<std::ptrdiff_t>(rest.size()));
    }
}

bool DialogueExchange::answerPacket(nio::ByteView packet, TimePoint now) {
    return answer(packet, now);
}

std::size_t DialogueExchange::takeAnswer(nio::ByteView bytes, TimePoint now) {
    const Asked& front = asked_.front();
    match_ = front.answer->match(bytes, front.exact, match_);
    if (match_.kind == Expectation::Match::Kind::partial) return 0;
    const Expectation::Match match = std::exchange(match_, {});
    if (match.kind == Expectation::Match::Kind::wrong) {
        const std::string difference = differenceOf(bytes, front.exact);
        const char* const tooLong =
            front.answer->isRegex()
                ? "the answer is longer than a regular expression may match: 1 MiB"
                : "the answer is too long";
        wrong(difference.empty() ? tooLong : difference, bytes);
        return 0;
    }
    if (overdue_ > 0 || tally_.isOverdue(front.sent, now)) ++tally_.errors().timedOut;
    if (!std::exchange(isGreeting_, false)) {
        tally_.answered(front.planned, front.sent, now, match.bytes);
    }
    overdue_ > 0 ? static_cast<void>(--overdue_) : static_cast<void>(--outstanding_);
    asked_.pop_front();
    return match.bytes;
}

void DialogueExchange::expire(TimePoint limit) {
    while (overdue_ < asked_.size() && asked_[overdue_].sent < limit) {
        ++overdue_;
        --outstanding_;
    }
}

// What has come and is not what a regular expression matches is shown: it does not know sooner.
void DialogueExchange::end(bool broken) {
    const bool isRegex = !asked_.empty() && asked_.front().answer->isRegex();
    if (!broken && !useless_ && !arrived_.empty() && isRegex) {
        wrong("the answer is not what --expect says", nio::Bytes(arrived_));
    }
    if (!useless_) tally_.errors().timedOut += overdue_ + (broken ? 0 : outstanding_);
    while (!asked_.empty()) dropFront();
    outstanding_ = overdue_ = 0;
}

void DialogueExchange::wrong(const std::string& what, nio::ByteView got) {
    useless_ = true;
    ++tally_.errors().corrupted;
    const bool isAsked = !asked_.empty();
    keepExample(tally_.errors(),
                {connection_, isAsked ? asked_.front().sequence : sequence_, what, got,
                 isAsked ? nio::ByteView(asked_.front().exact) : nio::ByteView()});
    if (isAsked) dropFront();
}

void DialogueExchange::dropFront() {
    if (!isGreeting_) tally_.unanswered(asked_.front().planned);
    overdue_ > 0 ? static_cast<void>(--overdue_) : static_cast<void>(--outstanding_);
    asked_.pop_front();
}

}  // namespace load
