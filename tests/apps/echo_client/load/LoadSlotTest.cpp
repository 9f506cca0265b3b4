// Two connections of one dispatcher, whose server is the test: how they end where it takes nothing.
#include "echo_client/load/LoadSlot.h"

#include "apps/echo_client/agents/AgentTesting.h"

#include "echo_client/load/LocalWorker.h"

namespace {

using agenttest::Director;
using load::LocalWorker;

// More than the buffers of a connection hold.
constexpr std::size_t largeMessage = 16 * 1024 * 1024;

class LoadSlotTest : public testing::Test {
  protected:
    LoadSlotTest() {
        thread_.start();
        worker_.connect();
        (void)director.awaitOne(0, [](const Director::Heard& heard) { return heard.reports == 1; });
    }
    ~LoadSlotTest() override {
        thread_.requestClose(nio::DrainOptions::atOnce());
        thread_.join();
    }

    LocalWorker& worker() { return worker_; }
    support::Peer accept() { return support::Peer(listener_.acceptOne()); }

    Director director;

  private:
    // One message each: the users think until all is over.
    static load::LoadOptions options() {
        load::LoadOptions options;
        options.connections = 2;
        options.connectRate = 20;  // in order
        options.answerTimeout = std::chrono::milliseconds(100);
        options.think = std::chrono::seconds(1000);
        options.size = load::SizeDistribution(largeMessage);
        return options;
    }

    const nio::kerneltest::TemporaryFolder folder_;
    const nio::kerneltest::Listener listener_{nio::SocketAddress::Family::ipv4, folder_};
    const load::LoadPlan plan_{options(), listener_.address()};
    nio::SelectorThread thread_;
    LocalWorker worker_{thread_, plan_, director, 0, load::Share{}};
};

// The end of the second connection shows that the first one's message has timed out, too: its
// answer is not waited for any more, only that its bytes leave.
TEST_F(LoadSlotTest, EndsEvenIfTheServerHasNotTakenAll) {
    support::Peer silent = accept();
    support::Peer other = accept();
    worker().send(agenttest::scheduleIn({}, std::chrono::seconds(1000)));
    EXPECT_EQ(silent.receive(1).size(), 1u);
    EXPECT_EQ(other.receive(1).size(), 1u);
    worker().stop();
    EXPECT_EQ(other.receiveAll().size(), largeMessage - 1);
    other.close();
    worker().giveUp();
    const auto heard =
        director.awaitOne(0, [](const Director::Heard& each) { return each.timesFinished == 1; });
    EXPECT_EQ(heard.figures.errors.toString(), "2 timed out");
}

// More than a connection may hold is due, and no answer ever comes.
TEST(LoadSlot, SendsMoreOnceTheServerTakesWhatWaited) {
    const nio::kerneltest::TemporaryFolder folder;
    const nio::kerneltest::Listener listener{nio::SocketAddress::Family::ipv4, folder};
    load::LoadOptions options;
    options.connections = 1;
    options.rate = load::RateCurve::constant(1'000);
    options.pipeline = 1'000;
    options.answerTimeout = std::chrono::seconds(100'000);
    options.size = load::SizeDistribution(largeMessage);
    const load::LoadPlan plan(options, listener.address());
    Director director;
    nio::SelectorThread thread;
    LocalWorker worker(thread, plan, director, 0, load::Share{});
    thread.start();
    worker.connect();
    support::Peer server(listener.acceptOne());
    (void)director.awaitOne(0, [](const Director::Heard& heard) { return heard.made == 1; });
    worker.send(agenttest::scheduleIn({}, std::chrono::seconds(100'000)));
    EXPECT_EQ(server.receive(8 * largeMessage).size(), 8 * largeMessage);
    thread.requestClose(nio::DrainOptions::atOnce());
    thread.join();
}

}  // namespace
