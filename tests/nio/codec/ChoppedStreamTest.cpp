// Where a stream is cut must not matter: the same body for every decoder.

#include "CodecTesting.h"

#include <algorithm>
#include <memory>
#include <ostream>
#include <random>

#include <nio/codec/DelimiterDecoder.h>
#include <nio/codec/LengthFieldDecoder.h>
#include <nio/codec/LineDecoder.h>
#include <nio/codec/RawDecoder.h>
#include <nio/codec/StxEtxDecoder.h>

namespace nio {
namespace {

using namespace nio::codectest;

constexpr std::size_t maximumPacketBytes = 40;
constexpr int rounds = 2000;

struct Framing {
    const char* name;
    DecoderFactory makeDecoder;
    bool keepsPackets = true;  // false: only the bytes and their order
};

std::ostream& operator<<(std::ostream& out, const Framing& framing) {
    return out << framing.name;
}

template <class Decoder>
std::unique_ptr<ProtocolDecoder> makeWithMaximum() {
    return std::make_unique<Decoder>(maximumPacketBytes);
}

template <std::size_t fieldBytes, bool included>
std::unique_ptr<ProtocolDecoder> makeLengthField() {
    return std::make_unique<LengthFieldDecoder>(
        LengthFieldOptions{fieldBytes, included, maximumPacketBytes});
}

std::unique_ptr<ProtocolDecoder> makeRaw() {
    return std::make_unique<RawDecoder>();
}

std::unique_ptr<ProtocolDecoder> makeDelimiter() {
    return std::make_unique<DelimiterDecoder>("\r\n\r", maximumPacketBytes);
}

class ChoppedStream : public ::testing::TestWithParam<Framing> {
  protected:
    std::unique_ptr<ProtocolDecoder> makeDecoder() const { return GetParam().makeDecoder(); }

    std::size_t upTo(std::size_t largest) {
        return std::uniform_int_distribution<std::size_t>(0, largest)(random_);
    }

    std::string randomBytes(std::size_t largestSize, std::string_view alphabet) {
        std::string text(upTo(largestSize), '\0');
        for (char& byte : text) {
            byte = alphabet.empty() ? static_cast<char>(upTo(255))
                                    : alphabet[upTo(alphabet.size() - 1)];
        }
        return text;
    }

    // Appends framed packets to `stream`; what the framing cannot express is left out.
    std::vector<std::string> encodeRandomPackets(KeepingSink& stream) {
        const auto decoder = makeDecoder();
        std::vector<std::string> packets;
        for (std::size_t count = 1 + upTo(12); packets.size() < count;) {
            std::string packet = randomBytes(maximumPacketBytes, {});
            if (decoder->encode(asBytes(packet), stream)) packets.push_back(std::move(packet));
        }
        return packets;
    }

    // Pieces of 0 bytes to all of it; many small ones more often than not.
    void feedInRandomPieces(Feeder& feeder, std::string_view stream) {
        const std::size_t largestPiece = 1 + upTo(upTo(1) == 0 ? 3 : stream.size());
        while (!stream.empty()) {
            const std::size_t size = std::min(upTo(largestPiece), stream.size());
            feeder.feed(stream.substr(0, size));
            stream.remove_prefix(size);
        }
    }

    static std::string joined(const std::vector<std::string>& packets) {
        std::string all;
        for (const std::string& packet : packets) all += packet;
        return all;
    }

    void expectSamePackets(const Feeder& feeder, const std::vector<std::string>& packets) const {
        ASSERT_EQ(joined(feeder.packets()), joined(packets));
        if (GetParam().keepsPackets) {
            ASSERT_EQ(feeder.packets(), packets);
        }
    }

