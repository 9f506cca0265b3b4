#include "echo_client/agents/AgentMessages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "echo_client/figures/FiguresJson.h"

namespace {

using namespace load::wire;
using nlohmann::json;
using std::chrono::nanoseconds;
using testing::ElementsAre;
using testing::HasSubstr;

template <class Message>
Message toAgentAndBack(const Message& message) {
    return std::get<Message>(readToAgent(nio::asBytes(write(message))).orThrow());
}

template <class Message>
Message fromAgentAndBack(const Message& message) {
    return std::get<Message>(readFromAgent(nio::asBytes(write(message))).orThrow());
}

nio::TimePoint at(long long time) {
    return nio::TimePoint(nanoseconds(time));
}

TEST(AgentMessages, ToAnAgentArriveAsTheyWereSent) {
    const Hello hello = toAgentAndBack(Hello{7, "se\"cret"});
    EXPECT_EQ(hello.version, 7u);
    EXPECT_EQ(hello.token, "se\"cret");
    EXPECT_EQ(toAgentAndBack(Ping{12345678901}).number, 12345678901u);
    const Prepare prepare = toAgentAndBack(Prepare{{"--size=64", "", "ä\n"}, 2, 3});
    EXPECT_THAT(prepare.arguments, ElementsAre("--size=64", "", "ä\n"));
    EXPECT_EQ(prepare.crew, 2u);
    EXPECT_EQ(prepare.crews, 3u);
    const Send send =
        toAgentAndBack(Send{3, {at(1), at(1'000'000'000'000'000'001), at(1LL << 62)}});
    EXPECT_EQ(send.worker, 3u);
    EXPECT_EQ(send.schedule.begin, at(1));
    EXPECT_EQ(send.schedule.from, at(1'000'000'000'000'000'001));
    EXPECT_EQ(send.schedule.to, at(1LL << 62));
    for (const auto what :
         {Order::What::connect, Order::What::report, Order::What::stop, Order::What::giveUp}) {
        const Order order = toAgentAndBack(Order{what, 5});
        EXPECT_EQ(order.what, what);
        EXPECT_EQ(order.worker, 5u);
    }
}

TEST(AgentMessages, FromAnAgentArriveAsTheyWereSent) {
    EXPECT_EQ(fromAgentAndBack(Welcome{2}).version, 2u);
    EXPECT_EQ(fromAgentAndBack(Refused{"busy"}).reason, "busy");
    const Pong pong = fromAgentAndBack(Pong{9, at(1234)});
    EXPECT_EQ(pong.number, 9u);
    EXPECT_EQ(pong.clock, at(1234));
    const Ready ready = fromAgentAndBack(Ready{{"load-1", "load-2"}, "epoll"});
    EXPECT_THAT(ready.workers, ElementsAre("load-1", "load-2"));
    EXPECT_EQ(ready.selector, "epoll");
    EXPECT_EQ(fromAgentAndBack(Connected{1, 40}).made, 40u);
    EXPECT_EQ(fromAgentAndBack(Finished{1}).worker, 1u);
}

TEST(AgentMessages, FiguresArriveWithoutLoss) {
    auto figures = std::make_unique<load::LoadFigures>();
    for (int i = 1; i < 1000; ++i) figures->latency.record(nanoseconds(i * i * 1017));
    figures->answered = 999;
    figures->errors.other["odd"] = 3;
    const json before = load::figuresToJson(*figures);
    const Reported sent{6, std::move(figures)};
    const auto message = readFromAgent(nio::asBytes(write(sent))).orThrow();
    const auto& reported = std::get<Reported>(message);
    EXPECT_EQ(reported.worker, 6u);
    EXPECT_EQ(load::figuresToJson(*reported.figures), before);
}

TEST(AgentMessages, TheLargestFiguresFitInOnePacket) {
    apps::LatencyHistogram full;
    for (long long value = 0; value < nanoseconds(std::chrono::seconds(60)).count();) {
        full.recordTimes(nanoseconds(value), 1'000'000);
        value += 1 + value / 2048;
    }
    auto figures = std::make_unique<load::LoadFigures>();
    figures->latency = figures->service = figures->lateness = figures->outside = full;
    figures->connect = full;
    EXPECT_LT(write(Reported{0, std::move(figures)}).size(), largestMessage);
}

TEST(AgentMessages, WhatAnAgentSaysCanBePrinted) {
    EXPECT_EQ(fromAgentAndBack(Refused{"a\nb\x1b[2Jc\x7f"}).reason, "a?b?[2Jc?");
    EXPECT_THAT(fromAgentAndBack(Ready{{"lo\rad"}, "e\tpoll"}).workers, ElementsAre("lo?ad"));
}

TEST(AgentMessages, BytesThatAreNoTextAreReplaced) {
    EXPECT_EQ(fromAgentAndBack(Refused{"a\xff\xfe z"}).reason, "a\uFFFD\uFFFD z");
}

// --- what is refused ------------------------------------------------------------------------

struct Malformed {
    const char* packet;
    const char* why;
};

void PrintTo(const Malformed& malformed, std::ostream* out) {
    *out << malformed.packet;
}

class MalformedToAgent : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedToAgent, IsRefusedWithAReason) {
    const auto message = readToAgent(nio::asBytes(GetParam().packet));
    ASSERT_FALSE(message);
    EXPECT_TRUE(message.error().is(std::errc::invalid_argument));
    EXPECT_EQ(message.error().context(), GetParam().why);
}

