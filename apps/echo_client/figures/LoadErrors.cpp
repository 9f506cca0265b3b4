#include "echo_client/figures/LoadErrors.h"

namespace load {

namespace {

using Reasons = std::map<std::string, std::size_t>;

void mergeReasons(Reasons& into, const Reasons& from) {
    for (const auto& [reason, count] : from) {
        const bool fits = into.size() < LoadErrors::mostReasons || into.contains(reason);
        into[fits ? reason : "other reasons"] += count;
    }
}

std::size_t sum(const Reasons& reasons) {
    std::size_t sum = 0;
    for (const auto& [reason, count] : reasons) sum += count;
    return sum;
}

void keepFirst(std::string& kept, const std::string& other) {
    if (kept.empty()) kept = other;
}

// What a peer can make a decoder say.
bool breaksTheFraming(const nio::Error& error) {
    return error.is(nio::Errc::malformedPacket) || error.is(nio::Errc::packetTooLong);
}

}  // namespace

void LoadErrors::connectFailed(const nio::Error& error) {
    ++connect[error.code().message()];
    keepFirst(connectExample, error.message());
}

void LoadErrors::ended(const nio::Error& error) {
    if (breaksTheFraming(error)) {
        ++corrupted;
        return keepFirst(wrongAnswerExample, error.message());
    }
    const bool isReset = error.is(std::errc::connection_reset) || error.is(std::errc::broken_pipe);
    // What an encoding of the stream, such as TLS, has to say is a sentence of its own.
    const bool isSaid = error.is(nio::Errc::encodingFailed) && !error.context().empty();
    isReset ? ++reset : ++other[isSaid ? error.context() : error.message()];
}

void LoadErrors::merge(const LoadErrors& from) {
    mergeReasons(connect, from.connect);
    reset += from.reset;
    closedEarly += from.closedEarly;
    timedOut += from.timedOut;
    mergeReasons(other, from.other);
    lost += from.lost;
    duplicated += from.duplicated;
    reordered += from.reordered;
    corrupted += from.corrupted;
    keepFirst(connectExample, from.connectExample);
    keepFirst(wrongAnswerExample, from.wrongAnswerExample);
    keepFirst(badFrame, from.badFrame);
}

std::size_t LoadErrors::connectsFailed() const {
    return sum(connect);
}

std::size_t LoadErrors::total() const {
    return connectsFailed() + reset + closedEarly + timedOut + wrongAnswers() + sum(other);
}

std::string LoadErrors::toString() const {
    std::string text;
    const auto add = [&text](std::size_t count, const std::string& what) {
        if (count == 0) return;
        text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what;
    };
    add(lost, "lost");
    add(duplicated, "duplicated");
    add(reordered, "reordered");
    add(corrupted, "corrupted");
    for (const auto& [reason, count] : connect) add(count, "connect: " + reason);
    add(reset, "reset");
    add(closedEarly, "closed early");
    add(timedOut, "timed out");
    for (const auto& [reason, count] : other) add(count, reason);
    return text.empty() ? "none" : text;
}

}  // namespace load
