// A coordinator whose agent is the test: one with another clock, and ones that do wrong.
#include "echo_client/agents/AgentLink.h"

#include "AgentTesting.h"

namespace {

using namespace load::wire;
using namespace std::chrono_literals;
using agenttest::Director;
using agenttest::Talker;
using load::AgentLink;

// Listens; the coordinator's connection is what it talks to.
class FakeAgent {
  public:
    FakeAgent() : fd_(nio::kernel::openStreamSocket(nio::SocketAddress::Family::ipv4).orThrow()) {
        nio::kernel::bind(fd_.get(), nio::SocketAddress::loopback4(0)).orThrow();
        nio::kernel::listen(fd_.get(), 8).orThrow();
    }
    apps::Endpoint endpoint() const {
        const auto address = nio::kernel::localAddress(fd_.get()).orThrow();
        return {address.host(), address.port(), ""};
    }
    Talker accept() {
        EXPECT_TRUE(nio::kerneltest::waitFor(fd_.get(), POLLIN));
        return Talker(std::move(nio::kernel::accept(fd_.get()).fd));
    }

  private:
    nio::UniqueFd fd_;
};

class AgentLinkTest : public testing::Test {
  protected:
    ~AgentLinkTest() override {
        agent.close();
        if (!closed_) link->close().wait();
        nio::DrainOptions atOnce;
        atOnce.deadline = std::chrono::milliseconds::zero();
        thread_.requestClose(atOnce);
        thread_.join();
    }

    // Up to where the agent must be ready. Its clock is so much ahead.
    void prepare(nio::Clock::duration ahead = {}) {
        EXPECT_EQ(agent.hearOrder<Hello>().token, "secret");
        agent.say(Welcome{});
        for (std::size_t i = 0; i < load::ClockOffset::remembered; ++i) {
            agent.say(Pong{agent.hearOrder<Ping>().number, nio::Clock::now() + ahead});
        }
        EXPECT_EQ(agent.hearOrder<Prepare>().crews, 3u);
    }
    // With two workers.
    void open(nio::Clock::duration ahead = {}) {
        prepare(ahead);
        agent.say(Ready{{"a", "b"}, "poll"});
        EXPECT_EQ(opened.get().orThrow().ready.workers.size(), 2u);
        link->listen(director, 0);
    }
    std::future<void> close() {
        closed_ = true;
        return link->close();
    }
    std::string failure() { return opened.get().error().context(); }
    // That it is lost for: the first of the workers tells.
    std::string loss() {
        const auto over = [](const Director::Heard& heard) { return heard.timesFinished > 0; };
        const auto heard = director.await(2, over);
        EXPECT_EQ(heard[1].figures.errors.total(), 0u);
        EXPECT_EQ(heard[0].timesConnected + heard[1].timesConnected, 2u);
        return heard[0].figures.errors.toString();
    }
    std::string named(const std::string& what) {
        return "agent " + listening_.endpoint().toString() + ": " + what;
    }

    Director director;

  private:
    Talker start() {
        thread_.start();
        return listening_.accept();
    }

    FakeAgent listening_;
    nio::SelectorThread thread_;
    bool closed_ = false;

