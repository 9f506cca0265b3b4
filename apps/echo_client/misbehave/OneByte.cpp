#include "echo_client/misbehave/OneByte.h"

#include <algorithm>
#include <cstdio>

namespace load {

namespace {

std::string hex(nio::Byte byte) {
    char text[8];
    (void)std::snprintf(text, sizeof text, "0x%02x", std::to_integer<unsigned>(byte));
    return text;
}

}  // namespace

OneByte::OneByte(nio::SocketChannel channel, MisbehaviourWorker& worker, std::size_t number)
    : BadConnection(std::move(channel), worker, number),
      patience_(worker.thread().deadlines(), [this] {
          nio::onDispatcher.assertCurrent();
          late();
      }) {}

// Each connection begins elsewhere in the script, so that another one's answer is a wrong one.
void OneByte::begin() {
    message_ = number() % plan().script().messageCount();
    startAt(plan().script().beginOf(message_));
    expected_ = position();
    beginMessage();
}

void OneByte::beginMessage() {
    begin_ = position();
    end_ = begin_ + plan().script().sizeOf(message_);
    sendOne();
}

void OneByte::sendOne() {
    sendNext(1);
    patience_.wakeAfter(plan().options().answerTimeout);
}

void OneByte::taken() {
    if (position() < end_) sendOne();
}

void OneByte::heard(nio::ByteView bytes) {
    while (!bytes.empty()) {
        const auto asked = static_cast<std::size_t>(position() - expected_);
        if (asked == 0) return wrong("more bytes than were sent");
        const std::size_t most = std::min(asked, bytes.size());
        const nio::ByteView right = plan().script().at(expected_, most);
        if (!isRight(bytes.first(right.size()))) return;
        expected_ += right.size();
        bytes = bytes.subspan(right.size());
    }
    patience_.wakeAfter(plan().options().answerTimeout);
    if (expected_ == end_) answered();
}

bool OneByte::isRight(nio::ByteView bytes) {
    const nio::ByteView right = plan().script().at(expected_, bytes.size());
    const auto [found, wanted] = std::mismatch(bytes.begin(), bytes.end(), right.begin());
    if (found == bytes.end()) return true;
    const auto at = expected_ - begin_ + static_cast<std::uint64_t>(found - bytes.begin());
    wrong("byte " + std::to_string(at) + " is " + hex(*found) + " instead of " + hex(*wanted));
    return false;
}

void OneByte::answered() {
    ++figures().echoes;
    ++answers_;
    ++message_;
    patience_.cancel();
    leaving_ ? closeAfterFlush() : beginMessage();
}

void OneByte::wrong(const std::string& how) {
    ++figures().wrongAnswers;
    if (figures().wrongAnswerExample.empty()) {
        figures().wrongAnswerExample = "connection " + std::to_string(number()) + ", message " +
                                       std::to_string(answers_) + ": " + how;
    }
    fail("wrong answer");
}

void OneByte::late() {
    if (isFateKnown()) return;
    ++figures().unanswered;
    fail("timed out");
}

}  // namespace load
