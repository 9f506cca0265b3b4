#include <nio/pipeline/Pipeline.h>

#include <algorithm>
#include <optional>

#include "PipelineCase.h"

#include <nio/codec/LengthFieldDecoder.h>
#include <nio/codec/RawDecoder.h>

namespace pipelinetest {
namespace {

class PipelineTest : public PipelineCase {};

const auto echo = [](auto& peer, std::string_view packet) { peer.send(packet); };

TEST_F(PipelineTest, ALambdaIsAnApplication) {
    add(nio::pipeline(nio::lines(), echo));
    link.peer.send("one\ntwo\n");
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(8), "one\ntwo\n");
}

TEST_F(PipelineTest, WithoutStagesTheApplicationGetsTheStream) {
    add(nio::pipeline([](auto& peer, nio::ByteView bytes) { peer.send(bytes); }));
    link.peer.send("any");
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(3), "any");
}

TEST_F(PipelineTest, AClassHearsOfEverythingInOrder) {
    add(nio::pipeline(nio::lines(), Recorder{&seen}));
    link.peer.send("one\n");
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, (Strings{"opened", "one", "peer finished", "closed"}));
}

TEST_F(PipelineTest, WithoutPeerFinishedItClosesAfterTheFlush) {
    add(nio::pipeline(nio::lines(), echo));
    link.peer.send("bye\n");
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(link.peer.receive(4), "bye\n");
}

// Counts what it sees; has no In and Out, so that it fits anywhere.
struct Witness {
    Strings* seen;
    std::string name;

    void opened(auto&) { seen->push_back(name + " opened"); }
    void read(auto& context, auto&& item) {
        seen->push_back(name + " reads");
        context.read(item);
    }
    void write(auto& context, auto&& item) {
        seen->push_back(name + " writes");
        context.write(item);
    }
    void closed(auto&) { seen->push_back(name + " closed"); }
};

TEST_F(PipelineTest, StagesAreToldFromTheSocketOnAndWriteBackwards) {
    add(nio::pipeline(Witness{&seen, "1"}, nio::raw(), Witness{&seen, "2"}, echo));
    link.peer.send("x");
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(1), "x");
    dispatcher.inTurn([] {});
    EXPECT_EQ(seen,
              (Strings{"1 opened", "2 opened", "1 reads", "2 reads", "2 writes", "1 writes"}));
}

TEST_F(PipelineTest, AStageGivesManyItemsBothWays) {
    add(nio::pipeline(nio::lines(), Twice(), echo));
    link.peer.send("a\n");
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(8), "a\na\na\na\n");
}

// Packets to numbers, and sums to packets.
struct Sum {
    int value;
};
struct Numbers {
    using In = nio::Packet;
    using Out = int;
    using OutboundIn = Sum;

    void read(auto& context, nio::ByteView packet) {
        if (packet.empty()) return context.write(nio::asBytes("nothing"));
        if (!nio::contains(nio::asBytes("0123456789"), packet[0])) {
            return context.fail(nio::Error(nio::Errc::malformedPacket, "number"));
        }
        context.read(std::stoi(std::string(nio::asText(packet))));
    }
    void write(auto& context, const Sum& sum) { context.write(std::to_string(sum.value)); }
};

TEST_F(PipelineTest, MessagesHaveTypesOfTheirOwnEachWay) {
    auto sum = [total = 0](auto& peer, int number) mutable { peer.send(Sum{total += number}); };
    add(nio::pipeline(nio::lines(), Numbers(), sum));
    link.peer.send("2\n40\n");
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(5), "2\n42\n");
}

TEST_F(PipelineTest, AStageAnswersByItself) {
    add(nio::pipeline(nio::lines(), Numbers(), [](auto&, int) {}));
    link.peer.send("\n1\n");
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(8), "nothing\n");
}

struct Sums : Recorder {
    void read(auto& peer, int number) { peer.send(Sum{number}); }
};

TEST_F(PipelineTest, AStageFailsTheConnectionAfterTheAnswersBefore) {
    add(nio::pipeline(nio::lines(), Numbers(), Sums{{&seen}}));
    link.peer.send("7\nx\n8\n");
    EXPECT_TRUE(dispatcher.turnUntil([&] { return seen.size() >= 2; }));
    EXPECT_EQ(link.peer.receive(2), "7\n");
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen.at(2), nio::Error(nio::Errc::malformedPacket, "number").message());
    EXPECT_EQ(seen.back(), "closed");
}

TEST_F(PipelineTest, EachConnectionHasCopiesOfItsOwn) {
    auto count = [n = 0](auto& peer, std::string_view) mutable { peer.send(std::to_string(++n)); };
    const auto factory = nio::pipeline(nio::lines(), count);
    support::Link other = support::makeLink(nio::SocketAddress::Family::ipv4);
    add(factory);
    dispatcher.add(factory(std::move(other.channel)), nio::Interest::read);
    link.peer.send("a\na\n");
    other.peer.send("a\n");
    dispatcher.turns(3);
    EXPECT_EQ(link.peer.receive(4), "1\n2\n");
    EXPECT_EQ(other.peer.receive(2), "1\n");
}

struct Throws {
    void read(auto& context, nio::ByteView packet) {
        if (nio::asText(packet) == "throw") throw std::runtime_error("stage");
        context.read(packet);
    }
};

