// The short way to a server: callables and typed protocols.
#include <nio/net/Server.h>

#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <string>
#include <vector>

#include "nio/sys/KernelTesting.h"
#include "support/TestClient.h"

#include <nio/codec/LineDecoder.h>
#include <nio/codec/MessageCodec.h>

namespace {

using support::TestClient;

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
class Shouter final : public nio::MessagingProtocol<std::string> {
  public:
    std::optional<std::string> process(std::string message) override {
        if (message.empty()) return std::nullopt;
        ended_ = message == "bye";
        for (char& letter : message) letter = static_cast<char>(::toupper(letter));
        return message + "!";
    }
    bool shouldTerminate() const override { return ended_; }

  private:
    bool ended_ = false;
};

// Takes only lines of letters.
class LettersCodec final : public nio::MessageCodec<std::string> {
  public:
    std::optional<std::string> decode(nio::ByteView packet) override {
        const std::string text(nio::asText(packet));
        if (text.find_first_of("0123456789") != std::string::npos) return std::nullopt;
        return text;
    }
    void encode(const std::string& message, nio::Bytes& packet) const override {
        const nio::ByteView bytes = nio::asBytes(message);
        packet.insert(packet.end(), bytes.begin(), bytes.end());
    }
};

template <class Codec>
nio::HandlerFactory shouters() {
    return nio::typedHandlers<std::string>(
        nio::lines(), [] { return std::make_unique<Codec>(); },
        [] { return std::make_unique<Shouter>(); });
}

TEST(Server, SpeaksATypedProtocolUntilItSaysThatItIsOver) {
    nio::Server server(twoDispatchers(), shouters<nio::TextCodec>());
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
    nio::Server server(std::move(options), shouters<nio::TextCodec>());
    EXPECT_EQ(server.address(), nio::SocketAddress::unixPath(folder.file("a\nb")).orThrow());
}

TEST(Server, MakesAProtocolObjectForEachConnection) {
    nio::Server server(twoDispatchers(), shouters<nio::TextCodec>());
    server.start();
    for (int i = 0; i < 4; ++i) {
        TestClient client(server.address());
        client.send("bye\n");
        ASSERT_TRUE(pumpUntilEnd(client));
        EXPECT_EQ(client.received(), "BYE!\n");
    }
}

TEST(Server, AnswersWhatPrecedesAnInvalidMessageThenCloses) {
    nio::Server server(twoDispatchers(), shouters<LettersCodec>());
    server.start();
    TestClient client(server.address());
    client.send("fine\n123\nnever answered\n");
    ASSERT_TRUE(pumpUntilEnd(client));
    EXPECT_EQ(client.received(), "FINE!\n");
    EXPECT_EQ(client.end(), TestClient::End::finished);
}

TEST(Server, CallsTheCallablesOfAConnectionInItsOrder) {
    std::mutex mutex;
    std::vector<std::string> journal;
    const auto note = [&](const std::string& what) {
        std::lock_guard lock(mutex);
        journal.push_back(what);
    };
    nio::PacketCallbacks callbacks;
    callbacks.opened = [&](nio::PacketChannel&) { note("opened"); };
    callbacks.packetArrived = [&](nio::PacketChannel& channel, nio::ByteView packet) {
        nio::onDispatcher.assertCurrent();
        note("packet " + std::string(nio::asText(packet)));
        channel.sendPacket(packet).orThrow();
    };
    callbacks.packetSent = [&](nio::PacketChannel&) { note("sent"); };
    callbacks.closed = [&](nio::PacketChannel&, const std::optional<nio::Error>& reason) {
        note(reason ? reason->message() : "closed");
    };
    nio::Server server(twoDispatchers(), nio::packetHandlers(nio::lines(), callbacks));
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
class TwoLines final : public nio::MessagingProtocol<std::string> {
  public:
    std::optional<std::string> process(std::string message) override {
        return message == "two" ? "one\ntwo" : message;
    }
    bool shouldTerminate() const override { return false; }
};

TEST(Server, AnAnswerThatCannotBeFramedEndsTheConnection) {
    nio::Server server(twoDispatchers(),
                       nio::typedHandlers<std::string>(
                           nio::lines(), [] { return std::make_unique<nio::TextCodec>(); },
                           [] { return std::make_unique<TwoLines>(); }));
    server.start();
    TestClient client(server.address());
    client.send("one\ntwo\nthree\n");
    ASSERT_TRUE(pumpUntilEnd(client));
    EXPECT_EQ(client.received(), "one\n");
    EXPECT_EQ(client.end(), TestClient::End::finished);
}

// Answers each line with its own number.
class Numbered final : public nio::PacketChannelListener {
  public:
    explicit Numbered(int number) : number_(std::to_string(number)) {}
    void packetArrived(nio::PacketChannel& channel, nio::ByteView) override
        NIO_REQUIRES(nio::onDispatcher) {
        channel.send(number_);
    }

  private:
    const std::string number_;
};

TEST(Server, AFactoryOfListenersMayKeepState) {
    nio::Server server(twoDispatchers(), nio::packetHandlers(nio::lines(), [number = 0]() mutable {
                           return std::make_shared<Numbered>(++number);
                       }));
    server.start();
    for (const char* expected : {"1\n", "2\n"}) {
        TestClient client(server.address());
        client.send("which?\n");
        client.finish();
        ASSERT_TRUE(pumpUntilEnd(client));
        EXPECT_EQ(client.received(), expected);
    }
}

TEST(Server, CallablesThatAreLeftOutAreNotCalled) {
    nio::Server server(twoDispatchers(), nio::packetHandlers(nio::lines(), nio::PacketCallbacks()));
    server.start();
    TestClient client(server.address());
    client.send("nobody hears this\n");
    client.finish();
    ASSERT_TRUE(pumpUntilEnd(client));
    EXPECT_EQ(client.received(), "");
    EXPECT_EQ(client.end(), TestClient::End::finished);
}

TEST(Server, TheCallableForThePeersEndDecidesWhatComesThen) {
    nio::PacketCallbacks callbacks;
    callbacks.opened = [](nio::PacketChannel& channel) {
        nio::onDispatcher.assertCurrent();
        channel.sendPacket(nio::asBytes("welcome")).orThrow();
    };
    callbacks.peerFinished = [](nio::PacketChannel& channel) {
        nio::onDispatcher.assertCurrent();
        channel.sendPacket(nio::asBytes("bye")).orThrow();
        channel.closeAfterFlush();
    };
    nio::Server server(twoDispatchers(), nio::packetHandlers(nio::lines(), callbacks));
    server.start();
    TestClient client(server.address());
    client.finish();
    ASSERT_TRUE(pumpUntilEnd(client));
    EXPECT_EQ(client.received(), "welcome\nbye\n");
}

TEST(Server, TheCallableForTheEndIsToldTheReason) {
    std::promise<std::string> reason;
    nio::PacketCallbacks callbacks;
    callbacks.packetArrived = [](nio::PacketChannel&, nio::ByteView) {
        throw std::runtime_error("no");
    };
    callbacks.closed = [&](nio::PacketChannel&, const std::optional<nio::Error>& error) {
        reason.set_value(error ? error->message() : "none");
    };
    nio::ServerOptions options = twoDispatchers();
    options.group.thread.onFailure = [](const nio::Failure&) {};
    nio::Server server(std::move(options), nio::packetHandlers(nio::lines(), callbacks));
    server.start();
    TestClient client(server.address());
    client.send("x\n");
    ASSERT_TRUE(pumpUntilEnd(client));
    EXPECT_EQ(reason.get_future().get(), "no: a callback threw an exception");
}

}  // namespace
