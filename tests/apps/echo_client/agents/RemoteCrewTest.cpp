// A coordinator and its agents: both in this process, over loopback sockets.
#include "echo_client/agents/RemoteCrew.h"

#include "AgentTesting.h"

#include "echo_client/load/LoadGenerator.h"
#include "echo_client/load/LocalCrew.h"
#include "support/Engines.h"

namespace {

using agenttest::Director;
using agenttest::EchoServer;
using agenttest::optionsFor;
using agenttest::RunningAgent;
using agenttest::Talker;
using load::LoadOptions;
using load::LoadPlan;
using load::LoadWorker;
using load::RemoteCrew;
using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

LoadPlan planOf(const LoadOptions& options) {
    const auto server = nio::SocketAddress::loopback4(options.endpoint.port);
    return {options, server};
}

void tellAll(RemoteCrew& crew, void (LoadWorker::*order)()) {
    for (std::size_t i = 0; i < crew.size(); ++i) (crew[i].*order)();
}

bool hasConnected(const Director::Heard& heard) {
    return heard.timesConnected > 0;
}
bool hasFinished(const Director::Heard& heard) {
    return heard.timesFinished > 0;
}

// Of connecting, nothing else.
std::string failureOf(const LoadOptions& options) {
    const LoadPlan plan = planOf(options);
    Director director;
    RemoteCrew crew(plan);
    try {
        crew.begin(director);
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

// Two agents that send for a long time.
class LongRun {
  public:
    LongRun()
        : plan_(planOf(optionsFor({one->name(), two->name()}, server.port(),
                                  {"--connections", "10", "--duration", "1000"}))),
          crew_(plan_) {
        crew_.begin(director);
        tellAll(crew_, &LoadWorker::connect);
        (void)director.await(2, hasConnected);
        const auto schedule = agenttest::scheduleIn(milliseconds(0), std::chrono::seconds(1000));
        for (std::size_t i = 0; i < crew_.size(); ++i) crew_[i].send(schedule);
    }

    void awaitMoreAnswers(std::size_t worker, std::uint64_t before) {
        for (Director::Heard heard; heard.figures.answered <= before;) {
            crew_[worker].report();
            heard = director.awaitOne(worker, [known = heard.reports](const Director::Heard& now) {
                return now.reports > known;
            });
        }
    }
    void awaitAnswers() {
        for (std::size_t i = 0; i < crew_.size(); ++i) awaitMoreAnswers(i, 0);
    }

    EchoServer server;
    std::optional<RunningAgent> one{std::in_place};
    std::optional<RunningAgent> two{std::in_place};
    Director director;

  private:
    LoadPlan plan_;

  public:
    RemoteCrew crew_;
};

TEST(RemoteCrew, IsNotToldMoreThanAMessageHolds) {
    const auto refusal = [](std::size_t letters) {
        return load::isTooLongForAgents(
            optionsFor({"a:1"}, "1", {"--send", std::string(letters, 'a'), "--expect", "any"}));
    };
    EXPECT_EQ(refusal(load::wire::largestMessage - 1024), std::nullopt);
    EXPECT_THAT(refusal(load::wire::largestMessage).value_or(""),
                AllOf(HasSubstr("--send"), HasSubstr("--agents"), HasSubstr("8388608 bytes")));
}

TEST(RemoteCrew, HasOneWorkerForEachDispatcherOfEachAgent) {
    EchoServer server;
    RunningAgent one;
    RunningAgent two;
    const LoadPlan plan = planOf(optionsFor({one.name(), two.name()}, server.port()));
    Director director;
    RemoteCrew crew(plan);
    crew.begin(director);
    ASSERT_EQ(crew.size(), 2u);
    EXPECT_EQ(crew[0].name(), one.name() + " load-1");
    EXPECT_EQ(crew[1].name(), two.name() + " load-1");
    EXPECT_EQ(crew[0].selector(), support::usualEngine());
    EXPECT_GE(crew.notice(), milliseconds(100));
}

TEST(RemoteCrew, GivesEachAgentAnEqualShareOfTheConnections) {
    EchoServer server;
    RunningAgent one;
    RunningAgent two;
    RunningAgent three;
    const LoadPlan plan = planOf(
        optionsFor({one.name(), two.name(), three.name()}, server.port(), {"--connections", "11"}));
    Director director;
    RemoteCrew crew(plan);
    crew.begin(director);
    tellAll(crew, &LoadWorker::connect);
    const auto heard = director.await(3, hasConnected);
    EXPECT_EQ(heard[0].made, 4u);
    EXPECT_EQ(heard[1].made, 4u);
    EXPECT_EQ(heard[2].made, 3u);
}

TEST(RemoteCrew, IsDirectedAsALocalOneIs) {
    EchoServer server;
    RunningAgent one;
    RunningAgent two;
    const LoadPlan plan = planOf(optionsFor(
        {one.name(), two.name()}, server.port(),
        {"--connections", "10", "--size", "100", "--duration", "0.3", "--warmup", "0.1"}));
    const std::unique_ptr<load::LoadCrew> crew = load::makeCrew(plan);
    const load::LoadResult result = load::LoadGenerator(plan, *crew, {}).run();
    const load::LoadFigures& total = result.total;
    EXPECT_EQ(total.errors.toString(), "none");
    EXPECT_EQ(total.connect.count(), 10u);
    EXPECT_GT(total.latency.count(), 0u);
    EXPECT_EQ(total.latency.count() + total.outside.count(), total.answered);
    EXPECT_EQ(total.sent, total.answered);
    EXPECT_EQ(total.answered * 100, server.bytes());
    EXPECT_EQ(total.bytes, total.latency.count() * 100);
    ASSERT_EQ(result.dispatchers.size(), 2u);
    EXPECT_EQ(result.dispatchers[0].name, one.name() + " load-1");
    EXPECT_EQ(result.dispatchers[1].name, two.name() + " load-1");
    EXPECT_THAT(one.stop(), HasSubstr("runs 10 connections (share 1 of 2) to 127.0.0.1:"));
    EXPECT_THAT(two.stop(), HasSubstr("runs 10 connections (share 2 of 2) to 127.0.0.1:"));
}

// An open loop counts what it planned, whoever sent it: a share too many or too few would show.
TEST(RemoteCrew, SharesThePlannedRate) {
    EchoServer server;
    RunningAgent one;
    RunningAgent two;
    const LoadPlan plan = planOf(
        optionsFor({one.name(), two.name()}, server.port(),
                   {"--connections", "4", "--rate", "1k", "--duration", "0.3", "--warmup", "0"}));
    const std::unique_ptr<load::LoadCrew> crew = load::makeCrew(plan);
    const load::LoadResult result = load::LoadGenerator(plan, *crew, {}).run();
    EXPECT_EQ(result.total.errors.toString(), "none");
    EXPECT_EQ(result.total.latency.count() + result.total.unsent, 300u);
    EXPECT_EQ(result.total.service.count(), result.total.latency.count());
}

TEST(RemoteCrew, LeavesItsAgentsFreeForTheNextRun) {
    EchoServer server;
    RunningAgent one;
    RunningAgent two;
    const LoadOptions options =
        optionsFor({one.name(), two.name()}, server.port(),
                   {"--connections", "2", "--duration", "0.01", "--warmup", "0"});
    for (int i = 0; i < 5; ++i) {
        const LoadPlan plan = planOf(options);
        const std::unique_ptr<load::LoadCrew> crew = load::makeCrew(plan);
        const load::LoadResult result = load::LoadGenerator(plan, *crew, {}).run();
        EXPECT_EQ(result.total.errors.toString(), "none");
        EXPECT_EQ(result.total.connect.count(), 2u);
    }
}

TEST(RemoteCrew, IsALocalOneWhereNoAgentIsNamed) {
    const LoadPlan plan = planOf(load::readLoadOptions({}).orThrow());
    EXPECT_NE(dynamic_cast<load::LocalCrew*>(load::makeCrew(plan).get()), nullptr);
}

// --- what goes wrong before the load --------------------------------------------------------

TEST(RemoteCrew, SaysWhichAgentRefusesItAndWhy) {
    RunningAgent one;
    RunningAgent two;
    LoadOptions options = optionsFor({one.name(), two.name()}, "7007");
    options.token = "guessed";
    EXPECT_EQ(failureOf(options), "agent " + one.name() + ": refused: wrong token");
}

TEST(RemoteCrew, SaysThatAnAgentIsBusy) {
    RunningAgent one;
    RunningAgent two;
    Talker other(two.address());
    other.greet();
    (void)other.hearA<load::wire::Welcome>();
    const LoadOptions options = optionsFor({one.name(), two.name()}, "7007");
    EXPECT_EQ(failureOf(options),
              "agent " + two.name() + ": refused: busy: serving another coordinator");
    other.close();
    EXPECT_EQ(failureOf(options), "");
}

TEST(RemoteCrew, TakesAnAgentOnce) {
    RunningAgent agent;
    LoadOptions options = optionsFor({agent.name()}, "7007");
    options.connections = 2;
    options.agents.push_back(options.agents.front());  // by another name, say
    EXPECT_EQ(failureOf(options),
              "agent " + agent.name() + ": refused: busy: serving another coordinator");
}

TEST(RemoteCrew, SaysThatNobodyListens) {
    RunningAgent one;
    const nio::UniqueFd held =
        nio::kernel::openStreamSocket(nio::SocketAddress::Family::ipv4).orThrow();
    nio::kernel::bind(held.get(), nio::SocketAddress::loopback4(0)).orThrow();
    const std::string nobody = nio::kernel::localAddress(held.get()).orThrow().toString();
    EXPECT_EQ(failureOf(optionsFor({nobody, one.name()}, "7007")),
              "agent " + nobody + ": Connection refused");
}

TEST(RemoteCrew, SaysThatAnAgentHasNoName) {
    EXPECT_THAT(failureOf(optionsFor({"no.such.name.invalid:7010"}, "7007")),
                StartsWith("agent no.such.name.invalid:7010: "));
}

TEST(RemoteCrew, SaysThatSomebodyIsNoAgent) {
    EchoServer noAgent;
    EXPECT_THAT(
        failureOf(optionsFor({"127.0.0.1:" + noAgent.port()}, "7007")),
        AllOf(StartsWith("agent 127.0.0.1:" + noAgent.port()), HasSubstr("invalid message")));
}

TEST(RemoteCrew, FindsAgentsByName) {
    RunningAgent agent;
    const std::string port = std::to_string(agent.address().port());
    EXPECT_EQ(failureOf(optionsFor({"localhost:" + port}, "7007")), "");
}

// --- what goes wrong during the load --------------------------------------------------------

TEST(RemoteCrew, GoesOnWithoutAnAgentThatIsLost) {
    LongRun run;
    run.awaitAnswers();
    const std::string lost = run.two->name();
    run.two->stop();
    (void)run.director.awaitOne(1, hasFinished);
    const std::uint64_t before = run.director.awaitOne(0, hasConnected).figures.answered;
    run.awaitMoreAnswers(0, before);
    tellAll(run.crew_, &LoadWorker::stop);
    const auto all = run.director.await(2, hasFinished);
    EXPECT_EQ(all[0].figures.errors.toString(), "none");
    EXPECT_GT(all[0].figures.answered, 0u);
    EXPECT_EQ(all[1].figures.errors.toString(), "1 agent " + lost + ": connection lost");
    EXPECT_EQ(all[1].timesFinished, 1u);
    EXPECT_EQ(all[1].timesConnected, 1u);
}

TEST(RemoteCrew, KeepsAnAgentOfWhichOneWorkerHasFinished) {
    std::atomic<bool> cut{false};
    const echoclient::OddServer server(
        [&cut](echoclient::OddConnection& connection, nio::ByteView bytes) {
            nio::onDispatcher.assertCurrent();
            cut.exchange(true) ? connection.send(bytes) : connection.closeAfterFlush();
        });
    load::AgentOptions ofTwo;
    ofTwo.threads = 2;
    const RunningAgent agent(ofTwo);
    const LoadPlan plan =
        planOf(optionsFor({agent.name()}, server.port(),
                          {"--connections", "2", "--duration", "0.5", "--warmup", "0"}));
    const std::unique_ptr<load::LoadCrew> crew = load::makeCrew(plan);
    const load::LoadResult result = load::LoadGenerator(plan, *crew, {}).run();
    EXPECT_EQ(result.dispatchers.size(), 2u);
    EXPECT_EQ(result.total.errors.toString(), "1 closed early");
    EXPECT_GT(result.total.answered, 0u);
}

TEST(RemoteCrew, CountsAnAgentLostBeforeConnectingAsConnected) {
    EchoServer server;
    std::optional<RunningAgent> agent(std::in_place);
    const LoadPlan plan = planOf(optionsFor({agent->name()}, server.port()));
    Director director;
    RemoteCrew crew(plan);
    crew.begin(director);
    const std::string name = agent->name();
    agent->stop();
    const auto heard = director.await(1, hasFinished);
    EXPECT_EQ(heard[0].timesConnected, 1u);
    EXPECT_EQ(heard[0].made, 0u);
    EXPECT_EQ(heard[0].figures.errors.toString(), "1 agent " + name + ": connection lost");
    tellAll(crew, &LoadWorker::stop);
}

TEST(RemoteCrew, MayEndInTheMiddle) {
    LongRun run;
    run.awaitAnswers();
    run.crew_.end();
    EXPECT_EQ(failureOf(optionsFor({run.one->name(), run.two->name()}, run.server.port())), "");
}

}  // namespace
