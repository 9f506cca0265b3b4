// One connection that is made anew, whose server is the test: when it is, and when nobody tries.
#include "apps/echo_client/agents/AgentTesting.h"

#include "echo_client/load/LocalWorker.h"

namespace {

using agenttest::Director;
using load::LoadOptions;
using load::LocalWorker;
using std::chrono::milliseconds;

constexpr std::size_t shortMessage = 8;  // every byte is checked

LoadOptions oneOpenLoop() {
    LoadOptions options;
    options.connections = 1;
    options.rate = load::RateCurve::constant(1000);
    options.reconnects = true;
    options.size = load::SizeDistribution(shortMessage);
    return options;
}

class OneConnection {
  public:
    explicit OneConnection(const LoadOptions& options)
        : plan_(options, listener_->address()), worker_(thread_, plan_, director_, 0, {}) {
        thread_.start();
        worker_.connect();
        (void)director_.awaitOne(0,
                                 [](const Director::Heard& heard) { return heard.reports == 1; });
        worker_.send(agenttest::scheduleIn({}, std::chrono::seconds(1000)));
    }
    ~OneConnection() {
        thread_.requestClose(nio::DrainOptions::atOnce());
        thread_.join();
    }

    support::Peer accept() { return support::Peer(listener_->acceptOne()); }
    void serverGoes() { listener_.reset(); }
    void stop() { worker_.stop(); }
    load::LoadFigures awaitEnd() {
        const auto isOver = [](const Director::Heard& heard) { return heard.timesFinished == 1; };
        return director_.awaitOne(0, isOver).figures;
    }

  private:
    const nio::kerneltest::TemporaryFolder folder_;
    std::optional<nio::kerneltest::Listener> listener_{std::in_place,
                                                       nio::SocketAddress::Family::unix_, folder_};
    Director director_;
    const load::LoadPlan plan_;
    nio::SelectorThread thread_;
    LocalWorker worker_;
};

TEST(Reconnect, AfterAWrongAnswerIsNoOutage) {
    OneConnection load(oneOpenLoop());
    support::Peer wrong = load.accept();
    (void)wrong.receive(shortMessage);
    wrong.send("xxxxxxxx");
    support::Peer next = load.accept();
    (void)next.receive(shortMessage);
    load.stop();
    next.close();
    const load::LoadFigures figures = load.awaitEnd();
    EXPECT_EQ(figures.errors.corrupted, 1u);
    EXPECT_TRUE(figures.outages.all().empty());
}

// A single one that takes less than the pause shows that there is none.
TEST(Reconnect, IsAtOnceWhereEachConnectionHadAnAnswer) {
    OneConnection load(oneOpenLoop());
    auto shortest = nio::Clock::duration::max();
    support::Peer peer = load.accept();
    for (int i = 0; i < 20; ++i) {
        peer.send(peer.receive(shortMessage));
        peer.finish();
        const nio::TimePoint finished = nio::Clock::now();
        peer = load.accept();
        shortest = std::min(shortest, nio::Clock::now() - finished);
    }
    EXPECT_LT(shortest, LocalWorker::shortestRetryPause);
    load.stop();
    peer.close();
    EXPECT_GE(load.awaitEnd().answered, 20u);
}

TEST(Reconnect, PausesWhereOneAfterTheOtherIsLostInVain) {
    OneConnection load(oneOpenLoop());
    load.accept().close();
    load.accept().close();
    const nio::TimePoint lost = nio::Clock::now();
    for (int i = 0; i < 3; ++i) load.accept().close();
    EXPECT_GE(nio::Clock::now() - lost, 2 * LocalWorker::shortestRetryPause);
    load.stop();
    (void)load.awaitEnd();
}

TEST(Reconnect, IsGivenUpWhereMessagesHaveNoServer) {
    LoadOptions open = oneOpenLoop();
    open.answerTimeout = milliseconds(100);
    LoadOptions closed = open;
    closed.rate.reset();
    closed.reconnects = false;
    closed.lifetime.messages = 1;
    closed.connectTimeout = milliseconds(100);
    for (LoadOptions options : {open, closed}) {
        options.messages = 100;
        OneConnection load(options);
        support::Peer peer = load.accept();
        (void)peer.receive(shortMessage);
        load.serverGoes();
        peer.close();
        const load::LoadFigures figures = load.awaitEnd();
        EXPECT_LT(figures.sent, 100u);
    }
}

}  // namespace
