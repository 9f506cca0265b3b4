// A connection of packets, driven by events that bytes choose: its peer sends, finishes, reads,
// goes away; its owner sends, pauses, resumes, half-closes, closes, aborts, from tasks and from
// callbacks; the dispatcher turns. What must hold after every event:
//  - the packets that came are the first ones of what the peer sent, none while reading is paused;
//  - what the peer got is the beginning of what was sent before the end of writing;
//  - channelOpened comes first and once, the end once and last; packetSent only with nothing
//    waiting; an exception that a callback throws is reported, and nothing else is;
// and in the end, when the peer reads on:
//  - a connection that nobody ended has delivered all packets and sent all bytes;
//  - one whose peer sent too long a line has ended with that reason once the peer finishes;
//  - one that ended in an orderly way has sent all bytes, and one that ended is gone.
//
// Input: how callbacks answer (used again and again), then events.

#include <sys/socket.h>

#include <stdexcept>

#include <nio/codec/LineDecoder.h>

#include "fuzz/FuzzTarget.h"
#include "support/ScriptedListener.h"
#include "support/TestDispatcher.h"

// Behind those, which mean ::testing within nio, where this makes another one.
#include "nio/codec/CodecTesting.h"

namespace {

using fuzz::require;
using support::Peer;

constexpr std::size_t longestLine = 250;
constexpr int mostSteps = 60;
// Three packets per turn, and at most 255 of each step.
constexpr int turnsUntilQuiet = mostSteps * 255 / 3 + 100;

nio::StreamOptions smallLimits() {
    nio::StreamOptions options;
    options.outputHighMark = 600;
    options.outputLimit = 6000;
    options.maxPacketsPerTurn = 3;
    return options;
}

// A run has little to read, and a large buffer costs more than all the rest.
nio::SelectorThreadOptions smallBuffers() {
    nio::SelectorThreadOptions options;
    options.selector.receiveBufferBytes = 4096;
    return options;
}

// Whose sending end takes little, so that output has to wait.
support::Link makeNarrowLink() {
    int ends[2] = {-1, -1};
    const int type = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
    require(::socketpair(AF_UNIX, type, 0, ends) == 0, "there is a socket pair");
    const int bytes = 1;  // as little as the system allows
    require(::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes) == 0, "it is small");
    return {nio::SocketChannel(nio::UniqueFd(ends[0])), Peer(nio::UniqueFd(ends[1]))};
}

class Scene {
  public:
    explicit Scene(std::string_view answers) : answers_(answers) {
        listener_->onOpened = [this](support::PacketChannel&) { called(); };
        listener_->onPacket = [this](support::PacketChannel& channel, std::string_view packet) {
            arrived(channel, packet);
        };
        listener_->onSent = [this](support::PacketChannel& channel) {
            called();
            require(channel.pendingBytes() == 0, "packetSent: nothing waits");
        };
        listener_->onFinished = [this](support::PacketChannel& channel) {
            called();
            close(channel);
        };
        listener_->onDisconnected = [this](support::PacketChannel&) { ended(); };
        listener_->onException = [this](support::PacketChannel&, const nio::Error&) { ended(); };
        auto made = support::makeChannel(std::move(link_.channel),
                                         std::make_unique<nio::LineDecoder>(longestLine), listener_,
                                         std::make_shared<nio::StreamOptions>(smallLimits()));
        channel_ = &dispatcher_.add(std::move(made), nio::Interest::read);
    }

    void step(fuzz::FuzzInput& input) {
        switch (input.upTo(13)) {
            case 0: return feed(input.take(input.byte()));
            case 1: return feed("a\n");
            case 2: return feed(std::string(input.byte(), '\n'));
            case 3: return dispatcher_.turns(1 + static_cast<int>(input.upTo(3)));
            case 4: return inTurn([&] { channel_->pauseReading(); });
            case 5: return inTurn([&] { channel_->resumeReading(); });
            case 6: return send(1 + input.upTo(31), input.byte());
            case 7: return inTurn([&] { shutdownWrite(*channel_); });
            case 8: return inTurn([&] { close(*channel_); });
            case 9: return inTurn([&] { abort(*channel_); });
            case 10: return finishPeer();
            case 11: return closePeer();
            case 12: return receive(input.byte() * 16);
            default: return sendBad();
        }
    }

