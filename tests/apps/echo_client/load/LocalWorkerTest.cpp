// Workers on one dispatcher, whose server is the test: the first has one connection, the second
// none.
#include "echo_client/load/LocalWorker.h"

#include "apps/echo_client/agents/AgentTesting.h"

namespace {

using agenttest::Director;
using load::LocalWorker;
using std::chrono::seconds;

constexpr std::size_t messageBytes = 64;

class LocalWorkerTest : public testing::Test {
  protected:
    LocalWorkerTest() {
        for (std::size_t i = 0; i < 2; ++i) {
            workers_.push_back(std::make_unique<LocalWorker>(thread_, plan_, director, i,
                                                             load::Share{i, workerCount}));
        }
        thread_.start();
        for (const auto& worker : workers_) worker->connect();
        (void)director.await(workerCount, [](const Director::Heard& heard) {
            return heard.timesConnected == 1 && heard.reports == 1;
        });
    }
    ~LocalWorkerTest() override {
        thread_.requestClose(nio::DrainOptions::atOnce());
        thread_.join();
    }

    LocalWorker& busy() { return *workers_[0]; }
    LocalWorker& idle() { return *workers_[1]; }
    Director::Heard awaitReport(std::size_t worker, std::size_t number) {
        return director.awaitOne(
            worker, [number](const Director::Heard& heard) { return heard.reports >= number; });
    }
    Director::Heard awaitEnd(std::size_t worker) {
        return director.awaitOne(
            worker, [](const Director::Heard& heard) { return heard.timesFinished == 1; });
    }
    support::Peer accept() { return support::Peer(listener_.acceptOne()); }

    Director director;

  private:
    static constexpr std::size_t workerCount = 2;

    static load::LoadOptions options() {
        load::LoadOptions options;
        options.connections = 1;
        options.answerTimeout = seconds(1000);
        options.size = load::SizeDistribution(messageBytes);
        return options;
    }

    const nio::kerneltest::TemporaryFolder folder_;
    const nio::kerneltest::Listener listener_{nio::SocketAddress::Family::ipv4, folder_};
    const load::LoadPlan plan_{options(), listener_.address()};
    std::vector<std::unique_ptr<LocalWorker>> workers_;
    nio::SelectorThread thread_;
};

TEST_F(LocalWorkerTest, MeasuresNoAnswerThatComesAfterItWasStopped) {
    support::Peer server = accept();
    busy().send(agenttest::scheduleIn({}, seconds(1000)));
    const std::string message = server.receive(messageBytes);
    busy().stop();
    busy().report();
    (void)awaitReport(0, 2);
    server.send(message);
    server.close();
    const load::LoadFigures figures = awaitEnd(0).figures;
    EXPECT_EQ(figures.answered, 1u);
    EXPECT_EQ(figures.inTime, 0u);
    EXPECT_EQ(figures.bytes, 0u);
    EXPECT_EQ(figures.answeredBytes, messageBytes);
    EXPECT_EQ(figures.latency.count(), 0u);
    EXPECT_EQ(figures.outside.count(), 1u);
}

TEST_F(LocalWorkerTest, SaysNothingMoreOnceItHasFinished) {
    idle().send(agenttest::scheduleIn({}, seconds(1000)));
    const std::size_t reports = awaitEnd(1).reports;
    idle().report();
    busy().report();
    (void)awaitReport(0, 2);
    EXPECT_EQ(awaitEnd(1).reports, reports);
}

// --- with its server on the same dispatcher, which stands still ------------------------------

class Echo final : public nio::StreamHandler {
  public:
    explicit Echo(nio::UniqueFd fd)
        : StreamHandler(nio::SocketChannel(std::move(fd)), std::make_shared<nio::StreamOptions>()) {
    }

  protected:
    void bytesArrived(nio::ByteView bytes) override NIO_REQUIRES(nio::onDispatcher) { send(bytes); }
};

// The server never lets an answer wait while the dispatcher runs: no machine is too busy for this.
TEST(Standstill, OfTwiceAShortTimeoutBlamesNoServer) {
    constexpr std::chrono::milliseconds timeout{40};
    const nio::kerneltest::TemporaryFolder folder;
    const nio::kerneltest::Listener listener(nio::SocketAddress::Family::unix_, folder);
    load::LoadOptions options;
    options.connections = 1;
    options.answerTimeout = timeout;
    const load::LoadPlan plan(options, listener.address());
    Director director;
    nio::SelectorThread thread;
    LocalWorker worker(thread, plan, director, 0, load::Share{});
    thread.start();
    worker.connect();
    (void)director.awaitOne(0, [](const Director::Heard& heard) { return heard.reports == 1; });
    (void)thread.invokeAndWait([&] {
        nio::onDispatcher.assertCurrent();
        EXPECT_TRUE(thread.registerChannelNow(std::make_unique<Echo>(listener.acceptOne()),
                                              nio::Interest::read));
    });
    worker.send(agenttest::scheduleIn({}, seconds(1000)));
    const nio::Clock::duration standstill = 2 * timeout;
    for (int i = 0; i < 3; ++i) {
        (void)thread.invokeAndWait([&] { (void)nio::kernel::waitPoll({}, standstill).orThrow(); });
        worker.report();
        const std::size_t reports = static_cast<std::size_t>(i) + 2;
        (void)director.awaitOne(0, [reports](const auto& each) { return each.reports >= reports; });
    }
    worker.stop();
    const auto heard =
        director.awaitOne(0, [](const Director::Heard& each) { return each.timesFinished == 1; });
    thread.requestClose(nio::DrainOptions::atOnce());
    thread.join();
    EXPECT_EQ(heard.figures.errors.toString(), "none");
    EXPECT_GE(heard.figures.stoodStill, standstill);
    EXPECT_GT(heard.figures.answered, 0u);
}

// --- without a connection, on a dispatcher that busy-polls ------------------------------------

TEST(LocalWorkerThatBusyPolls, CountsThatAsCpuTime) {
    nio::SelectorThreadOptions polling;
    polling.spin = std::chrono::milliseconds(10);
    nio::SelectorThread thread(polling);
    const load::LoadPlan plan(load::LoadOptions(), nio::SocketAddress::loopback4(1));
    Director director;
    constexpr std::size_t none = 1'000'000;
    LocalWorker worker(thread, plan, director, 0, load::Share{none, 1});
    thread.start();
    const auto cpuTime = [&thread] {
        nio::Clock::duration time{0};
        (void)thread.invokeAndWait([&time] { time = nio::kernel::threadCpuTime(); });
        return time;
    };
    worker.connect();
    (void)director.awaitOne(0, [](const Director::Heard& heard) { return heard.reports == 1; });
    const nio::Clock::duration before = cpuTime();
    for (int i = 0; i < 20; ++i) {
        (void)nio::kernel::waitPoll({}, std::chrono::milliseconds(1)).orThrow();
        (void)cpuTime();
    }
    const nio::Clock::duration used = cpuTime() - before;
    worker.report();
    const auto heard =
        director.awaitOne(0, [](const Director::Heard& each) { return each.reports == 2; });
    thread.requestClose(nio::DrainOptions::atOnce());
    thread.join();
    EXPECT_GE(heard.figures.busy, used);
}

}  // namespace
