// An agent as those meet it who connect to it: coordinators and strangers.
#include "echo_client/agents/Agent.h"

#include <list>

#include "AgentTesting.h"
#include "support/Engines.h"

namespace {

using namespace load::wire;
using agenttest::EchoServer;
using agenttest::RunningAgent;
using agenttest::Talker;
using agenttest::token;
using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

Prepare wishFor(EchoServer& server, const std::vector<std::string>& more = {}) {
    Prepare wish{{"--port", server.port(), "--connections", "4", "--duration", "100"}, 0, 2};
    wish.arguments.insert(wish.arguments.end(), more.begin(), more.end());
    return wish;
}

// --- strangers ------------------------------------------------------------------------------

TEST(Agent, WelcomesWhoKnowsTheToken) {
    RunningAgent agent;
    Talker talker(agent.address());
    talker.greet();
    EXPECT_EQ(talker.hearA<Welcome>().version, load::wire::version);
}

class WrongToken : public testing::TestWithParam<std::string> {};

TEST_P(WrongToken, IsAnsweredWithOneRefusalAndTheEnd) {
    RunningAgent agent;
    Talker talker(agent.address());
    talker.greet(GetParam());
    talker.say(Ping{1});
    EXPECT_EQ(talker.hearRefusal(), "wrong token");
}

INSTANTIATE_TEST_SUITE_P(All, WrongToken,
                         testing::Values("", "x", token.substr(0, 10), token + "x", token + token,
                                         "Open-sesame", "open-sesamE",
                                         token + std::string(1, '\0')));

class BeforeHello : public testing::TestWithParam<std::string> {};

TEST_P(BeforeHello, NothingIsUnderstood) {
    RunningAgent agent;
    Talker talker(agent.address());
    talker.say(GetParam());
    EXPECT_EQ(talker.hearRefusal(), "wrong token");
}

INSTANTIATE_TEST_SUITE_P(All, BeforeHello,
                         testing::Values("", "{}", "garbage", write(Ping{1}),
                                         write(Prepare{{}, 0, 1}), write(Order{}),
                                         R"({"message":"hello","version":1})",
                                         R"({"message":"hello","token":["open-sesame"]})"));

TEST(Agent, IsNotImpressedByBytesThatAreNoPacket) {
    RunningAgent agent;
    Talker talker(agent.address());
    talker.sayBytes("GET / HTTP/1.1\r\nHost: agent\r\n\r\n");
    EXPECT_EQ(talker.hear(), "");
}

TEST(Agent, KeepsNothingOfALongHello) {
    RunningAgent agent;
    Talker talker(agent.address());
    talker.sayBytes(std::string("\x00\x00\x04\x01", 4));
    EXPECT_EQ(talker.hear(), "");
}

TEST(Agent, RefusesAMessageOverItsMaximum) {
    RunningAgent agent;
    Talker talker(agent.address());
    talker.greet();
    (void)talker.hearA<Welcome>();
    talker.sayBytes(std::string("\x00\x80\x00\x01", 4));
    EXPECT_EQ(talker.hear(), "");
}

TEST(Agent, DoesNotWaitForAHelloForEver) {
    load::AgentOptions options;
    options.helloTimeout = milliseconds(20);
    RunningAgent agent(options);
    Talker talker(agent.address());
    EXPECT_EQ(talker.hearRefusal(), "timed out waiting for hello");
}

// However slow this test is: one of its hellos is in time.
std::unique_ptr<Talker> welcomed(RunningAgent& agent) {
    const nio::TimePoint end = nio::Clock::now() + nio::kerneltest::patience;
    while (nio::Clock::now() < end) {
        auto talker = std::make_unique<Talker>(agent.address());
        talker->greet();
        if (talker->hear() == write(Welcome{})) return talker;
    }
    throw std::runtime_error("no welcome");
}

TEST(Agent, LetsACoordinatorInPastAHundredSilentPeers) {
    load::AgentOptions options;
    options.helloTimeout = std::chrono::hours(1);
    RunningAgent agent(options);
    std::list<Talker> silent;
    for (int i = 0; i < 100; ++i) silent.emplace_back(agent.address());
    Talker coordinator(agent.address());
    coordinator.greet();
    EXPECT_EQ(coordinator.hear(), write(Welcome{}));
    EXPECT_EQ(silent.front().hear(), "") << "the oldest has gone";
    for (int i = 0; i < 100; ++i) silent.emplace_back(agent.address());
    coordinator.say(Ping{4});
    EXPECT_EQ(coordinator.hearA<Pong>().number, 4u) << "the coordinator stays";
    silent.back().greet();
    EXPECT_EQ(silent.back().hearRefusal(), "busy: serving another coordinator");
}

TEST(Agent, LetsNoAddressTakeThePlaceOfAnother) {
    load::AgentOptions options;
    options.helloTimeout = std::chrono::hours(1);
    RunningAgent agent(options);
    Talker coordinator(agent.address(), nio::SocketAddress::parse("127.0.0.2:0").orThrow());
    std::list<Talker> silent;
    for (int i = 0; i < 100; ++i) silent.emplace_back(agent.address());
    EXPECT_EQ(silent.front().hear(), "") << "that came after the coordinator";
    coordinator.greet();
    EXPECT_EQ(coordinator.hear(), write(Welcome{}));
}

TEST(Agent, LetsACoordinatorThinkAfterItsHello) {
    load::AgentOptions options;
    options.helloTimeout = milliseconds(20);
    RunningAgent agent(options);
    const auto coordinator = welcomed(agent);
    Talker silent(agent.address());
    EXPECT_EQ(silent.hearRefusal(), "timed out waiting for hello");
    coordinator->say(Ping{4});
    EXPECT_EQ(coordinator->hearA<Pong>().number, 4u);
}

TEST(Agent, GivesUpACoordinatorThatSaysNothingAnyMore) {
    load::AgentOptions options;
    options.silence = milliseconds(20);
    RunningAgent agent(options);
    const auto coordinator = welcomed(agent);
    EXPECT_EQ(coordinator->hear(), "");
    const auto next = welcomed(agent);
}

TEST(Agent, SpeaksOneVersionOnly) {
    RunningAgent agent;
    Talker talker(agent.address());
    talker.say(Hello{version + 1, token});
    EXPECT_EQ(talker.hearRefusal(),
              "incompatible protocol version: this agent has " + std::to_string(version));
}

TEST(Agent, RefusesAWrongTokenLaterThanItWelcomes) {
    load::AgentOptions options;
    options.refusalDelay = std::chrono::hours(1);
    RunningAgent agent(options);
    Talker guesser(agent.address());
    guesser.greet("a-guess");
    guesser.greet();
    Talker talker(agent.address());
    talker.greet();
    (void)talker.hearA<Welcome>();
    (void)agent.stop();
    EXPECT_EQ(guesser.hear(), "") << "neither hello was answered";
}

TEST(Agent, SaysWhomItTurnedAwayButNotTheirWords) {
    RunningAgent agent;
    Talker talker(agent.address());
    talker.greet("a-guess");
    EXPECT_EQ(talker.hearRefusal(), "wrong token");
    EXPECT_THAT(agent.stop(),
                AllOf(MatchesRegex("echo-client agent: 127.0.0.1:[0-9]+: wrong token\n"),
                      Not(HasSubstr("guess"))));
}

// --- coordinators ---------------------------------------------------------------------------

class Coordinator : public Talker {
  public:
    explicit Coordinator(RunningAgent& agent) : Talker(agent.address()) {
        greet();
        (void)hearA<Welcome>();
    }
};

TEST(Agent, TellsItsClock) {
    RunningAgent agent;
    Coordinator coordinator(agent);
    const nio::TimePoint before = nio::Clock::now();
    coordinator.say(Ping{77});
    const Pong pong = coordinator.hearA<Pong>();
    EXPECT_EQ(pong.number, 77u);
    EXPECT_GE(pong.clock, before);
    EXPECT_LE(pong.clock, nio::Clock::now());
}

TEST(Agent, ListensToLongMessagesAfterHello) {
    RunningAgent agent;
    Coordinator coordinator(agent);
    coordinator.say(write(Ping{5}) + std::string(1024 * 1024, ' '));
    EXPECT_EQ(coordinator.hearA<Pong>().number, 5u);
}

TEST(Agent, WorksForOneCoordinatorAtATime) {
    RunningAgent agent;
    Coordinator first(agent);
    Talker second(agent.address());
    second.greet();
    EXPECT_EQ(second.hearRefusal(), "busy: serving another coordinator");
    first.say(Ping{1});
    (void)first.hearA<Pong>();
    first.close();
    Coordinator third(agent);
}

TEST(Agent, DoesNotSayThatItIsBusyToStrangers) {
    RunningAgent agent;
    Coordinator first(agent);
    Talker second(agent.address());
    second.greet("another");
    EXPECT_EQ(second.hearRefusal(), "wrong token");
}

TEST(Agent, MakesARunAsItIsTold) {
    EchoServer server;
    RunningAgent agent;
    Coordinator coordinator(agent);
    coordinator.say(wishFor(server));
    const Ready ready = coordinator.hearA<Ready>();
    EXPECT_THAT(ready.workers, testing::ElementsAre("load-1"));
    EXPECT_EQ(ready.selector, support::usualEngine());
    coordinator.say(Order{Order::What::connect, 0});
    const Reported connecting = coordinator.hearA<Reported>();
    EXPECT_EQ(connecting.figures->connect.count(), 2u);
    EXPECT_EQ(coordinator.hearA<Connected>().made, 2u);
    coordinator.say(Send{0, agenttest::scheduleIn({}, std::chrono::seconds(100))});
    std::uint64_t answered = 0;
    while (answered == 0) {
        coordinator.say(Order{Order::What::report, 0});
        answered += coordinator.hearA<Reported>().figures->answered;
    }
    coordinator.say(Order{Order::What::stop, 0});
    const Reported last = coordinator.hearA<Reported>();
    EXPECT_EQ(last.figures->errors.toString(), "none");
    answered += last.figures->answered;
    EXPECT_EQ(coordinator.hearA<Finished>().worker, 0u);
    EXPECT_EQ(answered * 64, server.bytes());
    EXPECT_THAT(agent.stop(), MatchesRegex("echo-client agent: 127.0.0.1:[0-9]+ runs 4 connections "
                                           "\\(share 1 of 2\\) to 127.0.0.1:" +
                                           server.port() + "\n"));
}

TEST(Agent, EndsTheRunOfACoordinatorThatGoesAway) {
    EchoServer server;
    RunningAgent agent;
    for (int i = 0; i < 3; ++i) {
        Coordinator coordinator(agent);
        coordinator.say(wishFor(server));
        (void)coordinator.hearA<Ready>();
        coordinator.say(Order{Order::What::connect, 0});
        (void)coordinator.hearA<Reported>();
        (void)coordinator.hearA<Connected>();
        coordinator.say(Send{0, agenttest::scheduleIn({}, std::chrono::seconds(100))});
        coordinator.close();
    }
    const std::string said = agent.stop();
    EXPECT_THAT(said,
                MatchesRegex("(echo-client agent: 127.0.0.1:[0-9]+ runs 4 connections .*\n)+"));
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 3);
}

