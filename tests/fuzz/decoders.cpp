// Every decoder of lib/nio/codec, over any bytes. What must hold:
//  - where the stream is cut changes nothing: the same packets, the same error, the same tail;
//  - what is kept is never longer than the maximum and its framing;
//  - a packet that came out is either refused by encode(), and nothing is appended then, or what
//    encode() writes decodes to this one packet.
//
// Input: which decoder, how many cuts, the sizes of the pieces (used again and again), the stream.

#include <array>
#include <memory>

#include <nio/codec/DelimiterDecoder.h>
#include <nio/codec/FixedLengthDecoder.h>
#include <nio/codec/LengthFieldDecoder.h>
#include <nio/codec/LineDecoder.h>
#include <nio/codec/RawDecoder.h>
#include <nio/codec/StxEtxDecoder.h>

#include "fuzz/FuzzTarget.h"
#include "nio/codec/CodecTesting.h"

namespace {

using fuzz::require;
using nio::codectest::Feeder;
using nio::codectest::KeepingSink;

constexpr std::size_t maximum = 40;
constexpr std::size_t longestFraming = 8;

template <class Decoder>
std::unique_ptr<nio::ProtocolDecoder> makeWithMaximum() {
    return std::make_unique<Decoder>(maximum);
}

template <std::size_t fieldBytes, bool included>
std::unique_ptr<nio::ProtocolDecoder> makeLengthField() {
    return std::make_unique<nio::LengthFieldDecoder>(
        nio::LengthFieldOptions{fieldBytes, included, maximum});
}

std::unique_ptr<nio::ProtocolDecoder> makeRaw() {
    return std::make_unique<nio::RawDecoder>();
}

std::unique_ptr<nio::ProtocolDecoder> makeDelimiter() {
    return std::make_unique<nio::DelimiterDecoder>("aab", maximum);
}

std::unique_ptr<nio::ProtocolDecoder> makeFixed() {
    return std::make_unique<nio::FixedLengthDecoder>(3);
}

using Make = std::unique_ptr<nio::ProtocolDecoder> (*)();
constexpr std::array<Make, 15> makers{makeRaw,
                                      makeWithMaximum<nio::LineDecoder>,
                                      makeWithMaximum<nio::StxEtxDecoder>,
                                      makeLengthField<1, false>,
                                      makeLengthField<2, false>,
                                      makeLengthField<3, false>,
                                      makeLengthField<4, false>,
                                      makeLengthField<8, false>,
                                      makeLengthField<1, true>,
                                      makeLengthField<2, true>,
                                      makeLengthField<3, true>,
                                      makeLengthField<4, true>,
                                      makeLengthField<8, true>,
                                      makeDelimiter,
                                      makeFixed};

std::string joined(const std::vector<std::string>& packets) {
    std::string all;
    for (const std::string& packet : packets) all += packet;
    return all;
}

void feedInPieces(Feeder& feeder, std::string_view stream, std::string_view sizes, bool bounded) {
    for (std::size_t i = 0; !stream.empty(); ++i) {
        const std::size_t wanted =
            sizes.empty() ? 1 : static_cast<unsigned char>(sizes[i % sizes.size()]);
        // A round of nothing but empty pieces would never end.
        const std::size_t size =
            std::max<std::size_t>(i % 256 == 255, std::min(wanted, stream.size()));
        feeder.feed(stream.substr(0, size));
        stream.remove_prefix(size);
        if (bounded && !feeder.error()) {
            require(feeder.tail().size() <= maximum + longestFraming, "what is kept is bounded");
        }
    }
}

void encodeAgain(Make make, const std::string& packet) {
    const auto encoder = make();
    KeepingSink sink;
    if (!encoder->encode(nio::asBytes(packet), sink)) {
        require(sink.text().empty(), "what is refused appends nothing");
        return;
    }
    const auto decoder = make();
    Feeder again(*decoder);
    again.feed(sink.text());
    require(again.packets() == std::vector{packet} && again.tail().empty() && !again.error(),
            "what was encoded decodes to itself");
}

void run(fuzz::FuzzInput input) {
    const Make make = makers[input.upTo(makers.size() - 1)];
    const bool keepsPackets = make != makeRaw;
    const std::string_view sizes = input.take(input.upTo(15));
    const std::string_view stream = input.rest();

    const auto whole = make();
    Feeder atOnce(*whole);
    atOnce.feed(stream);
    const auto chopped = make();
    Feeder inPieces(*chopped);
    feedInPieces(inPieces, stream, sizes, keepsPackets);

    require(joined(inPieces.packets()) == joined(atOnce.packets()), "the same bytes come out");
    if (keepsPackets) require(inPieces.packets() == atOnce.packets(), "the same packets come out");
    require(inPieces.error() == atOnce.error(), "it breaks in the same way");
    if (!atOnce.error()) require(inPieces.tail() == atOnce.tail(), "the same is kept");
    for (const std::string& packet : atOnce.packets()) {
        require(packet.size() <= whole->maximumPacketBytes(), "no packet is over the maximum");
        encodeAgain(make, packet);
    }
}

const fuzz::FuzzTarget target("decoders", run);

}  // namespace
