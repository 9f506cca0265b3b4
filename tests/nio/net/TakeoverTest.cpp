// A new server takes the listeners of the old one over.
#include <nio/net/Takeover.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <memory>
#include <optional>
#include <string>

#include <nio/codec/LineDecoder.h>
#include <nio/net/Server.h>
#include <nio/sys/handover/Handover.h>

#include "nio/sys/KernelTesting.h"
#include "support/PumpUntil.h"
#include "support/TestClient.h"

namespace {

using nio::SocketAddress;
using support::pumpUntil;
using support::TestClient;

struct Place {
    nio::kerneltest::TemporaryFolder folder;
    std::string path = folder.file("takeover");
    SocketAddress unixAddress = SocketAddress::unixPath(folder.file("service")).orThrow();
};

// Answers each line with its name.
struct Named {
    Named(const std::string& path, const SocketAddress& address, std::string name)
        : takeover(path), server(optionsFor(takeover, address), namer(std::move(name))) {}

    static nio::HandlerFactory namer(std::string name) {
        return nio::pipeline(nio::lines(), [name = std::move(name)](auto& peer, std::string_view) {
            nio::onDispatcher.assumeCurrent();
            peer.send(name);
        });
    }
    static nio::ServerOptions optionsFor(nio::Takeover& takeover, const SocketAddress& address) {
        nio::ServerOptions options;
        options.address = takeover.listen(address);
        options.group.threads = 1;
        return options;
    }
    void serve() {
        server.start();
        takeover.serve(server.group()[0], [this](nio::SocketChannel) {
            server.group().requestClose(nio::DrainOptions::handedOver());
        });
    }

    nio::Takeover takeover;
    nio::Server server;
};

std::string whoAnswers(TestClient& client) {
    client.send("who?\n");
    pumpUntil({&client}, [&] { return client.received().ends_with('\n'); });
    return client.received();
}

std::string whoServes(const SocketAddress& address) {
    TestClient client(address);
    return whoAnswers(client);
}

TEST(Takeover, TheFirstServerHasNoPredecessor) {
    const Place place;
    Named first(place.path, SocketAddress::loopback4(0), "first");
    EXPECT_FALSE(first.takeover.hasPredecessor());
    first.serve();
    EXPECT_EQ(whoServes(first.server.address()), "first\n");
}

TEST(Takeover, TheSuccessorServesWhereThePredecessorDrains) {
    const Place place;
    for (const SocketAddress& address : {SocketAddress::loopback4(0), place.unixAddress}) {
        auto first = std::make_unique<Named>(place.path, address, "first");
        first->serve();
        const SocketAddress served = first->server.address();
        TestClient open(served);
        EXPECT_EQ(whoAnswers(open), "first\n");

        Named second(place.path, served, "second");
        EXPECT_TRUE(second.takeover.hasPredecessor());
        EXPECT_EQ(whoServes(served), "first\n") << "the second one does not serve yet";
        second.serve();
        first->server.wait();
        EXPECT_TRUE(pumpUntil({&open}, [&] { return open.hasEnded(); }));
        EXPECT_EQ(open.end(), TestClient::End::finished);
        first.reset();
        EXPECT_EQ(whoServes(served), "second\n");
    }
}

TEST(Takeover, TheBacklogIsLeftToTheSuccessor) {
    const Place place;
    Named first(place.path, SocketAddress::loopback4(0), "first");
    TestClient early(first.server.address());
    // Never accepts: only this one's dispatcher serves.
    nio::SelectorThread dispatcher;
    first.takeover.serve(dispatcher, [&](nio::SocketChannel) {
        dispatcher.requestClose(nio::DrainOptions::handedOver());
    });
    dispatcher.start();
    Named second(place.path, first.server.address(), "second");
    second.serve();
    dispatcher.join();
    EXPECT_EQ(whoAnswers(early), "second\n");
}

TEST(Takeover, OneThatFailsToStartLeavesAllAsItIs) {
    const Place place;
    Named first(place.path, place.unixAddress, "first");
    first.serve();
    for (int attempt = 0; attempt < 3; ++attempt) {
        const Named failed(place.path, place.unixAddress, "failed");
        EXPECT_TRUE(failed.takeover.hasPredecessor());
    }
    EXPECT_EQ(whoServes(place.unixAddress), "first\n");
    Named second(place.path, place.unixAddress, "second");
    second.serve();
    first.server.wait();
    EXPECT_EQ(whoServes(place.unixAddress), "second\n");
}

TEST(Takeover, ASecondSuccessorIsRefusedMeanwhile) {
    const Place place;
    Named first(place.path, SocketAddress::loopback4(0), "first");
    first.serve();
    const nio::Takeover second(place.path);
    try {
        const nio::Takeover third(place.path);
        ADD_FAILURE() << "it has got the listeners";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::connection_reset);
        EXPECT_THAT(error.what(), testing::HasSubstr("takeover at unix:" + place.path));
    }
}

