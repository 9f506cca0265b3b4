// The short way to a server: callables, typed protocols, and the whole put together.
#include <nio/handlers/Server.h>

#include <gtest/gtest.h>

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "nio/sys/KernelTesting.h"
#include "support/FaultySelector.h"
#include "support/LogCapture.h"
#include "support/TestClient.h"

#include <nio/channel/ReadinessIo.h>
#include <nio/codec/LineDecoder.h>
#include <nio/codec/TextCodec.h>

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
        nio::newDecoder<nio::LineDecoder>, [] { return std::make_unique<Codec>(); },
        [] { return std::make_unique<Shouter>(); });
}

// Two dispatchers, of which some have waits that always fail.
nio::ServerOptions brokenServer(const support::FaultySelector::Faults& faults,
                                std::vector<bool> broken) {
    nio::ServerOptions options = twoDispatchers();
    options.group.thread.maxLoopFailures = 2;
    options.group.thread.openSelector = [&faults, broken, next = std::make_shared<std::size_t>(0)] {
        return broken[(*next)++] ? support::FaultySelector::options(faults).openSelector()
                                 : nio::Selector::open({});
    };
    return options;
}

class ServerWithABrokenDispatcher : public testing::TestWithParam<std::vector<bool>> {};

TEST_P(ServerWithABrokenDispatcher, EndsAsAWholeAndSaysWhy) {
    const support::LogCapture log;
    const support::FaultySelector::Faults faults{.wait = true};
    std::atomic<long> told{0};
    nio::ServerOptions options = brokenServer(faults, GetParam());
    options.group.thread.onGivingUp = [&](const nio::Error&) {
        ++told;
        throw std::runtime_error("not allowed, and does no harm");
    };
    nio::Server server(std::move(options), shouters<nio::TextCodec>());
    server.start();
    try {
        server.wait();
        ADD_FAILURE() << "it did not say why it has ended";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), nio::Errc::loopFailed);
        EXPECT_NE(std::string(error.what()).find(": its loop failed"), std::string::npos);
    }
    EXPECT_EQ(told, std::count(GetParam().begin(), GetParam().end(), true));
}

INSTANTIATE_TEST_SUITE_P(TheFirstTheSecondOrBoth, ServerWithABrokenDispatcher,
                         testing::Values(std::vector{true, false}, std::vector{false, true},
                                         std::vector{true, true}));