  protected:
    std::shared_ptr<AgentLink> link = std::make_shared<AgentLink>(
        thread_, AgentLink::Wish{listening_.endpoint(), "secret", {{"--size=1"}, 1, 3}}, nullptr);
    std::future<nio::Result<AgentLink::Opened>> opened = link->open();
    Talker agent = start();
};

TEST_F(AgentLinkTest, TellsAScheduleInTheAgentsTime) {
    open(100h);
    const nio::TimePoint begin = nio::Clock::now() + 1h;
    link->send(1, {begin, begin + 1s, begin + 2s});
    const Send send = agent.hearOrder<Send>();
    EXPECT_EQ(send.worker, 1u);
    EXPECT_LT(send.schedule.begin - begin, 100h + 1min);
    EXPECT_GT(send.schedule.begin - begin, 100h - 1min);
    EXPECT_EQ(send.schedule.from - send.schedule.begin, 1s);
    EXPECT_EQ(send.schedule.to - send.schedule.begin, 2s);
}

TEST_F(AgentLinkTest, AsksForOneReportAtATime) {
    open();
    link->order(Order::What::report, 0);
    link->order(Order::What::report, 0);
    link->order(Order::What::report, 1);
    link->order(Order::What::stop, 0);
    EXPECT_EQ(agent.hearOrder<Order>().worker, 0u);
    EXPECT_EQ(agent.hearOrder<Order>().worker, 1u);
    EXPECT_EQ(agent.hearOrder<Order>().what, Order::What::stop);
    agent.say(Reported{0, std::make_unique<load::LoadFigures>()});
    (void)director.awaitOne(0, [](const Director::Heard& heard) { return heard.reports == 1; });
    link->order(Order::What::report, 0);
    EXPECT_EQ(agent.hearOrder<Order>().what, Order::What::report);
}

TEST_F(AgentLinkTest, AsksNothingOfAWorkerThatHasFinished) {
    open();
    agent.say(Connected{1, 5});
    agent.say(Finished{1});
    (void)director.awaitOne(1,
                            [](const Director::Heard& heard) { return heard.timesFinished == 1; });
    link->order(Order::What::report, 1);
    link->order(Order::What::stop, 1);
    link->order(Order::What::report, 0);
    EXPECT_EQ(agent.hearOrder<Order>().worker, 0u);
}

TEST_F(AgentLinkTest, HearsWhatEachWorkerSays) {
    open();
    agent.say(Connected{1, 5});
    agent.say(Connected{0, 4});
    agent.say(Finished{1});
    agent.say(Finished{0});
    const auto heard =
        director.await(2, [](const Director::Heard& each) { return each.timesFinished == 1; });
    EXPECT_EQ(heard[0].made, 4u);
    EXPECT_EQ(heard[1].made, 5u);
}

TEST_F(AgentLinkTest, EndsTheConnectionWhenItIsClosed) {
    open();
    const auto closed = close();
    EXPECT_EQ(agent.hear(), "");
    agent.close();
    closed.wait();
}

// --- what goes wrong before it is open ------------------------------------------------------

TEST_F(AgentLinkTest, PassesARefusalOn) {
    prepare();
    agent.say(Refused{"--size: too large"});
    EXPECT_EQ(failure(), named("refused: --size: too large"));
}

TEST_F(AgentLinkTest, SaysThatTheAgentIsGone) {
    prepare();
    agent.close();
    EXPECT_EQ(failure(), named("connection lost"));
}

TEST_F(AgentLinkTest, RefusesAnotherVersion) {
    agent.say(Welcome{version + 1});
    EXPECT_EQ(failure(), named("incompatible protocol version"));
}

TEST_F(AgentLinkTest, RefusesAPongThatItDidNotAskFor) {
    agent.say(Pong{0, {}});
    EXPECT_EQ(failure(), named("unexpected message: pong"));
}

TEST_F(AgentLinkTest, RefusesToBeWelcomedTwice) {
    agent.say(Welcome{});
    agent.say(Welcome{});
    EXPECT_EQ(failure(), named("unexpected message: welcome"));
}

TEST_F(AgentLinkTest, RefusesAnAgentThatIsReadyTooEarly) {
    agent.say(Ready{{"a"}, "epoll"});
    EXPECT_EQ(failure(), named("unexpected message: ready"));
}

TEST_F(AgentLinkTest, RefusesMessagesThatAreNone) {
    agent.say(std::string("hello?"));
    EXPECT_EQ(failure(), named("invalid message: the message: not JSON"));
}

TEST_F(AgentLinkTest, RefusesAMessageOverItsMaximum) {
    (void)agent.hearOrder<Hello>();
    agent.sayBytes(std::string("\x00\x80\x00\x01", 4));
    EXPECT_EQ(agent.hear(), "");
    agent.close();
    EXPECT_EQ(failure(), named("connection lost"));
}

TEST_F(AgentLinkTest, MayBeGivenUp) {
    (void)agent.hearOrder<Hello>();
    link->giveUpOpening("interrupted");
    EXPECT_EQ(failure(), named("interrupted"));
}

// --- and afterwards -------------------------------------------------------------------------

TEST_F(AgentLinkTest, CountsAnAgentThatIsLostAsOneError) {
    open();
    agent.close();
    EXPECT_EQ(loss(), "1 " + named("connection lost"));
}

TEST_F(AgentLinkTest, TellsALateListenerThatTheAgentIsLost) {
    prepare();
    agent.say(Ready{{"a", "b"}, "poll"});
    agent.say(Refused{"after all"});
    EXPECT_TRUE(opened.get());
    EXPECT_EQ(agent.hear(), "");
    link->listen(director, 0);
    EXPECT_EQ(loss(), "1 " + named("refused: after all"));
}

TEST_F(AgentLinkTest, DoesNotBelieveInWorkersThatItDoesNotKnow) {
    open();
    agent.say(Connected{2, 5});
    EXPECT_EQ(loss(), "1 " + named("invalid message: unknown worker"));
}

TEST_F(AgentLinkTest, DoesNotBelieveThatAWorkerConnectsTwice) {
    open();
    agent.say(Connected{0, 5});
    agent.say(Connected{0, 5});
    EXPECT_EQ(loss(), "1 " + named("unexpected message: connected"));
}

TEST_F(AgentLinkTest, DoesNotBelieveFiguresOfAWorkerThatHasFinished) {
    open();
    agent.say(Connected{1, 5});
    agent.say(Finished{1});
    agent.say(Reported{1, std::make_unique<load::LoadFigures>()});
    EXPECT_EQ(loss(), "1 " + named("invalid message: unknown worker"));
}

TEST_F(AgentLinkTest, AcceptsReportsInRangeAndNoMoreThanItAskedFor) {
    open();
    link->order(Order::What::report, 0);
    EXPECT_EQ(agent.hearOrder<Order>().what, Order::What::report);
    for (int i = 0; i < 4; ++i) agent.say(Reported{0, std::make_unique<load::LoadFigures>()});
    EXPECT_EQ(loss(), "1 " + named("unexpected message: reported"));
}

TEST_F(AgentLinkTest, PassesTheReasonOfALateRefusalOn) {
    open();
    agent.say(Refused{"unknown worker"});
    EXPECT_EQ(loss(), "1 " + named("refused: unknown worker"));
}

}  // namespace
