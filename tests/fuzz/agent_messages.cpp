// What a coordinator and an agent of echo-client say to each other, as it comes from the network:
// messages behind their lengths. What must hold:
//  - where the stream is cut changes nothing, before and after the right hello;
//  - before it nothing long is kept;
//  - a packet is a message, or an error of one line without control characters;
//  - a message that was read is written as what is read as the same message.
//
// Input: whether the hello has come, how many cuts, the sizes of the pieces, the stream; and once
// more all of that as one packet.

#include "echo_client/agents/AgentFraming.h"

#include "fuzz/FuzzTarget.h"
#include "nio/codec/CodecTesting.h"

namespace {

using fuzz::require;
using nio::codectest::Feeder;

void requireOneLine(const std::string& text) {
    for (const char c : text) {
        require(static_cast<unsigned char>(c) >= ' ' && c != 0x7F, "what is wrong is one line");
    }
}

template <class Message>
std::string writtenBy(const nio::Result<Message>& message) {
    return std::visit([](const auto& one) { return load::wire::write(one); }, message.value());
}

template <class Read>
void readTwice(std::string_view packet, Read read) {
    const nio::Bytes exact = nio::copyOf(nio::asBytes(packet));
    const auto message = read(nio::ByteView(exact));
    if (!message) return requireOneLine(message.error().context());
    const std::string text = writtenBy(message);
    const auto again = read(nio::asBytes(text));
    require(again.ok(), "what is written can be read: " + text);
    require(writtenBy(again) == text, "and is the same message: " + text);
}

void readBoth(std::string_view packet) {
    readTwice(packet, load::wire::readToAgent);
    readTwice(packet, load::wire::readFromAgent);
}

void feedInPieces(Feeder& feeder, std::string_view stream, std::string_view sizes, bool admitted) {
    for (std::size_t i = 0; !stream.empty(); ++i) {
        const std::size_t size =
            sizes.empty() ? 1 : 1 + static_cast<unsigned char>(sizes[i % sizes.size()]);
        feeder.feed(stream.substr(0, size));
        stream.remove_prefix(std::min(size, stream.size()));
        const bool isShort = feeder.tail().size() <= load::wire::largestHello + 4;
        if (!admitted && !feeder.error()) require(isShort, "a stranger cannot make it keep much");
    }
}

void run(fuzz::FuzzInput input) {
    readBoth(fuzz::FuzzInput(input).rest());
    const bool admitted = input.upTo(1) != 0;
    const std::string_view sizes = input.take(input.upTo(7));
    const std::string_view stream = input.rest();
    load::AgentFraming whole;
    load::AgentFraming chopped;
    if (admitted) whole.admit(), chopped.admit();
    Feeder atOnce(whole);
    atOnce.feed(stream);
    Feeder inPieces(chopped);
    feedInPieces(inPieces, stream, sizes, admitted);
    require(inPieces.packets() == atOnce.packets(), "the same packets come out");
    require(inPieces.error() == atOnce.error(), "it breaks in the same way");
    for (const std::string& packet : atOnce.packets()) readBoth(packet);
}

const fuzz::FuzzTarget target("agent_messages", run);

}  // namespace
