// A ByteFilter that a test can speak by hand: a greeting of one byte each way, then frames of a
// length byte and as many bytes, each XORed with a key. A frame of length 0 is the end.
//
// A text that begins with "bad" when decoded is an error, which says '!' to the peer.
//
// Thread: one at a time.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include <nio/connection/ByteFilter.h>

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

class ToyFilter final : public nio::ByteFilter {
  public:
    explicit ToyFilter(bool greets = false) : greets_(greets) {}

    nio::Result<void> begin(nio::ByteSink& network) override {
        if (greets_) say(network, toyGreeting);
        return {};
    }

    nio::Result<void> decode(nio::ByteView arrived, nio::ByteSink& plain,
                             nio::ByteSink& network) override {
        kept_ += nio::asText(arrived);
        if (!ready_ && !kept_.empty()) {
            if (kept_.front() != toyGreeting) return refuse(network, "toy greeting");
            kept_.erase(0, 1);
            ready_ = true;
            if (!greets_) say(network, toyGreeting);
        }
        if (finished_) return {};
        const ToyText found = toyDecode(kept_);
        kept_ = found.rest;
        finished_ = found.ended;
        const std::size_t bad = found.text.find("bad");
        plain.append(nio::asBytes(std::string_view(found.text).substr(0, bad)));
        if (bad != std::string::npos) return refuse(network, "toy frame");
        return {};
    }

    bool isReady() const override { return ready_; }

    nio::Result<void> encode(nio::ByteView plain, nio::ByteSink& network) override {
        if (nio::asText(plain).find("unsayable") != std::string_view::npos) {
            return refuse(network, "toy output");
        }
        network.append(nio::asBytes(toyFrames(nio::asText(plain))));
        return {};
    }

    nio::Result<void> finish(nio::ByteSink& network) override {
        if (ready_) network.append(nio::asBytes(toyEnd()));
        return {};
    }

    bool hasPeerFinished() const override { return finished_; }
    std::size_t memory() const override { return kept_.size(); }

  private:
    static void say(nio::ByteSink& network, char byte) {
        network.append(nio::asBytes(std::string_view(&byte, 1)));
    }
    static nio::Result<void> refuse(nio::ByteSink& network, const char* why) {
        say(network, toyAlert);
        return nio::Error(nio::Errc::filterFailed, why);
    }

    const bool greets_;
    std::string kept_;
    bool ready_ = false;
    bool finished_ = false;
};

}  // namespace support