    std::mt19937 random_{20'040'901};
};

TEST_P(ChoppedStream, GivesTheSamePacketsWhereverItIsCut) {
    for (int round = 0; round < rounds; ++round) {
        SCOPED_TRACE(round);
        KeepingSink stream;
        const std::vector<std::string> packets = encodeRandomPackets(stream);
        const auto decoder = makeDecoder();
        Feeder feeder(*decoder);
        feedInRandomPieces(feeder, stream.text());
        ASSERT_NO_FATAL_FAILURE(expectSamePackets(feeder, packets));
        ASSERT_EQ(feeder.error(), std::nullopt);
        ASSERT_EQ(feeder.tail(), "");
    }
}

TEST_P(ChoppedStream, GivesTheSamePacketsByteByByte) {
    for (int round = 0; round < rounds / 10; ++round) {
        SCOPED_TRACE(round);
        KeepingSink stream;
        const std::vector<std::string> packets = encodeRandomPackets(stream);
        const auto decoder = makeDecoder();
        Feeder feeder(*decoder);
        for (char byte : stream.text()) feeder.feed({&byte, 1});
        ASSERT_NO_FATAL_FAILURE(expectSamePackets(feeder, packets));
        ASSERT_EQ(feeder.tail(), "");
    }
}

// Few different bytes, so that delimiters, short lengths and overlong packets are all common.
TEST_P(ChoppedStream, BreaksInTheSamePlaceAndWayWhereverItIsCut) {
    using namespace std::string_view_literals;
    int broken = 0;
    for (int round = 0; round < rounds; ++round) {
        SCOPED_TRACE(round);
        const std::string_view alphabet = round % 2 == 0 ? "\0\x01\x02\x03\x04\x05\r\n"sv
                                                         : "\x02\x02\x03\0\0\0\0\0aaaaaaaa\r\n"sv;
        const std::string stream =
            (upTo(1) == 0 ? "\x02" : "") + randomBytes(4 * maximumPacketBytes, alphabet) +
            (upTo(1) == 0 ? std::string(maximumPacketBytes, '\x02') : std::string());

        const auto whole = makeDecoder();
        Feeder atOnce(*whole);
        atOnce.feed(stream);
        const auto chopped = makeDecoder();
        Feeder inPieces(*chopped);
        feedInRandomPieces(inPieces, stream);

        ASSERT_NO_FATAL_FAILURE(expectSamePackets(inPieces, atOnce.packets()));
        ASSERT_EQ(inPieces.error(), atOnce.error());
        if (atOnce.error()) {
            ++broken;
        } else {
            ASSERT_EQ(inPieces.tail(), atOnce.tail());
        }
    }
    if (GetParam().keepsPackets) {
        EXPECT_GT(broken, rounds / 20);
    }
}

// A peer that never ends its packet: what must be kept is the maximum and the framing.
TEST_P(ChoppedStream, NeverKeepsMoreThanTheMaximumAndItsFraming) {
    constexpr std::size_t longestFraming = 8;
    for (int round = 0; round < rounds; ++round) {
        SCOPED_TRACE(round);
        const auto decoder = makeDecoder();
        Feeder feeder(*decoder);
        const std::string stream =
            (upTo(1) == 0 ? "\x02" : "") + randomBytes(200, round % 2 == 0 ? "a" : "");
        for (char byte : stream) {
            feeder.feed({&byte, 1});
            if (feeder.error()) break;
            ASSERT_LE(feeder.tail().size(), maximumPacketBytes + longestFraming);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(EveryFraming, ChoppedStream,
                         ::testing::Values(Framing{"StxEtx", makeWithMaximum<StxEtxDecoder>},
                                           Framing{"Line", makeWithMaximum<LineDecoder>},
                                           Framing{"Length1", makeLengthField<1, false>},
                                           Framing{"Length2", makeLengthField<2, false>},
                                           Framing{"Length3", makeLengthField<3, false>},
                                           Framing{"Length4", makeLengthField<4, false>},
                                           Framing{"Length8", makeLengthField<8, false>},
                                           Framing{"Length1Included", makeLengthField<1, true>},
                                           Framing{"Length4Included", makeLengthField<4, true>},
                                           Framing{"Length8Included", makeLengthField<8, true>},
                                           Framing{"Delimiter", makeDelimiter},
                                           Framing{"Raw", makeRaw, false}),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace nio
