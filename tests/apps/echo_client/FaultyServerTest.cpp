// Each kind of damage on the way is counted as what it is, with and without framing.
#include <filesystem>
#include <fstream>

#include "apps/echo_client/EchoClientTesting.h"

namespace {

using namespace echoclient;

constexpr std::size_t messageBytes = 64;

// Answers message by message, and does with each one what the test says.
class FaultyConnection final : public nio::StreamHandler {
  public:
    using Messages = std::vector<nio::Bytes>;
    // Turns the number-th message of the connection into what is sent for it.
    using Fault = std::function<Messages(std::size_t number, nio::Bytes message)>;

    FaultyConnection(nio::SocketChannel channel, std::size_t frameBytes, Fault fault)
        : StreamHandler(std::move(channel), std::make_shared<nio::StreamOptions>()),
          frameBytes_(frameBytes),
          fault_(std::move(fault)) {}

  protected:
    void bytesArrived(nio::ByteView bytes) override NIO_REQUIRES(nio::onDispatcher) {
        kept_.insert(kept_.end(), bytes.begin(), bytes.end());
        while (kept_.size() >= frameBytes_) {
            const auto end = kept_.begin() + static_cast<std::ptrdiff_t>(frameBytes_);
            nio::Bytes message(kept_.begin(), end);
            kept_.erase(kept_.begin(), end);
            for (const nio::Bytes& answer : fault_(number_, std::move(message))) send(answer);
            ++number_;
        }
    }

  private:
    const std::size_t frameBytes_;
    const Fault fault_;
    nio::Bytes kept_;
    std::size_t number_ = 0;
};

class FaultyServer {
  public:
    FaultyServer(const std::string& framing, const std::function<FaultyConnection::Fault()>& make)
        : server_({.group = {.threads = 1}}, [=](nio::AcceptedConnection connection) {
              const std::size_t header = framing == "length" ? 4 : 0;
              return std::make_unique<FaultyConnection>(std::move(connection.channel),
                                                        messageBytes + header, make());
          }) {
        server_.start();
    }
    std::string port() const { return std::to_string(server_.address().port()); }

  private:
    nio::Server server_;
};

// One fault in each connection, at a message that each comes to.
constexpr std::size_t faulty = 20;

using Messages = FaultyConnection::Messages;

FaultyConnection::Fault drops() {
    return [](std::size_t number, nio::Bytes message) {
        return number == faulty ? Messages{} : Messages{std::move(message)};
    };
}

FaultyConnection::Fault repeats() {
    return [](std::size_t number, nio::Bytes message) {
        return number == faulty ? Messages{message, message} : Messages{std::move(message)};
    };
}

FaultyConnection::Fault swaps() {
    return [held = nio::Bytes()](std::size_t number, nio::Bytes message) mutable {
        if (number == faulty) {
            held = std::move(message);
            return Messages{};
        }
        return number == faulty + 1 ? Messages{std::move(message), held}
                                    : Messages{std::move(message)};
    };
}

FaultyConnection::Fault flips() {
    return [](std::size_t number, nio::Bytes message) {
        if (number == faulty) message[message.size() - 7] ^= nio::Byte{0x20};
        return Messages{std::move(message)};
    };
}

struct Kind {
    const char* name;
    FaultyConnection::Fault (*make)();
    const char* countedAs;
};

class FaultyServers : public testing::TestWithParam<std::tuple<Kind, const char*>> {};

TEST_P(FaultyServers, AreSeenThrough) {
    const auto& [kind, framing] = GetParam();
    const FaultyServer server(framing, kind.make);
    Process run(
        client({"--port", server.port(), "--framing", framing, "--pipeline", "8", "--duration",
                "0.5", "--size", std::to_string(messageBytes), "--json", "-"}));
    EXPECT_EQ(run.wait(), 3) << run.errors();
    const json errors = json::parse(run.output())["errors"];
    for (const char* each : {"lost", "duplicated", "reordered", "corrupted"}) {
        EXPECT_EQ(errors[each], each == std::string(kind.countedAs) ? 10 : 0) << each;
    }
    EXPECT_EQ(errors["wrongAnswer"], 10);
    EXPECT_EQ(errors["timedOut"], 0);
    EXPECT_EQ(errors["reset"], 0);
}

INSTANTIATE_TEST_SUITE_P(All, FaultyServers,
                         testing::Combine(testing::Values(Kind{"drops", drops, "lost"},
                                                          Kind{"repeats", repeats, "duplicated"},
                                                          Kind{"swaps", swaps, "reordered"},
                                                          Kind{"flips", flips, "corrupted"}),
                                          testing::Values("raw", "length")),
                         [](const auto& param) {
                             return std::string(std::get<0>(param.param).name) + "_" +
                                    std::get<1>(param.param);
                         });

TEST(KeepBad, LeavesTheFirstWrongAnswerAsAHexDump) {
    const FaultyServer server("raw", flips);
    const std::string path = testing::TempDir() + "echo-client-bad-" + server.port();
    Process run(client({"--port", server.port(), "--keep-bad", path, "--duration", "2"}));
    EXPECT_EQ(run.wait(), 3);
    std::ifstream file(path);
    const std::string dump((std::istreambuf_iterator<char>(file)), {});
    EXPECT_THAT(dump, testing::HasSubstr("message 20:"));
    EXPECT_THAT(dump, testing::HasSubstr("00000030"));
    std::filesystem::remove(path);
}

}  // namespace
