// Connections that are moved between dispatchers while traffic flows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "support/Engines.h"
#include "support/TestServer.h"

namespace {

using namespace std::chrono_literals;
using support::ServerSetup;
using support::TestClient;
using support::TestServer;

// Echoes; what it keeps of a connection is touched on that connection's dispatcher only, wherever
// that is: a data race shows in a sanitizer's run.
class MovingEcho final : public support::PacketListener {
  public:
    struct State {
        nio::SelectorThread* home = nullptr;
        bool away = false;
        std::map<int, int> posted;  // by producer: the last number
        bool inOrder = true;
        std::string where;
    };

    void channelOpened(support::PacketChannel& channel) override {
        std::lock_guard lock(mutex_);
        states_[&channel] = std::make_unique<State>();
        handles_.push_back(channel.dispatcher().handleOf(channel.channel()));
    }
    void packetArrived(support::PacketChannel& channel, nio::ByteView packet) override {
        here(channel);
        channel.send(packet);
    }
    void channelLeaving(support::PacketChannel& channel) override { here(channel).away = true; }
    void channelArrived(support::PacketChannel& channel) override {
        State& state = of(channel);
        EXPECT_TRUE(state.away);
        state.away = false;
        here(channel).where = channel.dispatcher().name();
        ++arrivals;
    }
    void socketDisconnected(support::PacketChannel& channel) override { here(channel); }
    void socketException(support::PacketChannel& channel, const nio::Error& error) override {
        here(channel);
        if (!resets) ADD_FAILURE() << error.message();
    }

    void posted(support::PacketChannel& channel, int producer, int number) {
        State& state = here(channel);
        if (state.posted[producer] + 1 != number) state.inOrder = false;
        state.posted[producer] = number;
    }
    State& of(support::PacketChannel& channel) {
        std::lock_guard lock(mutex_);
        return *states_[&channel];
    }
    std::vector<nio::ChannelHandle> handles() {
        std::lock_guard lock(mutex_);
        return handles_;
    }
    // Once everything has stopped.
    template <class F>
    void forEach(F&& look) {
        for (auto& [channel, state] : states_) look(*state);
    }

    std::atomic<int> arrivals{0};
    std::atomic<bool> resets{false};  // are to be expected

  private:
    State& here(support::PacketChannel& channel) {
        EXPECT_TRUE(channel.dispatcher().isCurrent());
        State& state = of(channel);
        EXPECT_FALSE(state.away) << "called between leaving and arrived";
        return state;
    }

    std::mutex mutex_;
    std::map<support::PacketChannel*, std::unique_ptr<State>> states_;
    std::vector<nio::ChannelHandle> handles_;
};

struct Case {
    nio::SelectorKind engine;
    std::size_t dispatchers;
};

class MovingTest : public testing::TestWithParam<Case> {
  protected:
    ServerSetup setup() {
        ServerSetup setup;
        setup.dispatchers = GetParam().dispatchers;
        setup.ownThreads = true;
        setup.thread.selector.kind = GetParam().engine;
        // Small, so that reads are split and pauses happen.
        setup.thread.selector.receiveBufferBytes = 1000;
        setup.stream.movable = true;
        setup.stream.outputHighMark = 8 * 1024;
        setup.stream.maxPacketsPerTurn = 8;
        return setup;
    }
    static std::string line(int number) {
        return std::to_string(number) + std::string(static_cast<std::size_t>(number % 97), 'x') +
               "\n";
    }
    // Each to another place than it was sent to before, so that each is an arrival.
    void moveOne(TestServer& server, const std::vector<nio::ChannelHandle>& handles) {
        const std::size_t which = random_() % handles.size();
        const std::size_t size = server.group().size();
        const nio::ChannelHandle handle = handles[which];
        if (places_.empty()) {
            for (const nio::ChannelHandle& each : handles) {
                for (std::size_t i = 0; i < size; ++i) {
                    if (each.dispatcher() == &server.dispatcher(i)) places_.push_back(i);
                }
            }
        }
        places_[which] = (places_[which] + 1 + random_() % (size - 1)) % size;
        const auto onError = [](const nio::Error& error) { ADD_FAILURE() << error.message(); };
        EXPECT_TRUE(handle.dispatcher()->moves().moveLater(
            handle, server.dispatcher(places_[which]), onError));
        ++asked_;
    }

