// An encoding stage that a test can speak by hand: a greeting of one byte each way, then frames of
// a length byte and as many bytes, each XORed with a key. A frame of length 0 is the end.
//
// A text that begins with "bad" when decoded is an error, which says '!' to the peer.
//
// Thread: one at a time.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include <nio/base/Bytes.h>
#include <nio/base/Error.h>
#include <nio/base/ThreadRole.h>
#include <nio/codec/ProtocolDecoder.h>

namespace support {

inline constexpr char toyGreeting = 'H';
inline constexpr char toyAlert = '!';

inline std::string toyXor(std::string_view text) {
    std::string turned(text);
    for (char& byte : turned) byte = static_cast<char>(byte ^ 0x55);
    return turned;
}

inline std::string toyFrames(std::string_view plain) {
    std::string frames;
    while (!plain.empty()) {
        const std::string_view piece = plain.substr(0, 255);
        frames += static_cast<char>(piece.size());
        frames += toyXor(piece);
        plain.remove_prefix(piece.size());
    }
    return frames;
}

inline std::string toyEnd() {
    return std::string(1, '\0');
}

// The test's side: what a stream of frames means.
struct ToyText {
    std::string text;
    std::size_t frames = 0;
    bool ended = false;
    std::string rest;  // of an incomplete frame, or behind the end
};

inline ToyText toyDecode(std::string_view stream) {
    ToyText found;
    while (!found.ended && !stream.empty()) {
        const auto length = static_cast<unsigned char>(stream.front());
        if (stream.size() < 1U + length) break;
        found.ended = length == 0;
        found.frames += length > 0;
        found.text += toyXor(stream.substr(1, length));
        stream.remove_prefix(1U + length);
    }
    found.rest = stream;
    return found;
}

class ToyStage {
  public:
    using In = nio::ByteStream;
    using Out = nio::ByteStream;

    explicit ToyStage(bool greets = false) : greets_(greets) {}

    void opened(auto& context) NIO_REQUIRES(nio::onDispatcher) {
        context.startEncoding();
        if (greets_) say(context, toyGreeting);
    }
    void read(auto& context, nio::ByteView arrived) NIO_REQUIRES(nio::onDispatcher) {
        if (failed_ || finished_) return;
        kept_ += nio::asText(arrived);
        if (!ready_ && !kept_.empty()) {
            if (kept_.front() != toyGreeting) return refuse(context, "toy greeting");
            kept_.erase(0, 1);
            ready_ = true;
            if (!greets_) say(context, toyGreeting);
        }
        const ToyText found = toyDecode(kept_);
        kept_ = found.rest;
        finished_ = found.ended;
        const std::size_t bad = found.text.find("bad");
        const std::string good = found.text.substr(0, bad);
        if (!good.empty()) context.read(nio::asBytes(good));
        if (bad != std::string::npos) return refuse(context, "toy frame");
        if (finished_) context.peerFinished();
    }
    void write(auto&, nio::ByteView plain) {
        if (!failed_) unsent_ += nio::asText(plain);
    }
    void flush(auto& context) NIO_REQUIRES(nio::onDispatcher) {
        if (!ready_ || unsent_.empty()) return;
        if (unsent_.find("unsayable") != std::string::npos) return refuse(context, "toy output");
        context.write(nio::asBytes(toyFrames(unsent_)));
        unsent_.clear();
    }
    void finish(auto& context) NIO_REQUIRES(nio::onDispatcher) {
        if (ready_ && !failed_) context.write(nio::asBytes(toyEnd()));
    }
    void peerFinished(auto& context) NIO_REQUIRES(nio::onDispatcher) {
        if (finished_ || failed_) return;
        const char* const where = ready_ ? "receive" : "handshake";
        fail(context, nio::Error(nio::Errc::truncated, where));
    }
    std::size_t pendingBytes() const { return unsent_.size(); }
    std::size_t memory() const { return kept_.size() + unsent_.size(); }
    bool needsInput() const { return !ready_ && !failed_; }

  private:
    void say(auto& context, char byte) NIO_REQUIRES(nio::onDispatcher) {
        context.write(nio::asBytes(std::string_view(&byte, 1)));
    }
    void refuse(auto& context, const char* why) NIO_REQUIRES(nio::onDispatcher) {
        say(context, toyAlert);
        fail(context, nio::Error(nio::Errc::encodingFailed, why));
    }
    // What can still be encoded leaves.
    void fail(auto& context, nio::Error error) NIO_REQUIRES(nio::onDispatcher) {
        const bool loses = !ready_ || error.context() == "toy output";
        failed_ = !error.is(nio::Errc::truncated) || !ready_;
        context.fail(std::move(error), loses ? std::exchange(unsent_, {}).size() : 0);
    }

    bool greets_;
    std::string kept_;
    std::string unsent_;
    bool ready_ = false;
    bool finished_ = false;
    bool failed_ = false;
};

}  // namespace support