TEST(Agent, StopsWithARunUnderWay) {
    EchoServer server;
    RunningAgent agent;
    Coordinator coordinator(agent);
    coordinator.say(wishFor(server));
    (void)coordinator.hearA<Ready>();
    coordinator.say(Order{Order::What::connect, 0});
    (void)coordinator.hearA<Reported>();
    (void)coordinator.hearA<Connected>();
    coordinator.say(Send{0, agenttest::scheduleIn({}, std::chrono::seconds(100))});
    EXPECT_THAT(agent.stop(), HasSubstr(" runs 4 connections "));
    EXPECT_EQ(coordinator.hear(), "");
}

struct NotForIt {
    std::vector<std::string> words;
    const char* why;
};

TEST(Agent, RefusesWhatIsNotItsBusiness) {
    EchoServer server;
    RunningAgent agent;
    const std::vector<NotForIt> table{
        {{"--json", "/dev/null"}, "--json is not supported with agents"},
        {{"--keep-bad", "/dev/null"}, "--keep-bad is not supported with agents"},
        {{"--repeat", "2"}, "--repeat is not supported with agents"},
        {{"--agents", "127.0.0.1:1", "--token", "t"}, "--agents is not supported with agents"},
        {{"--size", "none"},
         "--size: 'none' is not a whole number, such as 64, 4k or 4Ki; units are k, M, G, Ki, Mi "
         "and "
         "Gi"},
        {{"--help"}, "--help and --version are not allowed here"}};
    for (const NotForIt& each : table) {
        Coordinator coordinator(agent);
        coordinator.say(wishFor(server, each.words));
        EXPECT_EQ(coordinator.hearRefusal(), each.why);
    }
}

