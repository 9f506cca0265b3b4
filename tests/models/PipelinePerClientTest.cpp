// One pipeline on a dispatcher for all clients, and on a thread for each.
#include "bench/models/PipelinePerClient.h"

#include <gtest/gtest.h>

#include <functional>
#include <latch>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "support/TestSockets.h"

#include <nio/codec/LineDecoder.h>
#include <nio/pipeline/PipelineFactory.h>

namespace {

using Strings = std::vector<std::string>;
using Client = std::unique_ptr<nio::ReadWriteSelectorHandler>;

// Numbers the lines of its connection.
class Numbering {
  public:
    std::optional<std::string> process(std::string_view line) {
        isOver_ = line == "bye";
        return std::to_string(++lines_) + ' ' + std::string(line);
    }
    bool shouldTerminate() const { return isOver_; }

  private:
    int lines_ = 0;
    bool isOver_ = false;
};

// What each of three clients is answered.
Strings answersOf(const std::function<void(Client)>& serve) {
    const auto pipeline = nio::pipeline(nio::lines(), Numbering());
    std::vector<support::Peer> peers;
    for (int i = 0; i < 3; ++i) {
        support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
        serve(pipeline(std::move(link.channel)));
        peers.push_back(std::move(link.peer));
    }
    for (const std::string piece : {"a", "\nb\n", "c\nby", "e\nmore\n"}) {
        for (support::Peer& peer : peers) peer.send(piece);
    }
    Strings answers;
    for (support::Peer& peer : peers) answers.push_back(peer.receiveAll());
    return answers;
}

TEST(PipelinePerClient, AnswersAsOnOneDispatcher) {
    nio::SelectorThread dispatcher;
    dispatcher.start();
    const Strings together = answersOf([&](Client client) {
        dispatcher.registerChannelLater(std::move(client), nio::Interest::read).orThrow();
    });
    EXPECT_EQ(together, Strings(3, "1 a\n2 b\n3 c\n4 bye\n"));
    std::vector<std::jthread> threads;
    const Strings apart = answersOf(
        [&](Client client) { threads.emplace_back(models::serveOnThisThread, std::move(client)); });
    EXPECT_EQ(apart, together);
}

TEST(PipelinePerClient, AClientThatBlocksHoldsUpNoOther) {
    std::vector<std::jthread> threads;
    std::latch second(1);
    const auto pipeline = nio::pipeline(nio::lines(), [&](auto& peer, std::string_view line) {
        line == "first" ? second.wait() : second.count_down();
        peer.send(line);
    });
    std::vector<support::Peer> peers;
    for (const std::string line : {"first\n", "second\n"}) {
        support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
        threads.emplace_back(models::serveOnThisThread, pipeline(std::move(link.channel)));
        link.peer.send(line);
        peers.push_back(std::move(link.peer));
    }
    EXPECT_EQ(peers[1].receive(7), "second\n");
    EXPECT_EQ(peers[0].receive(6), "first\n");
    peers.clear();
}

}  // namespace
