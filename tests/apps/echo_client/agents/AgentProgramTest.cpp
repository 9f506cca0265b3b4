// `echo-client agent` and `echo-client --agents` as their users meet them: as programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include "apps/echo_client/EchoClientTesting.h"

namespace {

using echoclient::Arguments;
using echoclient::bin;
using echoclient::client;
using echoclient::EchoServerProcess;
using echoclient::json;
using echoclient::Process;
using echoclient::operator+;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::StartsWith;

class AgentProcess {
  public:
    AgentProcess()
        : process({bin("echo-client"), "agent", "--listen", "127.0.0.1:0", "--token", "secret",
                   "--threads", "1"}),
          readyLine(process.readLine()) {}

    std::string name() const { return readyLine.substr(readyLine.rfind(' ') + 1); }

    Process process;
    const std::string readyLine;
};

class AgentProgram : public testing::Test {
  protected:
    Arguments agents() { return {"--agents", one.name() + "," + two.name(), "--token", "secret"}; }

    Arguments endless() {
        return {bin("echo-client"), "--port", server.port(), "--duration", "600", "--warmup", "0"};
    }

    EchoServerProcess server;
    AgentProcess one;
    AgentProcess two;
};

TEST_F(AgentProgram, ListensUntilItIsTerminated) {
    EXPECT_THAT(one.readyLine,
                MatchesRegex("echo-client agent listening on 127\\.0\\.0\\.1:[0-9]+"));
    one.process.signal(SIGTERM);
    EXPECT_EQ(one.process.wait(), 0);
    two.process.signal(SIGINT);
    EXPECT_EQ(two.process.wait(), 0);
    EXPECT_THAT(one.process.errors() + two.process.errors(), IsEmpty());
}

TEST_F(AgentProgram, SaysThatItsPortIsTaken) {
    Process third({bin("echo-client"), "agent", "--listen", one.name(), "--token", "secret"});
    EXPECT_EQ(third.wait(), 1);
    EXPECT_THAT(third.errors(), StartsWith("echo-client agent: bind "));
}

TEST_F(AgentProgram, RunsLoadsForACoordinator) {
    for (const Arguments& load : {Arguments{}, Arguments{"--repeat", "2"}}) {
        Process run(client({"--port", server.port()}) + agents() + Arguments{"--json", "-"} + load);
        EXPECT_EQ(run.wait(), 0) << run.errors();
        const json report = json::parse(run.output());
        EXPECT_EQ(report["connections"], (json{{"asked", 10}, {"made", 10}}));
        EXPECT_EQ(report.dump().find("secret"), std::string::npos);
        EXPECT_THAT(one.process.readLine(),
                    MatchesRegex("echo-client agent: 127\\.0\\.0\\.1:[0-9]+ runs 10 connections "
                                 "\\(share 1 of 2\\) to 127\\.0\\.0\\.1:" +
                                 server.port()));
    }
}

TEST_F(AgentProgram, RefusesACoordinatorWithAnotherToken) {
    Process run(client({"--port", server.port(), "--agents", one.name(), "--token", "public"}));
    EXPECT_EQ(run.wait(), 1);
    EXPECT_EQ(run.errors(), "echo-client: agent " + one.name() + ": refused: wrong token\n");
    EXPECT_THAT(run.output(), IsEmpty());
}

TEST_F(AgentProgram, IsReportedWhenItIsKilled) {
    Process run(endless() + agents());
    (void)run.readErrorLine();
    two.process.signal(SIGKILL);
    EXPECT_EQ(two.process.wait(), 128 + SIGKILL);
    (void)run.readErrorLine();
    run.signal(SIGINT);
    EXPECT_EQ(run.wait(), 1);
    EXPECT_THAT(run.output(), HasSubstr("agent " + two.name() + ": connection lost"));
}

TEST_F(AgentProgram, IsFreeAgainWhenItsCoordinatorIsKilled) {
    Process killed(endless() + agents());
    (void)killed.readErrorLine();
    killed.signal(SIGKILL);
    EXPECT_EQ(killed.wait(), 128 + SIGKILL);
    // The kernel closes the sockets of a ring a moment after its process has ended.
    const nio::TimePoint end = nio::Clock::now() + Process::patience;
    int status = 1;
    while (status != 0 && nio::Clock::now() < end) {
        Process next(client({"--port", server.port()}) + agents());
        status = next.wait();
        if (status == 0) break;
        EXPECT_THAT(next.errors(), HasSubstr("busy: serving another"));
    }
    EXPECT_EQ(status, 0);
}

TEST_F(AgentProgram, LetsACoordinatorBeInterruptedWhileItWaits) {
    // Somebody who takes connections and says nothing.
    echoclient::OddServer silent([](echoclient::OddConnection&, nio::ByteView) {});
    Process run({bin("echo-client"), "--port", server.port(), "--token", "secret", "--agents",
                 one.name() + ",127.0.0.1:" + silent.port()});
    (void)one.process.readLine();  // prepared
    run.signal(SIGINT);
    EXPECT_EQ(run.wait(), 1);
    EXPECT_EQ(run.errors(), "echo-client: interrupted\n");
}

}  // namespace
