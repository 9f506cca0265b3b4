// nio::on: what stands behind it runs on another dispatcher.
#include <memory>

#include "nio/pipeline/OnCase.h"

namespace pipelinetest {
namespace {

class OnTest : public OnCase {};

TEST_F(OnTest, RunsWhatStandsBehindItOnTheOther) {
    add(nio::pipeline(nio::lines(), nio::on(*other), [this](auto& peer, std::string_view line) {
        EXPECT_TRUE(other->isCurrent());
        EXPECT_EQ(&peer.dispatcher(), &*other);
        peer.send(line);
    }));
    link.peer.send("one\ntwo\n");
    EXPECT_EQ(receive(8), "one\ntwo\n");
    EXPECT_TRUE(other.failures.empty());
}

TEST_F(OnTest, StagesMayStandOnBothSides) {
    add(nio::pipeline(nio::lines(), Twice(), nio::on(*other), Twice(),
                      [](auto& peer, std::string_view line) { peer.send(line); }));
    link.peer.send("a\n");
    constexpr std::size_t times = 2 * 2 * 2 * 2;
    EXPECT_EQ(receive(2 * times).size(), 2 * times);
}

TEST_F(OnTest, FramingMayStandBehind) {
    add(nio::pipeline(nio::on(*other), nio::lines(),
                      [](auto& peer, std::string_view line) { peer.send(line); }));
    link.peer.send("on");
    turns();
    link.peer.send("e\ntw");
    turns();
    link.peer.send("o\n");
    EXPECT_EQ(receive(8), "one\ntwo\n");
}

TEST_F(OnTest, TellsAllInOrder) {
    add(nio::pipeline(nio::lines(), nio::on(*other), Recorder{&seen}));
    link.peer.send("one\ntwo\n");
    link.peer.finish();
    EXPECT_TRUE(turnUntilEnded());
    EXPECT_EQ(seen, (Strings{"opened", "one", "two", "peer finished", "closed"}));
}

TEST_F(OnTest, ABurstCrossesWithOnePost) {
    add(nio::pipeline(nio::lines(), nio::on(*other), Recorder{&seen}));
    turns();
    std::string burst;
    for (int i = 0; i < 100; ++i) burst += "line\n";
    link.peer.send(burst);
    EXPECT_TRUE(dispatcher.turnUntil([&] { return other->queue()->size() > 0; }));
    dispatcher.turns(2);
    EXPECT_EQ(other->queue()->size(), 1u);
    EXPECT_EQ(seen.size(), 1u);
    turns();
    EXPECT_EQ(seen.size(), 101u);
}

TEST_F(OnTest, AnswersOfOneCallbackCrossWithOnePost) {
    add(nio::pipeline(nio::lines(), nio::on(*other), [](auto& peer, std::string_view) {
        for (int i = 0; i < 100; ++i) peer.send("answer");
    }));
    turns();
    link.peer.send("x\n");
    EXPECT_TRUE(dispatcher.turnUntil([&] { return other->queue()->size() > 0; }));
    other.turns(2);
    EXPECT_EQ(dispatcher->queue()->size(), 1u);
    EXPECT_EQ(receive(700).size(), 700u);
}

// Gives what cannot be copied.
struct Boxed {
    using In = nio::Packet;
    using Out = std::unique_ptr<std::string>;
    using OutboundIn = std::string;
    void read(auto& context, nio::ByteView packet) {
        context.read(std::make_unique<std::string>(nio::asText(packet)));
    }
    void write(auto& context, const std::string& text) { context.write(text); }
};

TEST_F(OnTest, ItemsOfAnyTypeCross) {
    add(nio::pipeline(nio::lines(), Boxed(), nio::on(*other),
                      [](auto& peer, std::unique_ptr<std::string> item) { peer.send(*item); }));
    link.peer.send("one\n");
    EXPECT_EQ(receive(4), "one\n");
}

TEST_F(OnTest, SeveralMayStandInOnePipeline) {
    support::TestDispatcher third("third");
    add(nio::pipeline(nio::lines(), nio::on(*other), Twice(), nio::on(*third), Recorder{&seen}));
    link.peer.send("one\n");
    link.peer.finish();
    EXPECT_TRUE(turnUntil([&] {
        third.turn();
        return dispatcher->connectionCount() + third->connectionCount() == 0;
    }));
    EXPECT_EQ(seen, (Strings{"opened", "one", "one", "peer finished", "closed"}));
}

TEST_F(OnTest, ADispatcherMayBeItsOwnTarget) {
    add(nio::pipeline(nio::lines(), nio::on(*dispatcher),
                      [](auto& peer, std::string_view line) { peer.send(line); }));
    link.peer.send("one\ntwo\n");
    EXPECT_EQ(receive(8), "one\ntwo\n");
    link.peer.finish();
    EXPECT_TRUE(turnUntilEnded());
}

TEST_F(OnTest, TheGroupsRuleChoosesOncePerConnection) {
    nio::SelectorThreadGroupOptions options;
    options.threads = 2;
    nio::SelectorThreadGroup group(std::move(options));
    const auto factory = nio::pipeline(nio::lines(), nio::on(group), Recorder{&seen});
    support::Link second = support::makeLink(nio::SocketAddress::Family::ipv4);
    add(factory);
    dispatcher.add(factory(std::move(second.channel)), nio::Interest::read);
    EXPECT_EQ(group[0].connectionCount(), 1u);
    EXPECT_EQ(group[1].connectionCount(), 1u);
    dispatcher->requestClose(nio::DrainOptions::atOnce());
    dispatcher.turns(2);
}

TEST_F(OnTest, HasTheAddressOfTheSocket) {
    std::string address;
    auto& front =
        add(nio::pipeline(nio::lines(), nio::on(*other), [&](auto& peer, std::string_view) {
            address = peer.peerAddress().value().toString();
        }));
    link.peer.send("x\n");
    EXPECT_TRUE(turnUntil([&] { return !address.empty(); }));
    EXPECT_EQ(address, front.channel().peerAddress().value().toString());
}

struct HandleKeeper {
    nio::PacketHandle* handle;
    void opened(auto& peer) { *handle = peer.handle(); }
    void read(auto&, std::string_view) {}
};

TEST_F(OnTest, AHandleSendsThroughBothHalves) {
    nio::PacketHandle handle;
    add(nio::pipeline(nio::lines(), nio::on(*other), HandleKeeper{&handle}));
    turns();
    int written = 0;
    EXPECT_TRUE(handle
                    .send("news", *dispatcher,
                          [&](const std::optional<nio::Error>& error) { written += !error; })
                    .ok());
    EXPECT_EQ(receive(5), "news\n");
    EXPECT_TRUE(turnUntil([&] { return written == 1; }));
}

struct Answering : Recorder {
    void read(auto& peer, std::string_view packet) {
        seen->emplace_back(packet);
        peer.send(packet);
    }
};

TEST_F(OnTest, FlushedIsToldWhenTheKernelHasAll) {
    add(nio::pipeline(nio::lines(), nio::on(*other), Answering{{&seen}}));
    link.peer.send("one\n");
    EXPECT_TRUE(turnUntil([&] { return seen.size() == 3; }));
    EXPECT_EQ(seen, (Strings{"opened", "one", "flushed"}));
    EXPECT_EQ(link.peer.receive(4), "one\n");
}

}  // namespace
}  // namespace pipelinetest