INSTANTIATE_TEST_SUITE_P(
    All, MalformedToAgent,
    testing::Values(
        Malformed{"", "the message: not JSON"}, Malformed{"{", "the message: not JSON"},
        Malformed{"GET / HTTP/1.1", "the message: not JSON"},
        Malformed{"{} {}", "the message: not JSON"},
        Malformed{"{\"message\":\"\xff\"}", "the message: not JSON"},
        Malformed{"{\"message\":1e999}", "the message: not JSON"},
        Malformed{"[[[[[[[[[[1]]]]]]]]]]", "the message: nested too deeply"},
        Malformed{"[]", "the message: not an object"}, Malformed{"1", "the message: not an object"},
        Malformed{"{}", "message: missing"}, Malformed{R"({"message":1})", "message: not a string"},
        Malformed{R"({"message":"dance"})", "message: unknown"},
        Malformed{R"({"message":"welcome","version":1})", "message: unknown"},
        Malformed{R"({"message":"hello","token":"t"})", "version: missing"},
        Malformed{R"({"message":"hello","version":1})", "token: missing"},
        Malformed{R"({"message":"hello","version":-1,"token":"t"})", "version: not a whole number"},
        Malformed{R"({"message":"hello","version":1.5,"token":"t"})",
                  "version: not a whole number"},
        Malformed{R"({"message":"hello","version":"1","token":"t"})",
                  "version: not a whole number"},
        Malformed{R"({"message":"hello","version":1,"token":null})", "token: not a string"},
        Malformed{R"({"message":"ping"})", "number: missing"},
        Malformed{R"({"message":"ping","number":9007199254740993})", "number: too large"},
        Malformed{R"({"message":"prepare","crew":0,"crews":1})", "arguments: missing"},
        Malformed{R"({"message":"prepare","arguments":"-x","crew":0,"crews":1})",
                  "arguments: not an array"},
        Malformed{R"({"message":"prepare","arguments":["a",1],"crew":0,"crews":1})",
                  "arguments: not a string"},
        Malformed{R"({"message":"prepare","arguments":[],"crew":1,"crews":1})",
                  "crew: out of range"},
        Malformed{R"({"message":"prepare","arguments":[],"crew":0,"crews":0})",
                  "crew: out of range"},
        Malformed{R"({"message":"prepare","arguments":[],"crew":0,"crews":1001})",
                  "crews: too large"},
        Malformed{R"({"message":"connect"})", "worker: missing"},
        Malformed{R"({"message":"stop","worker":1024})", "worker: too large"},
        Malformed{R"({"message":"send","worker":0,"begin":1,"from":2})", "to: missing"},
        Malformed{R"({"message":"send","worker":0,"begin":3,"from":2,"to":4})",
                  "from: earlier than begin"},
        Malformed{R"({"message":"send","worker":0,"begin":1,"from":4,"to":3})",
                  "to: earlier than from"},
        Malformed{R"({"message":"send","worker":0,"begin":1,"from":2,"to":4611686018427387905})",
                  "to: too large"}));

class MalformedFromAgent : public testing::TestWithParam<Malformed> {};

TEST_P(MalformedFromAgent, IsRefusedWithAReason) {
    const auto message = readFromAgent(nio::asBytes(GetParam().packet));
    ASSERT_FALSE(message);
    EXPECT_TRUE(message.error().is(std::errc::invalid_argument));
    EXPECT_EQ(message.error().context(), GetParam().why);
}

INSTANTIATE_TEST_SUITE_P(
    All, MalformedFromAgent,
    testing::Values(
        Malformed{"null", "the message: not an object"},
        Malformed{R"({"message":"hello","version":1,"token":"t"})", "message: unknown"},
        Malformed{R"({"message":"welcome"})", "version: missing"},
        Malformed{R"({"message":"refused"})", "reason: missing"},
        Malformed{R"({"message":"pong","number":1})", "clock: missing"},
        Malformed{R"({"message":"pong","number":1,"clock":-5})", "clock: not a whole number"},
        Malformed{R"({"message":"ready","selector":"epoll"})", "workers: missing"},
        Malformed{R"({"message":"ready","workers":[],"selector":"epoll"})", "workers: none"},
        Malformed{R"({"message":"ready","workers":["a"]})", "selector: missing"},
        Malformed{R"({"message":"connected","worker":0})", "made: missing"},
        Malformed{R"({"message":"connected","worker":0,"made":1000001})", "made: too large"},
        Malformed{R"({"message":"figures","worker":0})", "figures: missing"},
        Malformed{R"({"message":"figures","worker":0,"figures":{}})", "figures: latency: missing"},
        Malformed{R"({"message":"finished","worker":true})", "worker: not a whole number"}));

std::string refusalOf(const json& message) {
    const auto read = readToAgent(nio::asBytes(message.dump()));
    return read ? "" : read.error().context();
}

TEST(AgentMessages, TextsAreBounded) {
    const auto hello = [](std::size_t bytes) {
        return json{{"message", "hello"}, {"version", 1}, {"token", std::string(bytes, 't')}};
    };
    EXPECT_EQ(refusalOf(hello(1024)), "");
    EXPECT_EQ(refusalOf(hello(1025)), "token: too long");
    const auto prepare = [](std::size_t words, std::size_t bytes) {
        const std::vector<std::string> arguments(words, std::string(bytes, 'w'));
        return json{{"message", "prepare"}, {"arguments", arguments}, {"crew", 0}, {"crews", 1}};
    };
    EXPECT_EQ(refusalOf(prepare(1000, 1)), "");
    EXPECT_EQ(refusalOf(prepare(1001, 1)), "arguments: too many");
    EXPECT_EQ(refusalOf(prepare(1, 64 * 1024)), "");
    EXPECT_EQ(refusalOf(prepare(1, 64 * 1024 + 1)), "arguments: too long");
}

}  // namespace
