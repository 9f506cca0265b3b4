#include "echo_client/report/MisbehaviourReport.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace {

using load::LoadOptions;
using load::Misbehaviour;
using load::MisbehaviourReport;
using load::MisbehaviourResult;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

LoadOptions of(Misbehaviour kind) {
    LoadOptions options;
    options.misbehave = kind;
    options.connections = 4;
    return options;
}

MisbehaviourResult someResult() {
    MisbehaviourResult result;
    result.took = seconds(2);
    result.dispatchers = 2;
    result.server = "127.0.0.1:7007";
    result.selector = "epoll";
    for (int i = 1; i <= 3; ++i) {
        result.total.connect.record(milliseconds(i));
        result.total.kept.record(milliseconds(500 * i));
    }
    result.total.over = 3;
    result.total.connectFailed(nio::Error(std::errc::connection_refused, "connect to X"));
    result.total.closedByServer = 1;
    result.total.resetByServer = 1;
    result.total.keptToTheEnd = 1;
    result.total.bytesSent = 12;
    result.total.bytesReceived = 1;
    return result;
}

TEST(MisbehaviourReport, SaysWhatBecameOfTheConnections) {
    EXPECT_EQ(MisbehaviourReport(of(Misbehaviour::slowloris), someResult()).toText(),
              "echo-client: slowloris, 4 connections to 127.0.0.1:7007, one byte every 5.00 s,\n"
              "              raw (2 dispatchers, epoll)\n"
              "time          2.00 s\n"
              "connections   3 opened, 1 failed; 1 closed and 1 reset by the server, 1 open at\n"
              "              the end\n"
              "connect       min 1.00 ms  p50 2.00 ms  max 3.00 ms\n"
              "kept          min 500 ms  p50 1.00 s  max 1.50 s\n"
              "sent          12 bytes\n"
              "received      1 byte\n"
              "errors        1 connect: Connection refused\n");
}

TEST(MisbehaviourReport, SaysHowFastTheStormWas) {
    const std::string text = MisbehaviourReport(of(Misbehaviour::rstStorm), someResult()).toText();
    EXPECT_THAT(text, HasSubstr("rst-storm, 4 connections to 127.0.0.1:7007, at most 10000 "
                                "connects,\n              raw"));
    EXPECT_THAT(text, HasSubstr("\nconnections   3 opened, 1 failed\nconnects/s    2\n"));
    EXPECT_THAT(text, Not(HasSubstr("\nkept ")));
}

TEST(MisbehaviourReport, CountsTheEchoesOfAnHonestClient) {
    MisbehaviourResult result = someResult();
    result.total.echoes = 7;
    result.interrupted = true;
    const std::string text = MisbehaviourReport(of(Misbehaviour::oneByte), result).toText();
    EXPECT_THAT(text, HasSubstr("\nechoes        7 correct, 0 wrong, 0 timed out\n"));
    EXPECT_THAT(text, HasSubstr("\ntime          2.00 s, interrupted\n"));
}

TEST(MisbehaviourReport, SaysTheSameInJson) {
    MisbehaviourResult result = someResult();
    result.total.echoes = 7;
    result.total.largestQueue = 99;
    const auto json =
        nlohmann::json::parse(MisbehaviourReport(of(Misbehaviour::oneByte), result).toJson());
    EXPECT_EQ(json["misbehaviour"], "one-byte");
    EXPECT_EQ(json["connections"], (nlohmann::json{{"asked", 4},
                                                   {"made", 3},
                                                   {"failed", 1},
                                                   {"closedByServer", 1},
                                                   {"resetByServer", 1},
                                                   {"keptToTheEnd", 1}}));
    EXPECT_EQ(json["keptMicroseconds"]["min"], 500'000.0);
    EXPECT_EQ(json["keptMicroseconds"]["max"], 1'500'000.0);
    EXPECT_EQ(json["connectsPerSecond"], 1.5);
    EXPECT_EQ(json["bytesSent"], 12);
    EXPECT_EQ(json["bytesReceived"], 1);
    EXPECT_EQ(json["largestQueueBytes"], 99);
    EXPECT_EQ(json["echoes"], 7);
    EXPECT_EQ(json["errors"], (nlohmann::json{{"connect: Connection refused", 1}}));
    EXPECT_EQ(json["exitCode"], 0);
}

TEST(MisbehaviourReport, StaysJsonWhenTheServersNameIsNoUtf8) {
    MisbehaviourResult result = someResult();
    result.server = "/tmp/\xff";
    const std::string text = MisbehaviourReport(of(Misbehaviour::halfMessage), result).toJson();
    EXPECT_EQ(nlohmann::json::parse(text)["server"], "/tmp/\xef\xbf\xbd");
}

TEST(MisbehaviourReport, DoesNotPretendToKnowTimesBeyondTheHistogram) {
    MisbehaviourResult result = someResult();
    result.total.kept = {};
    for (int i = 0; i < 3; ++i) result.total.kept.record(seconds(120));
    EXPECT_THAT(MisbehaviourReport(of(Misbehaviour::halfMessage), result).toText(),
                HasSubstr("\nkept          min 120 s  p50 > 60 s  max 120 s\n"));
}

TEST(MisbehaviourReport, ExitsWithTheGravestTrouble) {
    MisbehaviourResult result = someResult();
    const LoadOptions options = of(Misbehaviour::oneByte);
    EXPECT_EQ(MisbehaviourReport(options, result).exitCode(), 0);
    EXPECT_EQ(MisbehaviourReport(options, result).complaint(), "");

    result.total.unanswered = 2;
    EXPECT_EQ(MisbehaviourReport(options, result).exitCode(), 1);
    EXPECT_EQ(MisbehaviourReport(options, result).complaint(), "2 messages timed out");

    result.total.wrongAnswers = 1;
    result.total.wrongAnswerExample = "connection 0, message 1: byte 2 is 0x01 instead of 0x61";
    EXPECT_EQ(MisbehaviourReport(options, result).exitCode(), 3);
    EXPECT_EQ(MisbehaviourReport(options, result).complaint(),
              "wrong answer: connection 0, message 1: byte 2 is 0x01 instead of 0x61");

    MisbehaviourResult none;
    none.total.connectFailed(nio::Error(std::errc::connection_refused, "connect to X"));
    EXPECT_EQ(MisbehaviourReport(options, none).exitCode(), 1);
    EXPECT_EQ(MisbehaviourReport(options, none).complaint(), "connect to X: Connection refused");
}

TEST(MisbehaviourReport, SaysInALineHowItGoes) {
    const auto line = [](Misbehaviour kind) {
        return MisbehaviourReport::progressLine(of(kind), someResult().total);
    };
    EXPECT_EQ(line(Misbehaviour::halfMessage),
              "half-message: 3 connects, 0 open, 2 ended by the server, 12 bytes sent, 1 failed");
    EXPECT_EQ(line(Misbehaviour::rstStorm), "rst-storm: 3 connects, 1 failed");
}

}  // namespace
