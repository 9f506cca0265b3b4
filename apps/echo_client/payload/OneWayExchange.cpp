#include "echo_client/payload/OneWayExchange.h"

namespace load {

using nio::TimePoint;

OneWayExchange::OneWayExchange(const Dialogue* dialogue, const Pattern& pattern,
                               const SizeDistribution& sizes, Random random, std::size_t connection,
                               std::size_t start, Tally& tally)
    : dialogue_(dialogue),
      pattern_(pattern),
      sizes_(sizes),
      random_(random),
      connection_(connection),
      position_(start),
      tally_(tally) {}

nio::ByteView OneWayExchange::greet(TimePoint) {
    if (dialogue_ == nullptr || !dialogue_->firstMessage) return {};
    return fill(*dialogue_->firstMessage);
}

nio::ByteView OneWayExchange::ask(TimePoint planned, TimePoint sent) {
    const nio::ByteView message = next();
    sent_.push_back({planned, sent, message.size()});
    outstanding_ = sent_.size();
    return message;
}

void OneWayExchange::taken(TimePoint now) {
    for (const Sent& each : sent_) tally_.answered(each.planned, each.sent, now, each.bytes);
    sent_.clear();
    outstanding_ = 0;
}

void OneWayExchange::end(bool broken) {
    if (!broken) tally_.errors().timedOut += sent_.size();
    for (const Sent& each : sent_) tally_.unanswered(each.planned);
    sent_.clear();
    outstanding_ = 0;
}

nio::ByteView OneWayExchange::next() {
    if (dialogue_ != nullptr) {
        const Template& message = dialogue_->draw(random_).message;
        const nio::ByteView filled = fill(message);
        ++sequence_;
        return filled;
    }
    const std::size_t size = sizes_.draw(random_);
    const nio::ByteView message = pattern_.view(position_, size);
    position_ = pattern_.after(position_, size);
    return message;
}

nio::ByteView OneWayExchange::fill(const Template& message) {
    message_.clear();
    message.append(connection_, sequence_, Random(random_.next(), 0), message_);
    return message_;
}

}  // namespace load
