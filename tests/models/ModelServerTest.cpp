// model-server as its users meet it: each of the four models echoes right, and ends in order.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <thread>

#include "support/Process.h"
#include "support/TestClient.h"

namespace {

using support::bin;
using support::Process;
using support::TestClient;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

// A model that listens.
class Server {
  public:
    explicit Server(const std::vector<std::string>& arguments,
                    std::vector<std::string> command = {}) {
        command.push_back(bin("model-server"));
        command.insert(command.end(), arguments.begin(), arguments.end());
        process_ = std::make_unique<Process>(command);
        readyLine_ = process_->readLine();
    }

    const std::string& readyLine() const { return readyLine_; }
    nio::SocketAddress address() const {
        const std::string before = "model-server listening on ";
        const std::string rest = readyLine_.substr(before.size());
        return nio::SocketAddress::parse(rest.substr(0, rest.find(' '))).orThrow();
    }
    Process& process() { return *process_; }
    int stop(int signal = SIGTERM) {
        process_->signal(signal);
        return process_->wait();
    }

  private:
    std::unique_ptr<Process> process_;
    std::string readyLine_;
};

using Clients = std::vector<std::unique_ptr<TestClient>>;

// Pumps the clients until the condition holds; false when patience is over.
bool pumpUntil(const Clients& clients, const std::function<bool()>& condition) {
    const nio::TimePoint end = nio::Clock::now() + Process::patience;
    while (!condition()) {
        if (nio::Clock::now() > end) return false;
        for (const auto& client : clients) client->pump();
        std::this_thread::yield();
    }
    return true;
}

bool haveEnded(const Clients& clients) {
    return std::all_of(clients.begin(), clients.end(), [](auto& c) { return c->hasEnded(); });
}

// Different bytes for each client.
std::string conversation(std::size_t number, std::size_t bytes) {
    std::string text;
    while (text.size() < bytes) text += std::to_string(number) + ':' + std::to_string(text.size());
    text.resize(bytes);
    return text;
}

void expectEchoes(const Server& server, std::size_t clients, std::size_t bytes) {
    Clients all;
    for (std::size_t i = 0; i < clients; ++i) {
        all.push_back(std::make_unique<TestClient>(server.address()));
        all.back()->send(conversation(i, bytes));
        all.back()->finish();
    }
    ASSERT_TRUE(pumpUntil(all, [&] { return haveEnded(all); }));
    for (std::size_t i = 0; i < clients; ++i) {
        EXPECT_EQ(all[i]->end(), TestClient::End::finished) << "client " << i;
        EXPECT_TRUE(all[i]->hasReceived(conversation(i, bytes))) << "client " << i;
    }
}

class ModelServer : public testing::TestWithParam<const char*> {};

TEST_P(ModelServer, SaysInOneLineWhereItListensAndWhichModelItIs) {
    Server server({GetParam(), "--port", "0"});
    EXPECT_THAT(server.readyLine(), AllOf(StartsWith("model-server listening on 127.0.0.1:"),
                                          HasSubstr(" (" + std::string(GetParam()) + ", ")));
}

TEST_P(ModelServer, EchoesEveryByteToManyClientsAndEndsInOrder) {
    Server server({GetParam()});
    expectEchoes(server, 40, 20'000);
    EXPECT_EQ(server.stop(), 0);
    EXPECT_THAT(server.process().errors(), IsEmpty());
}

TEST_P(ModelServer, EchoesMoreThanBuffersHold) {
    Server server({GetParam()});
    expectEchoes(server, 2, 3'000'000);
}

TEST_P(ModelServer, EchoesAnyChoppingWhileItsHandlerBlocks) {
    Server server({GetParam(), "--work", "block:100us", "--size", "100"});
    Clients clients;
    clients.push_back(std::make_unique<TestClient>(server.address()));
    TestClient& client = *clients.front();
    // Pieces that end within, at and after the end of a message.
    std::string all;
    for (const std::size_t bytes : {1, 99, 100, 50, 51, 250, 7, 3}) {
        const std::string piece = conversation(bytes, bytes);
        all += piece;
        client.send(piece);
        ASSERT_TRUE(pumpUntil(clients, [&] { return client.received().size() == all.size(); }));
    }
    client.finish();
    ASSERT_TRUE(pumpUntil(clients, [&] { return client.hasEnded(); }));
    EXPECT_TRUE(client.hasReceived(all));
}

TEST_P(ModelServer, EndsOnSigintWhileClientsAreConnectedAndBusy) {
    Server server({GetParam(), "--work", "block:1ms"});
    Clients clients;
    for (std::size_t i = 0; i < 10; ++i) {
        clients.push_back(std::make_unique<TestClient>(server.address()));
        clients.back()->send(conversation(i, 640));
    }
    ASSERT_TRUE(pumpUntil(clients, [&] {
        return std::all_of(clients.begin(), clients.end(),
                           [](auto& client) { return !client->received().empty(); });
    }));
    EXPECT_EQ(server.stop(SIGINT), 0);
}

TEST_P(ModelServer, ServesThoseWhoComeWhenOthersHaveGone) {
    Server server({GetParam()});
    for (int round = 0; round < 5; ++round) expectEchoes(server, 20, 100);
    EXPECT_EQ(server.stop(), 0);
}

std::string nameOf(const testing::TestParamInfo<const char*>& info) {
    std::string name = info.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Models, ModelServer,
                         testing::Values("m-dispatchers-no-workers", "thread-per-client",
                                         "one-dispatcher-n-workers", "m-dispatchers-n-workers"),
                         nameOf);

TEST(ModelServerThreadPerClient, SaysAtWhichClientItsDescriptorsRanOutAndGoesOn) {
    Server server({"thread-per-client"}, {"/bin/sh", "-c", "ulimit -n 20; exec \"$@\"", "sh"});
    Clients clients;
    for (int i = 0; i < 30; ++i) {
        clients.push_back(std::make_unique<TestClient>(server.address()));
    }
    const std::string line = server.process().readErrorLine();
    EXPECT_THAT(line, StartsWith("model-server: no descriptor for client "));
    clients.clear();
    expectEchoes(server, 5, 100);
    EXPECT_EQ(server.stop(), 0);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#elif defined(__has_feature)
constexpr bool sanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool sanitized = false;
#endif

TEST(ModelServerThreadPerClient, ReportsAndRefusesTheClientWithoutAThread) {
    if (sanitized) GTEST_SKIP() << "sanitizers want more address space than there is here";
    Server server({"thread-per-client", "--stack-kib", "65536"},
                  {"/bin/sh", "-c", "ulimit -v 1000000; exec \"$@\"", "sh"});
    Clients clients;
    const auto isTurnedAway = [&] { return clients.back()->hasEnded(); };
    const auto isServed = [&] { return clients.back()->hasReceived("hello"); };
    for (int i = 0; i < 20; ++i) {
        clients.push_back(std::make_unique<TestClient>(server.address()));
        clients.back()->send("hello");
        ASSERT_TRUE(pumpUntil(clients, [&] { return isServed() || isTurnedAway(); }));
        if (isTurnedAway()) break;
    }
    EXPECT_TRUE(isTurnedAway());
    EXPECT_THAT(server.process().readErrorLine(),
                StartsWith("model-server: no thread for client " + std::to_string(clients.size())));
    EXPECT_EQ(server.stop(), 0);
}

void expectRefusal(const std::vector<std::string>& arguments, const std::string& because) {
    std::vector<std::string> command{bin("model-server")};
    command.insert(command.end(), arguments.begin(), arguments.end());
    Process process(command);
    EXPECT_EQ(process.wait(), 2);
    EXPECT_THAT(process.output(), IsEmpty());
    EXPECT_THAT(process.errors(), AllOf(StartsWith("model-server: "), HasSubstr(because)));
    EXPECT_EQ(process.errors().find('\n'), process.errors().size() - 1) << process.errors();
}

TEST(ModelServerCommandLine, RefusesInOneLineWhatItDoesNotUnderstand) {
    expectRefusal({}, "MODEL is required");
    expectRefusal({"fork-per-client"}, "'fork-per-client' is not one of");
    expectRefusal({"thread-per-client", "--work", "block:1s"}, "'block:1s' is not none or block:");
    expectRefusal({"thread-per-client", "--nonsense"}, "--nonsense");
}

TEST(ModelServerCommandLine, RefusesAnOptionThatMeansNothingToTheModel) {
    expectRefusal({"thread-per-client", "--workers", "2"}, "--workers means nothing to");
    expectRefusal({"one-dispatcher-n-workers", "--threads", "2"}, "--threads means nothing to");
    expectRefusal({"m-dispatchers-no-workers", "--workers", "2"}, "--workers means nothing to");
    expectRefusal({"m-dispatchers-n-workers", "--stack-kib", "64"}, "--stack-kib means nothing");
}

}  // namespace