    void check() {
        checkPackets();
        require(sent_.starts_with(received_), "the peer gets the beginning of what was sent");
        require(listener_->opened == 1, "opened once");
        require(listener_->ended() <= 1, "ended at most once");
        require(dispatcher_.failures.size() == thrown_, "exceptions are reported, nothing else");
        require(dispatcher_.misuses.empty(), "no misuse");
    }

    void finish() {
        answers_ = {};
        if (channel_ != nullptr && channel_->isReadingPaused()) {
            inTurn([&] { channel_->resumeReading(); });
        }
        for (int i = 0; i < turnsUntilQuiet && !isQuiet(); ++i) {
            dispatcher_.turn();
            receive(SIZE_MAX);
            checkPackets();
        }
        receive(SIZE_MAX);
        check();
        if (!wasEnded_ && !isPeerDeaf_) {
            require(isWhole_, "all packets have come");
            if (decoded_.error()) checkThatItFails();
        }
        const bool orderly = listener_->disconnected == 1 || !isGone_;
        if (orderly && !wasAborted_ && !isPeerDeaf_) {
            require(hasAllLeft(), "all bytes have left");
        }
        dispatcher_.turns(2);
        require(dispatcher_->connectionCount() == (isGone_ ? 0U : 1U), "who ended is gone");
    }

  private:
    // Those that have come since it was called last.
    void checkPackets() {
        decoded_.feed(std::string_view(fed_).substr(decodedBytes_));
        decodedBytes_ = fed_.size();
        const std::vector<std::string>& all = decoded_.packets();
        require(packets_.size() <= all.size() &&
                    std::equal(packets_.begin() + static_cast<std::ptrdiff_t>(checked_),
                               packets_.end(), all.begin() + static_cast<std::ptrdiff_t>(checked_)),
                "the packets are the first ones of what was sent");
        checked_ = packets_.size();
        isWhole_ = checked_ == all.size();
        if (decoded_.error() && !mustLeave_) mustLeave_ = sent_.size();
    }
    // What was sent after too long a line may go with the connection that it ends.
    bool hasAllLeft() const { return received_.size() >= mustLeave_.value_or(sent_.size()); }
    // It has said what it had to say, and waits for the peer's end.
    void checkThatItFails() {
        finishPeer();
        for (int i = 0; i < turnsUntilQuiet && !isGone_; ++i) {
            dispatcher_.turn();
            receive(SIZE_MAX);
        }
        require(listener_->failed == 1 && listener_->reason()->is(nio::Errc::packetTooLong),
                "too long a line ends the connection");
    }

    // --- what the peer does -----------------------------------------------------------------

    void feed(std::string_view bytes) {
        if (isPeerDeaf_ || hasPeerFinished_ || bytes.empty()) return;
        const nio::IoResult sent = nio::kernel::send(link_.peer.fd(), nio::asBytes(bytes));
        if (sent.isDone()) fed_ += bytes.substr(0, sent.bytes);
    }
    void finishPeer() {
        if (isPeerDeaf_ || hasPeerFinished_) return;
        hasPeerFinished_ = true;
        // Who has closed already cannot be told.
        (void)nio::kernel::shutdownWrite(link_.peer.fd()).ok();
    }
    void closePeer() {
        isPeerDeaf_ = true;
        link_.peer.close();
    }
    void receive(std::size_t most) {
        if (isPeerDeaf_) return;
        std::array<nio::Byte, 4096> block;
        while (most > 0) {
            const nio::IoResult got =
                nio::kernel::receive(link_.peer.fd(), {block.data(), std::min(most, block.size())});
            if (!got.isDone()) return;
            received_ += nio::asText({block.data(), got.bytes});
            most -= got.bytes;
        }
    }

    // --- what its owner does ----------------------------------------------------------------

