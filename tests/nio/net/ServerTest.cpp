// The short way to a server: a pipeline, or a listener of packets.
#include <nio/net/Server.h>

#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <string>
#include <vector>

#include "nio/sys/KernelTesting.h"
#include "support/Callbacks.h"
#include "support/TestClient.h"

#include <nio/codec/LineDecoder.h>

namespace {

using support::Callbacks;
using support::TestClient;
using Peer = support::Callbacks::Peer;

bool pumpUntilEnd(TestClient& client) {
    const nio::TimePoint end = nio::Clock::after(nio::kerneltest::patience);
    while (!client.hasEnded() && nio::Clock::now() < end) client.pump();
    return client.hasEnded();
}

nio::ServerOptions twoDispatchers() {
    nio::ServerOptions options;
    options.group.threads = 2;
    return options;
}

// Answers in capitals; says goodbye to "bye" and to nobody who says nothing.
class Shouter {
  public:
    std::optional<std::string> process(std::string message) {
        if (message.empty()) return std::nullopt;
        ended_ = message == "bye";
        for (char& letter : message) letter = static_cast<char>(::toupper(letter));
        return message + "!";
    }
    bool shouldTerminate() const { return ended_; }

  private:
    bool ended_ = false;
};

nio::HandlerFactory shouters() {
    return nio::pipeline(nio::lines(), Shouter());
}

TEST(Server, SpeaksAProtocolUntilItSaysThatItIsOver) {
    nio::Server server(twoDispatchers(), shouters());
    server.start();
    TestClient client(server.address());
    client.send("hello\n\nthere\nbye\nnever answered\n");
    ASSERT_TRUE(pumpUntilEnd(client));
    EXPECT_EQ(client.received(), "HELLO!\nTHERE!\nBYE!\n");
    EXPECT_EQ(client.end(), TestClient::End::finished);
}

TEST(Server, ListensAtExactlyTheAddressGiven) {
    const nio::kerneltest::TemporaryFolder folder;
    nio::ServerOptions options = twoDispatchers();
    options.address = nio::SocketAddress::unixPath(folder.file("a\nb")).orThrow();
    nio::Server server(std::move(options), shouters());
    EXPECT_EQ(server.address(), nio::SocketAddress::unixPath(folder.file("a\nb")).orThrow());
}

TEST(Server, MakesAProtocolObjectForEachConnection) {
    nio::Server server(twoDispatchers(), shouters());
    server.start();
    for (int i = 0; i < 4; ++i) {
        TestClient client(server.address());
        client.send("bye\n");
        ASSERT_TRUE(pumpUntilEnd(client));
        EXPECT_EQ(client.received(), "BYE!\n");
    }
}

TEST(Server, CallsTheCallablesOfAConnectionInItsOrder) {
    std::mutex mutex;
    std::vector<std::string> journal;
    const auto note = [&](const std::string& what) {
        std::lock_guard lock(mutex);
        journal.push_back(what);
    };
    Callbacks callbacks;
    callbacks.onOpened = [&](const Peer&) { note("opened"); };
    callbacks.onPacket = [&](const Peer& channel, std::string_view packet) {
        note("packet " + std::string(packet));
        channel.send(packet);
    };
    callbacks.onFlushed = [&](const Peer&) { note("sent"); };
    callbacks.onClosed = [&](const Peer&, const std::optional<nio::Error>& reason) {
        note(reason ? reason->message() : "closed");
    };
    nio::Server server(twoDispatchers(), nio::pipeline(nio::lines(), callbacks));
    server.start();
    TestClient client(server.address());
    client.send("one\n");
    client.finish();
    ASSERT_TRUE(pumpUntilEnd(client));
    server.requestStop();
    EXPECT_EQ(server.wait().drained, 0u);
    EXPECT_EQ(journal, (std::vector<std::string>{"opened", "packet one", "sent", "closed"}));
}

// Its answers cannot be framed as lines.
class TwoLines {
  public:
    std::optional<std::string> process(std::string message) {
        return message == "two" ? "one\ntwo" : message;
    }
    bool shouldTerminate() const { return false; }
};

TEST(Server, AnAnswerThatCannotBeFramedEndsTheConnection) {
    nio::Server server(twoDispatchers(), nio::pipeline(nio::lines(), TwoLines()));
    server.start();
    TestClient client(server.address());
    client.send("one\ntwo\nthree\n");
    ASSERT_TRUE(pumpUntilEnd(client));
    EXPECT_EQ(client.received(), "one\n");
    EXPECT_EQ(client.end(), TestClient::End::finished);
}

TEST(Server, CallablesThatAreLeftOutAreNotCalled) {
    nio::Server server(twoDispatchers(), nio::pipeline(nio::lines(), Callbacks()));
    server.start();
    TestClient client(server.address());
    client.send("nobody hears this\n");
    client.finish();
    ASSERT_TRUE(pumpUntilEnd(client));
    EXPECT_EQ(client.received(), "");
    EXPECT_EQ(client.end(), TestClient::End::finished);
}

TEST(Server, ThePeersEndClosesAfterTheLastAnswer) {
    nio::Server server(twoDispatchers(), nio::pipeline(nio::lines(), [](auto& peer, auto line) {
                           nio::onDispatcher.assumeCurrent();
                           peer.send(line);
                       }));
    server.start();
    TestClient client(server.address());
    const std::string lines(100'000, '\n');
    client.send(lines);
    client.finish();
    ASSERT_TRUE(pumpUntilEnd(client));
    EXPECT_EQ(client.received(), lines);
    EXPECT_EQ(client.end(), TestClient::End::finished);
}

TEST(Server, TheCallableForThePeersEndDecidesWhatComesThen) {
    Callbacks callbacks;
    callbacks.onOpened = [](const Peer& channel) { channel.send("welcome"); };
    callbacks.onFinished = [](const Peer& channel) {
        channel.send("bye");
        channel->closeAfterFlush();
    };
    nio::Server server(twoDispatchers(), nio::pipeline(nio::lines(), callbacks));
    server.start();
    TestClient client(server.address());
    client.finish();
    ASSERT_TRUE(pumpUntilEnd(client));
    EXPECT_EQ(client.received(), "welcome\nbye\n");
}

TEST(Server, TheCallableForTheEndIsToldTheReason) {
    std::promise<std::string> reason;
    Callbacks callbacks;
    callbacks.onPacket = [](const Peer&, std::string_view) { throw std::runtime_error("no"); };
    callbacks.onClosed = [&](const Peer&, const std::optional<nio::Error>& error) {
        reason.set_value(error ? error->message() : "none");
    };
    nio::ServerOptions options = twoDispatchers();
    options.group.thread.onFailure = [](const nio::Failure&) {};
    nio::Server server(std::move(options), nio::pipeline(nio::lines(), callbacks));
    server.start();
    TestClient client(server.address());
    client.send("x\n");
    ASSERT_TRUE(pumpUntilEnd(client));
    EXPECT_EQ(reason.get_future().get(), "no: a callback threw an exception");
}

}  // namespace
