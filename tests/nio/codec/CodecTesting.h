// What the decoder tests share: a sink that keeps, and a connection's side of decode().
#pragma once

#include <gtest/gtest.h>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nio/base/Bytes.h>
#include <nio/codec/ProtocolDecoder.h>

namespace nio::codectest {

class KeepingSink final : public ByteSink {
  public:
    void append(ByteView bytes) override { text_.append(asText(bytes)); }
    const std::string& text() const { return text_; }

  private:
    std::string text_;
};

// Bytes as numbers, where letters would mislead.
inline std::string bytes(std::initializer_list<int> values) {
    std::string text;
    for (int value : values) text.push_back(static_cast<char>(value));
    return text;
}

// Shows a decoder what has arrived, as a connection does, and keeps the unconsumed tail. Every
// view it shows lies in a block of exactly its size, so that the sanitizer sees a look beyond it.
class Feeder {
  public:
    explicit Feeder(ProtocolDecoder& decoder) : decoder_(decoder) {}

    void feed(std::string_view arrived) {
        if (error_) return;
        tail_.append(arrived);
        while (decodeOnce()) {
        }
    }

    const std::vector<std::string>& packets() const { return packets_; }
    const std::string& tail() const { return tail_; }
    std::optional<Errc> error() const { return error_; }

  private:
    bool decodeOnce() {
        const Bytes exact = copyOf(asBytes(tail_));
        const Decoded decoded = decoder_.decode(exact);
        if (decoded.kind == Decoded::Kind::error) {
            error_ = decoded.error;
            return false;
        }
        if (decoded.kind == Decoded::Kind::packet) packets_.emplace_back(asText(decoded.packet));
        tail_.erase(0, decoded.consumed);
        return decoded.kind == Decoded::Kind::packet;
    }

    ProtocolDecoder& decoder_;
    std::string tail_;
    std::vector<std::string> packets_;
    std::optional<Errc> error_;
};

inline void expectPackets(ProtocolDecoder& decoder, std::string_view stream,
                          const std::vector<std::string>& packets) {
    Feeder feeder(decoder);
    feeder.feed(stream);
    EXPECT_EQ(feeder.packets(), packets);
    EXPECT_EQ(feeder.tail(), "");
    EXPECT_EQ(feeder.error(), std::nullopt);
}

inline void expectNeedsMore(ProtocolDecoder& decoder, std::string_view unread) {
    const Decoded decoded = decoder.decode(asBytes(unread));
    EXPECT_EQ(decoded.kind, Decoded::Kind::needMore);
    EXPECT_EQ(decoded.consumed, 0u);
}

inline void expectBroken(ProtocolDecoder& decoder, std::string_view unread, Errc error) {
    const Decoded decoded = decoder.decode(asBytes(unread));
    ASSERT_EQ(decoded.kind, Decoded::Kind::error);
    EXPECT_EQ(decoded.error, error);
    EXPECT_EQ(decoded.consumed, 0u);
}

inline void expectEncoded(const ProtocolDecoder& decoder, std::string_view packet,
                          std::string_view framed) {
    KeepingSink sink;
    ASSERT_TRUE(decoder.encode(asBytes(packet), sink).ok());
    EXPECT_EQ(sink.text(), framed);
}

// Refused, and what was in the sink before is all that is in it afterwards.
inline void expectRefused(const ProtocolDecoder& decoder, std::string_view packet, Errc error) {
    KeepingSink sink;
    sink.append(asBytes("before"));
    const Result<void> result = decoder.encode(asBytes(packet), sink);
    ASSERT_FALSE(result.ok());
    EXPECT_TRUE(result.error().is(error)) << result.error().message();
    EXPECT_EQ(sink.text(), "before");
}

inline void expectRoundTrip(ProtocolDecoder& decoder, std::string_view packet) {
    KeepingSink sink;
    ASSERT_TRUE(decoder.encode(asBytes(packet), sink).ok());
    expectPackets(decoder, sink.text(), {std::string(packet)});
}

}  // namespace nio::codectest