TEST(Takeover, APredecessorThatSaysNothingIsReported) {
    const Place place;
    const SocketAddress address = SocketAddress::unixPath(place.path).orThrow();
    const auto silent = nio::ServerSocketChannel::open(address).orThrow();
    try {
        const nio::Takeover second(place.path, std::chrono::milliseconds(1));
        ADD_FAILURE() << "it has got the listeners";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::timed_out);
    }
}

TEST(Takeover, TheOldOneMayStopWhileTheNewOneStarts) {
    const Place place;
    Named first(place.path, place.unixAddress, "first");
    first.serve();
    Named second(place.path, place.unixAddress, "second");
    first.server.requestStop();
    first.server.wait();
    second.serve();
    EXPECT_EQ(whoServes(place.unixAddress), "second\n");
    EXPECT_TRUE(nio::Takeover(place.path).hasPredecessor());
}

TEST(Takeover, LackOfDescriptorsLeavesThePredecessorsFiles) {
    const Place place;
    Named first(place.path, place.unixAddress, "first");
    first.serve();
    {
        Named second(place.path, place.unixAddress, "second");
        rlimit all{};
        ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &all), 0);
        rlimit none = all;
        none.rlim_cur = 3;
        ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
        EXPECT_THROW(second.serve(), std::system_error);
        ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &all), 0);
    }
    EXPECT_EQ(whoServes(place.unixAddress), "first\n");
    EXPECT_TRUE(nio::Takeover(place.path).hasPredecessor());
}

TEST(Takeover, OneThatAsksInADrainGetsNothing) {
    const Place place;
    const SocketAddress path = SocketAddress::unixPath(place.path).orThrow();
    nio::SelectorThread dispatcher;
    nio::Takeover takeover(place.path);
    (void)takeover.listen(SocketAddress::loopback4(0));
    takeover.serve(dispatcher, [](nio::SocketChannel) { ADD_FAILURE() << "relieved"; });
    dispatcher.turn(std::chrono::nanoseconds::zero());
    const nio::UniqueFd asking =
        nio::kernel::openStreamSocket(SocketAddress::Family::unix_).orThrow();
    // Both in one batch of tasks: the connect is in the backlog when the drain begins.
    ASSERT_TRUE(dispatcher.invokeLater([&] { (void)nio::kernel::connect(asking.get(), path); }));
    dispatcher.requestClose();
    dispatcher.run();
    std::array<nio::Byte, 1> byte{};
    EXPECT_THAT(nio::kernel::receiveDescriptors(asking.get(), byte).descriptors,
                testing::IsEmpty());
}

TEST(Takeover, AGroupLeavesBacklogAndFileToTheSuccessor) {
    const Place place;
    nio::ServerOptions options;
    options.address = place.unixAddress;
    options.group.threads = 1;
    options.acceptor.maxConnections = 1;
    nio::Server server(std::move(options), Named::namer("old"));
    server.start();
    TestClient served(place.unixAddress);
    EXPECT_EQ(whoAnswers(served), "old\n");
    TestClient waiting(place.unixAddress);
    waiting.send("who?\n");
    waiting.pump();
    server.group().requestClose(nio::DrainOptions::handedOver());
    server.wait();
    EXPECT_EQ(waiting.received(), "");
    EXPECT_EQ(nio::kernel::inspectSocketFile(place.unixAddress.path()),
              nio::kernel::SocketFile::socket);
}