TEST_F(PipelineTest, AnExceptionOfAStageClosesThisConnectionOnly) {
    const auto factory = nio::pipeline(nio::lines(), Throws(), Recorder{&seen});
    support::Link other = support::makeLink(nio::SocketAddress::Family::ipv4);
    add(factory);
    dispatcher.add(factory(std::move(other.channel)), nio::Interest::read);
    link.peer.send("throw\nnever\n");
    other.peer.send("fine\n");
    ASSERT_TRUE(dispatcher.turnUntil([&] { return dispatcher->connectionCount() == 1; }));
    ASSERT_TRUE(dispatcher.turnUntil([&] { return seen.size() == 5; }));
    EXPECT_EQ(std::count(seen.begin(), seen.end(), "never"), 0);
    EXPECT_EQ(std::count(seen.begin(), seen.end(), "fine"), 1);
    EXPECT_EQ(std::count(seen.begin(), seen.end(), "closed"), 1);
}

struct Closes {
    void read(auto& context, nio::ByteView packet) {
        context.read(packet);
        context.close();
        context.read(packet);
    }
};

TEST_F(PipelineTest, ClosingInsideAStageDropsTheRest) {
    add(nio::pipeline(nio::lines(), Closes(), Recorder{&seen}));
    link.peer.send("one\ntwo\n");
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, (Strings{"opened", "one", "closed"}));
}

struct Aborts {
    void read(auto& context, nio::ByteView packet) {
        context.connection().abort();
        context.read(packet);
        context.write(packet);
    }
};

TEST_F(PipelineTest, AbortInsideAStageIsSafe) {
    add(nio::pipeline(nio::lines(), Aborts(), Recorder{&seen}));
    link.peer.send("one\ntwo\n");
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, (Strings{"opened", nio::Error(nio::Errc::cancelled).message(), "closed"}));
}

struct Thrice : Recorder {
    void read(auto& peer, std::string_view packet) {
        for (int i = 0; i < 3; ++i) peer.send(packet);
    }
};

TEST_F(PipelineTest, WhatIsSentInOneCallbackLeavesInOneFlush) {
    add(nio::pipeline(nio::lines(), Thrice{{&seen}}));
    link.peer.send("x\n");
    dispatcher.turns(3);
    EXPECT_EQ(link.peer.receive(6), "x\nx\nx\n");
    EXPECT_EQ(seen, (Strings{"opened", "flushed"}));
}

TEST_F(PipelineTest, SendThroughKeepsTheOrder) {
    auto& peer = add(nio::pipeline(nio::raw(), Recorder{&seen}));
    dispatcher.inTurn([&] {
        peer.send("one ");
        peer.sendThrough("two ");
        peer.send("three");
    });
    EXPECT_EQ(link.peer.receive(13), "one two three");
    dispatcher.inTurn([&] {
        peer.sendThrough("now");
        EXPECT_EQ(peer.pendingBytes(), 0U);
    });
    EXPECT_EQ(link.peer.receive(3), "now");
}

TEST_F(PipelineTest, WhatTheFramingCannotSayEndsTheConnection) {
    auto& peer = add(nio::pipeline(nio::lines(), Recorder{&seen}));
    dispatcher.inTurn([&] {
        peer.send("fine");
        peer.send("two\nlines");
    });
    EXPECT_EQ(link.peer.receive(5), "fine\n");
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen.at(seen.size() - 2), nio::Error(nio::Errc::notEncodable).message());
}

TEST_F(PipelineTest, SendFromElsewhereIsRefusedBeforeAnyStage) {
    auto& peer = add(nio::pipeline(nio::lines(), Witness{&seen, "1"}, echo));
    seen.clear();
    EXPECT_THROW(peer.send("x"), nio::WrongThreadError);
    EXPECT_EQ(seen, Strings());
    EXPECT_EQ(peer.pendingBytes(), 0U);
}

TEST_F(PipelineTest, ADecoderOfYourOwnIsAStage) {
    class Backwards final : public nio::ProtocolDecoder {
      public:
        nio::Decoded decode(nio::ByteView unread) override {
            return nio::Decoded::complete(unread, unread.size());
        }
        nio::Result<void> encode(nio::ByteView packet, nio::ByteSink& sink) const override {
            for (std::size_t i = packet.size(); i > 0; --i) sink.append(packet.subspan(i - 1, 1));
            return {};
        }
        std::size_t maximumPacketBytes() const override { return 100; }
    };
    add(nio::pipeline(nio::Framed(Backwards()), echo));
    link.peer.send("abc");
    dispatcher.turns(2);
    EXPECT_EQ(link.peer.receive(3), "cba");
}

TEST_F(PipelineTest, ALimitOfNoPacketPerTurnIsRefused) {
    const auto factory = nio::pipeline(nio::lines(), echo);
    EXPECT_THROW((void)factory.with({.maxPacketsPerTurn = 0}), std::system_error);
}

// --- protocols

class Goodbye {
  public:
    std::optional<std::string> process(const std::string& line) {
        over_ = line == "bye";
        if (line.empty()) return std::nullopt;
        return line + "!";
    }
    bool shouldTerminate() const { return over_; }

  private:
    bool over_ = false;
};

TEST_F(PipelineTest, AProtocolAnswersUntilItsConversationIsOver) {
    add(nio::pipeline(nio::lines(), Goodbye()));
    link.peer.send("hi\n\nbye\nnever\n");
    link.peer.finish();
    ASSERT_TRUE(turnUntilEnded());
    EXPECT_EQ(link.peer.receive(9), "hi!\nbye!\n");
    EXPECT_TRUE(link.peer.receive(1).empty());
}

}  // namespace
}  // namespace pipelinetest
