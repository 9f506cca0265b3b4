// Where a stream is cut must not matter to any framing stage: byte by byte, and at every place.
#include <functional>

#include "PipelineCase.h"

#include <nio/codec/DelimiterDecoder.h>
#include <nio/codec/FixedLengthDecoder.h>
#include <nio/codec/LengthFieldDecoder.h>
#include <nio/codec/RawDecoder.h>
#include <nio/codec/StxEtxDecoder.h>

namespace pipelinetest {
namespace {

// Writes packets down and sends them back.
struct EchoRecorder {
    Strings* seen;

    void read(auto& peer, std::string_view packet) {
        seen->emplace_back(packet);
        peer.send(packet);
    }
};

using Make = std::function<std::unique_ptr<nio::StreamHandler>(nio::SocketChannel, Strings&)>;

template <class Stage>
Make echoing(Stage stage) {
    return [stage](nio::SocketChannel channel, Strings& seen) {
        return nio::pipeline(stage, EchoRecorder{&seen})(std::move(channel));
    };
}

struct Framing {
    const char* name;
    std::string stream;
    Make make;
};

using namespace std::string_literals;

const Framing framings[] = {
    {"lines", "one\ntwo\n\nfour\n", echoing(nio::lines())},
    {"stxEtx", "\2one\3\2\3\2three\3", echoing(nio::stxEtx())},
    {"lengthPrefixed", "\0\0\0\3one\0\0\0\0\0\0\0\2xy"s, echoing(nio::lengthPrefixed())},
    {"fixed", "onetwothr", echoing(nio::fixed(3))},
    {"delimited", "one<>two<<><>", echoing(nio::delimited("<>"))},
};

// The packets of a stream that arrives in these pieces. Its echo is the stream again.
Strings packetsOf(const Framing& framing, const Strings& pieces) {
    support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
    support::TestDispatcher dispatcher;
    Strings seen;
    dispatcher.add(framing.make(std::move(link.channel), seen), nio::Interest::read);
    for (const std::string& piece : pieces) {
        link.peer.send(piece);
        dispatcher.turns(2);
    }
    std::string echo;
    EXPECT_TRUE(dispatcher.turnUntil([&] {
        echo += link.peer.receiveWhatIsThere();
        return echo.size() >= framing.stream.size();
    }));
    EXPECT_EQ(echo, framing.stream);
    return seen;
}

TEST(ChoppedPipeline, EveryFramingGivesTheSamePacketsByteByByte) {
    for (const Framing& framing : framings) {
        SCOPED_TRACE(framing.name);
        const Strings whole = packetsOf(framing, {framing.stream});
        Strings bytes;
        for (const char byte : framing.stream) bytes.emplace_back(1, byte);
        EXPECT_EQ(packetsOf(framing, bytes), whole);
    }
}

TEST(ChoppedPipeline, EveryFramingGivesTheSamePacketsAtEveryCut) {
    for (const Framing& framing : framings) {
        SCOPED_TRACE(framing.name);
        const Strings whole = packetsOf(framing, {framing.stream});
        for (std::size_t cut = 1; cut < framing.stream.size(); ++cut) {
            SCOPED_TRACE(cut);
            EXPECT_EQ(
                packetsOf(framing, {framing.stream.substr(0, cut), framing.stream.substr(cut)}),
                whole);
        }
    }
}

}  // namespace
}  // namespace pipelinetest