    std::vector<std::size_t> places_;  // where each is, or will be
    int asked_ = 0;
    std::shared_ptr<MovingEcho> listener_ = std::make_shared<MovingEcho>();
    std::minstd_rand random_{1};
};

std::vector<Case> everyCase() {
    std::vector<Case> cases;
    for (const nio::SelectorKind engine : support::everyEngine()) {
        for (const std::size_t dispatchers : {2, 4}) cases.push_back({engine, dispatchers});
    }
    return cases;
}

INSTANTIATE_TEST_SUITE_P(Engines, MovingTest, testing::ValuesIn(everyCase()),
                         [](const auto& which) {
                             return std::string(nameOf(which.param.engine)) +
                                    std::to_string(which.param.dispatchers);
                         });

TEST_P(MovingTest, NoByteIsLostRepeatedOrReorderedWhileTrafficFlows) {
    constexpr int moves = 400;
    TestServer server(setup(), listener_);
    std::vector<TestClient*> clients;
    for (int i = 0; i < 4; ++i) clients.push_back(&server.connect());
    std::vector<std::string> sent(clients.size());
    ASSERT_TRUE(server.until([&] { return listener_->handles().size() == clients.size(); }));
    const auto handles = listener_->handles();
    int number = 0;
    const auto trafficFlows = [&] {
        for (std::size_t i = 0; i < clients.size(); ++i) {
            if (sent[i].size() - clients[i]->received().size() > 64 * 1024) continue;
            const std::string next = line(++number);
            sent[i] += next;
            clients[i]->send(next);
        }
        if (asked_ < moves && asked_ - listener_->arrivals < 8) moveOne(server, handles);
        return listener_->arrivals == moves;
    };
    ASSERT_TRUE(server.until(trafficFlows));
    for (TestClient* client : clients) client->finish();
    ASSERT_TRUE(server.until([&] {
        return std::all_of(clients.begin(), clients.end(),
                           [](TestClient* client) { return client->hasEnded(); });
    }));
    for (std::size_t i = 0; i < clients.size(); ++i) {
        EXPECT_EQ(clients[i]->end(), TestClient::End::finished);
        EXPECT_TRUE(clients[i]->hasReceived(sent[i])) << "of " << sent[i].size() << " bytes";
    }
    EXPECT_TRUE(server.failures().empty());
}

TEST_P(MovingTest, PostsOfManyThreadsArriveInTheirOrderEachOnce) {
    constexpr int posts = 3000;
    TestServer server(setup(), listener_);
    TestClient& client = server.connect();
    ASSERT_TRUE(server.until([&] { return listener_->handles().size() == 1; }));
    const auto handles = listener_->handles();
    std::vector<std::thread> producers;
    std::atomic<int> running{3};
    std::atomic<int> arrived{0};
    for (int producer = 1; producer <= 3; ++producer) {
        producers.emplace_back([&, producer] {
            for (int number = 1; number <= posts; ++number) {
                const auto post = [&, producer, number](nio::SelectorHandler& handler) {
                    nio::onDispatcher.assertCurrent();
                    listener_->posted(static_cast<support::PacketChannel&>(handler), producer,
                                      number);
                    ++arrived;
                };
                EXPECT_TRUE(handles[0].dispatcher()->invokeLater(handles[0], post));
                if (number % 50 == 0) std::this_thread::yield();
            }
            --running;
        });
    }
    ASSERT_TRUE(server.until([&] {
        if (asked_ - listener_->arrivals < 3) moveOne(server, handles);
        return running == 0;
    }));
    for (std::thread& producer : producers) producer.join();
    ASSERT_TRUE(
        server.until([&] { return arrived == 3 * posts && listener_->arrivals == asked_; }));
    EXPECT_GT(asked_, 0);
    client.finish();
    ASSERT_TRUE(server.until([&] { return client.hasEnded(); }));
    server.group().requestClose();
    server.group().join();
    listener_->forEach([&](MovingEcho::State& state) {
        EXPECT_TRUE(state.inOrder);
        EXPECT_THAT(state.posted, testing::ElementsAre(std::pair(1, posts), std::pair(2, posts),
                                                       std::pair(3, posts)));
    });
}

TEST_P(MovingTest, ConnectionsThatEndDuringMovesLeaveNothingBehind) {
    listener_->resets = true;
    TestServer server(setup(), listener_);
    const auto anyError = [](const nio::Error&) {};
    for (std::size_t round = 1; round <= 20; ++round) {
        std::vector<TestClient*> clients;
        for (int i = 0; i < 5; ++i) clients.push_back(&server.connect());
        ASSERT_TRUE(server.until([&] { return listener_->handles().size() == 5 * round; }));
        const auto handles = listener_->handles();
        for (std::size_t i = 0; i < 60; ++i) {
            const nio::ChannelHandle handle = handles[handles.size() - 1 - random_() % 5];
            nio::SelectorThread& target = server.dispatcher(random_() % server.group().size());
            EXPECT_TRUE(handle.dispatcher()->moves().moveLater(handle, target, anyError));
            TestClient& talker = *clients[random_() % 5];
            talker.send(line(100));
            talker.pump();
            if (i % 12 == 6) i % 24 == 6 ? clients[i / 12]->reset() : clients[i / 12]->close();
        }
        ASSERT_TRUE(server.until([&] { return server.group().connectionCount() == 0; }));
    }
    // Nobody is away any more: an unlimited drain ends at once.
    server.group().requestClose({.deadline = std::chrono::hours(1)});
    ASSERT_TRUE(server.untilStopped());
    EXPECT_TRUE(server.failures().empty());
}

TEST_P(MovingTest, ADrainDuringMovesEndsEveryConnectionInAnOrderlyWay) {
    TestServer server(setup(), listener_);
    std::vector<TestClient*> clients;
    for (int i = 0; i < 8; ++i) clients.push_back(&server.connect());
    ASSERT_TRUE(server.until([&] { return listener_->handles().size() == clients.size(); }));
    const auto handles = listener_->handles();
    std::string sent;
    for (int number = 0; number < 50; ++number) sent += line(number);
    for (TestClient* client : clients) client->send(sent);
    const auto anyError = [](const nio::Error&) {};
    for (int i = 0; i < 40; ++i) {
        const nio::ChannelHandle handle = handles[random_() % handles.size()];
        (void)handle.dispatcher()->moves().moveLater(
            handle, server.dispatcher(random_() % server.group().size()), anyError);
        if (i == 20) server.group().requestClose();
    }
    ASSERT_TRUE(server.until([&] {
        for (TestClient* client : clients) {
            if (client->hasEnded()) client->finish();
        }
        return server.hasStopped();
    }));
    EXPECT_EQ(server.group().drainReport().aborted, 0u);
    EXPECT_EQ(server.group().drainReport().drained, clients.size());
    for (TestClient* client : clients) {
        EXPECT_EQ(client->end(), TestClient::End::finished);
        EXPECT_EQ(client->received(), sent.substr(0, client->received().size()));
    }
    EXPECT_EQ(server.group().connectionCount(), 0u);
}

}  // namespace