TEST(Server, SpeaksATypedProtocolUntilItSaysThatItIsOver) {
    nio::Server server(twoDispatchers(), shouters<nio::TextCodec>());
    server.start();
    TestClient client(server.address());
    client.send("hello\n\nthere\nbye\nnever answered\n");
    ASSERT_TRUE(pumpUntilEnd(client));
    EXPECT_EQ(client.received(), "HELLO!\nTHERE!\nBYE!\n");
    EXPECT_EQ(client.end(), TestClient::End::finished);
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

TEST(Server, AnswersWhatCameBeforeAMessageThatIsNoneAndEndsTheConnection) {
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
    nio::Server server(twoDispatchers(),
                       nio::packetHandlers(nio::newDecoder<nio::LineDecoder>, callbacks));
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

TEST(Server, AnAnswerThatCannotBeFramedEndsTheConnectionBehindTheOthers) {
    nio::Server server(twoDispatchers(), nio::typedHandlers<std::string>(
                                             nio::newDecoder<nio::LineDecoder>,
                                             [] { return std::make_unique<nio::TextCodec>(); },
                                             [] { return std::make_unique<TwoLines>(); }));
    server.start();
    TestClient client(server.address());
    client.send("one\ntwo\nthree\n");
    ASSERT_TRUE(pumpUntilEnd(client));
    EXPECT_EQ(client.received(), "one\n");
    EXPECT_EQ(client.end(), TestClient::End::finished);
}

TEST(Server, CallablesThatAreLeftOutAreNotCalled) {
    nio::Server server(twoDispatchers(), nio::packetHandlers(nio::newDecoder<nio::LineDecoder>,
                                                             nio::PacketCallbacks()));
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
    nio::Server server(twoDispatchers(),
                       nio::packetHandlers(nio::newDecoder<nio::LineDecoder>, callbacks));
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
    nio::Server server(std::move(options),
                       nio::packetHandlers(nio::newDecoder<nio::LineDecoder>, callbacks));
    server.start();
    TestClient client(server.address());
    client.send("x\n");
    ASSERT_TRUE(pumpUntilEnd(client));
    EXPECT_EQ(reason.get_future().get(), "no: a callback threw");
}

// SIGINT and SIGTERM are blocked by run(); given back as they were.
class SignalMask {
  public:
    SignalMask() { ::pthread_sigmask(SIG_SETMASK, nullptr, &before_); }
    ~SignalMask() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalMask(const SignalMask&) = delete;
    SignalMask& operator=(const SignalMask&) = delete;

  private:
    sigset_t before_{};
};

TEST(Server, RunsASingleDispatcherOnTheCallingThreadUntilASignalAndASecondOneAborts) {
    const SignalMask mask;
    std::thread::id servedBy;
    nio::PacketCallbacks callbacks;
    callbacks.packetArrived = [&](nio::PacketChannel& channel, nio::ByteView) {
        nio::onDispatcher.assertCurrent();
        servedBy = std::this_thread::get_id();
        channel.pauseReading();  // it is not quiet: a drain waits for it
        ::pthread_kill(::pthread_self(), SIGTERM);
        ::pthread_kill(::pthread_self(), SIGINT);
    };
    nio::ServerOptions options;
    options.group.threads = 1;
    options.drain.deadline = std::chrono::hours(1);
    nio::Server server(std::move(options),
                       nio::packetHandlers(nio::newDecoder<nio::LineDecoder>, callbacks));
    TestClient client(server.address());
    client.send("one\n");
    while (client.unsentBytes() > 0) client.pump();
    const nio::DrainReport report = server.run();
    EXPECT_EQ(servedBy, std::this_thread::get_id());
    EXPECT_EQ(report.aborted, 1u);
    EXPECT_EQ(report.drained, 0u);
}

TEST(Server, RunsSeveralDispatchersOnThreadsOfTheirOwnUntilASignal) {
    const SignalMask mask;
    std::atomic<std::thread::id> servedBy;
    nio::PacketCallbacks callbacks;
    callbacks.packetArrived = [&](nio::PacketChannel& channel, nio::ByteView) {
        nio::onDispatcher.assertCurrent();
        servedBy.store(std::this_thread::get_id());
        channel.pauseReading();  // it is not quiet: a drain waits for it
        ::kill(::getpid(), SIGTERM);
    };
    nio::ServerOptions options = twoDispatchers();
    options.drain.deadline = std::chrono::milliseconds::zero();
    nio::Server server(std::move(options),
                       nio::packetHandlers(nio::newDecoder<nio::LineDecoder>, callbacks));
    TestClient client(server.address());
    client.send("one\n");
    while (client.unsentBytes() > 0) client.pump();
    EXPECT_EQ(server.run().aborted, 1u);
    EXPECT_NE(servedBy.load(), std::thread::id());
    EXPECT_NE(servedBy.load(), std::this_thread::get_id());
}

TEST(Server, IsStartedOnce) {
    nio::Server server(twoDispatchers(), shouters<nio::TextCodec>());
    server.start();
    EXPECT_THROW(server.start(), std::logic_error);
}

TEST(Server, GoesWithoutEverHavingBeenStarted) {
    nio::Server server(twoDispatchers(), shouters<nio::TextCodec>());
    server.requestStop();
}

TEST(Server, RefusesABadAddressAndOneInUse) {
    nio::ServerOptions bad;
    bad.address = "nowhere";
    EXPECT_THROW(nio::Server(std::move(bad), shouters<nio::TextCodec>()), std::system_error);
    nio::Server first(twoDispatchers(), shouters<nio::TextCodec>());
    nio::ServerOptions taken;
    taken.address = first.address().toString();
    EXPECT_THROW(nio::Server(std::move(taken), shouters<nio::TextCodec>()), std::system_error);
}

// Takes no key with this interest.
class Refusing final : public nio::Selector {
  public:
    explicit Refusing(nio::Interest refused) : refused_(refused) {}
    std::string_view name() const override { return "refusing"; }
    nio::ChannelIo& io() override { return io_; }

  private:
    nio::Result<void> watch(nio::SelectionKey& key) override {
        if (any(key.interest() & refused_)) return std::errc::no_space_on_device;
        return {};
    }
    void unwatch(nio::SelectionKey&) override {}
    nio::Result<void> rearm(nio::SelectionKey&) override { return {}; }
    nio::Result<void> wait(nio::kernel::WaitTime) override { return {}; }

    const nio::Interest refused_;
    nio::ReadinessIo io_{4096};
};

nio::ServerOptions refusing(nio::Interest refused) {
    nio::ServerOptions options;
    options.group.threads = 1;
    options.group.thread.openSelector = [refused]() -> nio::Result<std::unique_ptr<nio::Selector>> {
        return std::unique_ptr<nio::Selector>(std::make_unique<Refusing>(refused));
    };
    return options;
}

std::error_code ofRun(nio::Server& server) {
    try {
        server.run();
    } catch (const std::system_error& error) {
        return error.code();
    }
    return {};
}

TEST(Server, EndsWithAnErrorWhereItCannotListen) {
    nio::Server server(refusing(nio::Interest::accept), shouters<nio::TextCodec>());
    server.start();
    EXPECT_THROW(server.wait(), std::system_error);
}

TEST(Server, EndsWithAnErrorWhereItCannotHearSignals) {
    const SignalMask mask;
    nio::Server server(refusing(nio::Interest::read), shouters<nio::TextCodec>());
    EXPECT_EQ(ofRun(server), std::errc::no_space_on_device);
}

TEST(Server, StoppedBeforeItHasBegunItEndsWithoutAnError) {
    nio::Server server(twoDispatchers(), shouters<nio::TextCodec>());
    server.requestStop();
    server.start();
    EXPECT_NO_THROW(server.wait());
}

}  // namespace