// A predecessor that keeps the successor waiting: it serves on a dispatcher of its own.
struct Holder {
    explicit Holder(const std::string& path) : takeover(path) {
        takeover.serve(dispatcher, [this](nio::SocketChannel channel) {
            successor.emplace(std::move(channel));
            dispatcher.requestClose(nio::DrainOptions::handedOver());
        });
        dispatcher.start();
    }

    std::optional<nio::SocketChannel> successor;
    nio::Takeover takeover;
    nio::SelectorThread dispatcher;
};

TEST(Takeover, RelieveWaitsForWhatThePredecessorHolds) {
    const Place place;
    Holder holder(place.path);
    nio::Takeover next(place.path);
    try {
        next.relieve(std::chrono::milliseconds(1));
        ADD_FAILURE() << "the predecessor has released nothing";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::timed_out);
        EXPECT_THAT(error.what(), testing::HasSubstr("drain of the predecessor at unix:"));
    }
    holder.dispatcher.join();
    holder.successor.reset();
    EXPECT_NO_THROW(next.relieve(std::chrono::milliseconds(1)));
}

TEST(Takeover, ListenersAreKeptForTheSuccessorInARelief) {
    const Place place;
    auto first = std::make_unique<Named>(place.path, SocketAddress::loopback4(0), "first");
    first->serve();
    const SocketAddress served = first->server.address();
    Named second(place.path, served, "second");
    second.takeover.relieve(std::chrono::seconds(60));
    first->server.wait();
    first.reset();
    TestClient waiting(served);
    second.serve();
    EXPECT_EQ(whoAnswers(waiting), "second\n");
}

TEST(Takeover, AForgottenListenerIsNotOffered) {
    const Place place;
    nio::SelectorThread dispatcher;
    nio::Takeover first(place.path);
    const SocketAddress kept =
        nio::kernel::localAddress(first.listen(SocketAddress::loopback4(0)).get()).orThrow();
    const SocketAddress left =
        nio::kernel::localAddress(first.listen(SocketAddress::loopback4(0)).get()).orThrow();
    first.serve(dispatcher, [](nio::SocketChannel) {});
    dispatcher.start();
    first.forget(left);
    EXPECT_THROW(TestClient client(left), std::exception);
    EXPECT_NO_THROW(TestClient client(kept));
    EXPECT_TRUE(nio::Takeover(place.path).listen(kept));
}

TEST(Takeover, ListenGivesTheSameSocketAgain) {
    const Place place;
    nio::Takeover first(place.path);
    const nio::UniqueFd one = first.listen(SocketAddress::loopback4(0));
    const SocketAddress address = nio::kernel::localAddress(one.get()).orThrow();
    const nio::UniqueFd two = first.listen(address);
    EXPECT_EQ(nio::kernel::localAddress(two.get()).orThrow(), address);
}

TEST(Takeover, AnAbstractNameIsRefused) {
    try {
        const nio::Takeover takeover("@anybody");
        ADD_FAILURE() << "it is taken";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::invalid_argument);
    }
}

TEST(Takeover, ADrainClosesWhatASuccessorWouldGet) {
    const Place place;
    Named first(place.path, place.unixAddress, "first");
    first.serve();
    first.server.requestStop();
    first.server.wait();
    for (const std::string& path : {place.path, place.unixAddress.path()}) {
        EXPECT_EQ(nio::kernel::inspectSocketFile(path), nio::kernel::SocketFile::absent) << path;
    }
    EXPECT_FALSE(nio::Takeover(place.path).hasPredecessor());
}

TEST(Takeover, AListenerThatNobodyWantsIsClosed) {
    const Place place;
    Named first(place.path, SocketAddress::loopback4(0), "first");
    first.serve();
    const SocketAddress old = first.server.address();
    Named second(place.path, SocketAddress::loopback4(0), "second");
    second.serve();
    first.server.wait();
    EXPECT_THROW(TestClient client(old), std::exception);
    EXPECT_EQ(whoServes(second.server.address()), "second\n");
}

}  // namespace