TEST(Agent, SaysWhyItCannotFindTheServer) {
    RunningAgent agent;
    Coordinator coordinator(agent);
    coordinator.say(Prepare{{"--host", "no.such.name.invalid"}, 0, 1});
    EXPECT_THAT(coordinator.hearRefusal(), HasSubstr("no.such.name.invalid"));
}

class OutOfTurn : public testing::TestWithParam<std::string> {};

TEST_P(OutOfTurn, EndsTheConnection) {
    RunningAgent agent;
    Coordinator coordinator(agent);
    coordinator.say(GetParam());
    EXPECT_NE(coordinator.hearRefusal(), "");
}

INSTANTIATE_TEST_SUITE_P(All, OutOfTurn,
                         testing::Values(write(Hello{1, token}), write(Order{}), write(Send{}),
                                         write(Order{Order::What::giveUp, 3}), "garbage",
                                         write(Welcome{})));

TEST(Agent, PreparesOnce) {
    EchoServer server;
    RunningAgent agent;
    Coordinator coordinator(agent);
    coordinator.say(wishFor(server));
    (void)coordinator.hearA<Ready>();
    coordinator.say(wishFor(server));
    EXPECT_EQ(coordinator.hearRefusal(), "unexpected message: prepare");
}

TEST(Agent, ConnectsOnce) {
    EchoServer server;
    RunningAgent agent;
    Coordinator coordinator(agent);
    coordinator.say(wishFor(server));
    (void)coordinator.hearA<Ready>();
    coordinator.say(Order{Order::What::connect, 0});
    (void)coordinator.hearA<Reported>();
    (void)coordinator.hearA<Connected>();
    coordinator.say(Order{Order::What::connect, 0});
    EXPECT_EQ(coordinator.hearRefusal(), "unexpected message: connect");
}

TEST(Agent, KnowsItsWorkers) {
    EchoServer server;
    RunningAgent agent;
    Coordinator coordinator(agent);
    coordinator.say(wishFor(server));
    (void)coordinator.hearA<Ready>();
    coordinator.say(Send{1, {}});
    EXPECT_EQ(coordinator.hearRefusal(), "unknown worker");
    Coordinator another(agent);
    another.say(wishFor(server));
    (void)another.hearA<Ready>();
    another.say(Order{Order::What::connect, 1});
    EXPECT_EQ(another.hearRefusal(), "unknown worker");
}

}  // namespace
