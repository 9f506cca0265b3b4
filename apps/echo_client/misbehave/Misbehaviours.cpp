// The kinds of BadConnection, one for each Misbehaviour. Watchdog warnings print the names of their
// classes, which therefore are in no anonymous namespace.
#include <algorithm>
#include <cstdio>

#include "echo_client/misbehave/MisbehaviourWorker.h"

namespace load {

// Sends its script and reads nothing. It buffers one piece: the next follows when the kernel has
// taken it.
class SendsOnly : public BadConnection {
  public:
    using BadConnection::BadConnection;

  private:
    void begin() final NIO_REQUIRES(nio::onDispatcher) {
        pauseReading();
        sendNext(piece);
    }
    void taken() final NIO_REQUIRES(nio::onDispatcher) { sendNext(piece); }
    // Not a FIN: the server may have stopped reading.
    void leave() final NIO_REQUIRES(nio::onDispatcher) { abort(); }
};

// Its script is half a message: then it neither sends, reads nor closes until it is reset or the
// time is over.
class HalfMessage final : public SendsOnly {
  public:
    using SendsOnly::SendsOnly;
};

// Its script has no end: messages as fast as the server takes them.
class NeverRead final : public SendsOnly {
  public:
    using SendsOnly::SendsOnly;
};

// Resets its connection as soon as it is open. A Unix-domain socket, which knows no RST, is closed.
class RstStorm final : public BadConnection {
  public:
    using BadConnection::BadConnection;

  private:
    void begin() override NIO_REQUIRES(nio::onDispatcher) { leave(); }
    void leave() override NIO_REQUIRES(nio::onDispatcher) {
        met(Fate::meantSo);
        abort();
    }
};

// Sends a message that never ends, one byte now and then.
// Source: RSnake's slowloris, 2009, for any protocol.
class Slowloris final : public BadConnection {
  public:
    Slowloris(nio::SocketChannel channel, MisbehaviourWorker& worker, std::size_t number)
        : BadConnection(std::move(channel), worker, number),
          next_(worker.thread().deadlines(), [this] {
              nio::onDispatcher.assertCurrent();
              sendOne();
          }) {}

  private:
    void begin() override NIO_REQUIRES(nio::onDispatcher) {
        sendNext(1);
        next_.wakeAfter(plan().firstPauseOf(number()));
    }
    void leave() override NIO_REQUIRES(nio::onDispatcher) {
        next_.cancel();
        closeAfterFlush();
    }

    // Skips a byte while one is pending: both would leave in one segment.
    void sendOne() NIO_REQUIRES(nio::onDispatcher) {
        if (pendingBytes() == 0) sendNext(1);
        next_.wakeAfter(plan().options().every);
    }

    nio::Deadline next_;
};

// An honest echo client that sends each byte in its own segment: the next byte once the kernel has
// taken the last, the next message once all bytes of the answer were right. (The kernel still
// coalesces bytes that a slow server leaves pending, and io_uring may send the bytes of one turn in
// one segment.)
//
// A wrong byte, an extra byte, or options.answerTimeout without progress resets the connection.
// When the time is over, the message in flight is still sent and its answer awaited.
class OneByte final : public BadConnection {
  public:
    OneByte(nio::SocketChannel channel, MisbehaviourWorker& worker, std::size_t number);

  private:
    void begin() override NIO_REQUIRES(nio::onDispatcher);
    void taken() override NIO_REQUIRES(nio::onDispatcher);
    void heard(nio::ByteView bytes) override NIO_REQUIRES(nio::onDispatcher);
    void leave() override { leaving_ = true; }

    void beginMessage() NIO_REQUIRES(nio::onDispatcher);
    void sendOne() NIO_REQUIRES(nio::onDispatcher);
    bool isRight(nio::ByteView bytes) NIO_REQUIRES(nio::onDispatcher);
    void answered() NIO_REQUIRES(nio::onDispatcher);
    void wrong(const std::string& how) NIO_REQUIRES(nio::onDispatcher);
    void late() NIO_REQUIRES(nio::onDispatcher);

    nio::Deadline patience_;
    std::size_t message_ = 0;  // in the script
    std::size_t answers_ = 0;
    // In the script: the next byte to be answered, and where the message in flight begins and ends.
    std::uint64_t expected_ = 0;
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 0;
    bool leaving_ = false;
};

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

// Each connection begins elsewhere in the script, so that the answer to another one is wrong here.
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

std::unique_ptr<BadConnection> BadConnection::make(nio::SocketChannel channel,
                                                   MisbehaviourWorker& worker, std::size_t number) {
    switch (worker.plan().kind()) {
        case Misbehaviour::slowloris:
            return std::make_unique<Slowloris>(std::move(channel), worker, number);
        case Misbehaviour::neverRead:
            return std::make_unique<NeverRead>(std::move(channel), worker, number);
        case Misbehaviour::rstStorm:
            return std::make_unique<RstStorm>(std::move(channel), worker, number);
        case Misbehaviour::oneByte:
            return std::make_unique<OneByte>(std::move(channel), worker, number);
        case Misbehaviour::halfMessage: break;
    }
    return std::make_unique<HalfMessage>(std::move(channel), worker, number);
}

}  // namespace load