    template <class F>
    void inTurn(F&& f) {
        if (channel_ == nullptr) return;
        dispatcher_.inTurn([&] {
            if (channel_ != nullptr) f();
        });
    }
    // As many lines as were accepted before the end of writing.
    void sendLines(support::PacketChannel& channel, std::size_t count, std::size_t bytes) {
        const std::string line(bytes, static_cast<char>('a' + count % 26));
        for (std::size_t i = 0; i < count && !isGone_; ++i) {
            const bool counts = !hasStoppedWriting_;
            channel.send(line);
            if (line.size() > longestLine) return refused();
            if (counts) sent_ += line + "\n";
        }
    }
    // What cannot be framed ends the connection, unless it could not send any more.
    void refused() {
        if (!hasStoppedWriting_) wasEnded_ = hasStoppedWriting_ = true;
    }
    void send(std::size_t count, std::size_t bytes) {
        inTurn([&] { sendLines(*channel_, count, bytes); });
    }
    void sendBad() {
        inTurn([&] {
            const std::size_t before = channel_->pendingBytes();
            channel_->send("a\nb");
            require(channel_->pendingBytes() == before, "nothing of it is queued");
            refused();
        });
    }
    void shutdownWrite(support::PacketChannel& channel) {
        hasStoppedWriting_ = true;
        channel.shutdownWrite();
    }
    void close(support::PacketChannel& channel) {
        wasEnded_ = hasStoppedWriting_ = true;
        channel.closeAfterFlush();
    }
    void abort(support::PacketChannel& channel) {
        wasEnded_ = wasAborted_ = hasStoppedWriting_ = true;
        channel.abort();
    }

    // --- callbacks --------------------------------------------------------------------------

    void called() {
        require(listener_->opened == 1, "opened comes first");
        require(!isGone_, "nothing after the end");
    }
    void ended() {
        called();
        isGone_ = wasEnded_ = true;
        channel_ = nullptr;
    }
    void arrived(support::PacketChannel& channel, std::string_view packet) {
        called();
        require(!channel.isReadingPaused(), "none while paused");
        packets_.emplace_back(packet);
        if (answers_.empty()) return;
        switch (static_cast<unsigned char>(answers_[packets_.size() % answers_.size()]) % 12) {
            case 0: return channel.pauseReading();
            case 1: return sendLines(channel, 1, packet.size());
            case 2: return sendLines(channel, 9, 200);
            case 3: return shutdownWrite(channel);
            case 4: return close(channel);
            case 5: return abort(channel);
            case 6: channel.pauseReading(); return channel.resumeReading();
            case 7:
                ++thrown_;
                wasEnded_ = wasAborted_ = hasStoppedWriting_ = true;
                throw std::runtime_error("thrown by the target");
            default: return;
        }
    }

    bool isQuiet() const { return isGone_ || (isWhole_ && hasAllLeft()); }

    std::string_view answers_;
    std::string fed_;
    nio::LineDecoder decoder_{longestLine};
    nio::codectest::Feeder decoded_{decoder_};
    std::size_t decodedBytes_ = 0;
    std::vector<std::string> packets_;
    std::size_t checked_ = 0;
    std::string sent_;
    std::string received_;
    std::optional<std::size_t> mustLeave_;  // of sent_, once a line is too long
    std::size_t thrown_ = 0;
    bool hasPeerFinished_ = false;
    bool isPeerDeaf_ = false;
    bool hasStoppedWriting_ = false;
    bool wasEnded_ = false;
    bool wasAborted_ = false;
    bool isGone_ = false;
    bool isWhole_ = false;
    support::PacketChannel* channel_ = nullptr;
    support::Link link_ = makeNarrowLink();
    const std::shared_ptr<support::ScriptedListener> listener_ =
        std::make_shared<support::ScriptedListener>();
    support::TestDispatcher dispatcher_{"fuzz", smallBuffers()};
};

void run(fuzz::FuzzInput input) {
    const std::string_view answers = input.take(input.upTo(7));
    Scene scene(answers);
    for (int steps = 0; steps < mostSteps && !input.isEmpty(); ++steps) {
        scene.step(input);
        scene.check();
    }
    scene.finish();
}

const fuzz::FuzzTarget target("packet_channel", run);

}  // namespace
