#include <nio/net/Acceptor.h>

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <optional>
#include <thread>

#include "support/Engines.h"
#include "support/LogCapture.h"
#include "support/TestClient.h"
#include "support/TurnUntil.h"
#include "support/Verdict.h"

namespace {

using support::LogCapture;
using support::TestClient;
using support::verdict;

class Keeper final : public nio::AcceptorListener {
  public:
    void socketConnected(nio::Acceptor& acceptor, nio::AcceptedConnection connection) override {
        ++*accepted;
        if (onConnected) onConnected(acceptor);
        if (throws > 0) {
            --throws;
            throw std::runtime_error("no");
        }
        kept.push_back(std::move(connection));
    }
    void batchEnded(nio::Acceptor&) override {
        batches->push_back(*accepted);
        if (batchesThrow) throw std::runtime_error("no");
    }
    void socketError(nio::Acceptor&, const nio::Error&) override { ++errors; }
    int errors = 0;
    // How many had been accepted where each batch ended.
    std::shared_ptr<std::vector<std::size_t>> batches =
        std::make_shared<std::vector<std::size_t>>();
    std::shared_ptr<std::size_t> accepted = std::make_shared<std::size_t>(0);
    int throws = 0;
    bool batchesThrow = false;
    std::function<void(nio::Acceptor&)> onConnected;
    std::vector<nio::AcceptedConnection> kept;
};

// An Acceptor on a dispatcher that the test turns.
struct Listening {
    explicit Listening(const nio::AcceptorOptions& options = {},
                       nio::SelectorKind kind = nio::SelectorKind::automatic)
        : thread(threadOptions(kind)) {
        auto owned = std::make_unique<Keeper>();
        keeper = owned.get();
        count = keeper->accepted;
        batches = keeper->batches;
        auto made = nio::Acceptor::open(nio::SocketAddress::loopback4(0), std::move(owned), options)
                        .orThrow();
        acceptor = made.get();
        address = made->address();
        if (!thread.registerChannelLater(std::move(made), nio::Interest::accept)) std::abort();
        turn();
    }

    nio::SelectorThreadOptions threadOptions(nio::SelectorKind kind) {
        nio::SelectorThreadOptions options;
        options.selector.kind = kind;
        options.onFailure = [this](const nio::Failure& failure) { failures.push_back(failure); };
        return options;
    }

    bool turn() { return thread.turn(std::chrono::nanoseconds::zero()); }
    bool until(const std::function<bool()>& done) { return support::turnUntil(thread, done); }
    // Survives the Acceptor.
    std::size_t accepted() const { return *count; }
    TestClient& connect() { return *clients.emplace_back(std::make_unique<TestClient>(address)); }

    std::vector<nio::Failure> failures;
    nio::SelectorThread thread;
    Keeper* keeper = nullptr;
    std::shared_ptr<std::size_t> count;
    std::shared_ptr<std::vector<std::size_t>> batches;
    nio::Acceptor* acceptor = nullptr;
    nio::SocketAddress address;
    std::vector<std::unique_ptr<TestClient>> clients;
};

TEST(Acceptor, KnowsThePortThatTheSystemChose) {
    Listening listening;
    EXPECT_NE(listening.address.port(), 0);
    EXPECT_EQ(listening.address.host(), "127.0.0.1");
}

TEST(Acceptor, APortInUseIsRefusedWithTheReason) {
    Listening listening;
    auto second = nio::Acceptor::open(listening.address, std::make_unique<Keeper>());
    ASSERT_FALSE(second.ok());
    EXPECT_TRUE(second.error().is(std::errc::address_in_use)) << second.error().message();
    EXPECT_NE(second.error().message().find(listening.address.toString()), std::string::npos);
}

TEST(Acceptor, AcceptsSeveralConnectionsInOneTurn) {
    Listening listening;
    for (int i = 0; i < 10; ++i) listening.connect();
    listening.turn();
    EXPECT_EQ(listening.accepted(), 10U);
}

TEST(Acceptor, AcceptsUpToItsLimitInEachTurn) {
    nio::AcceptorOptions options;
    options.maxAcceptsPerTurn = 3;
    Listening listening(options);
    for (int i = 0; i < 7; ++i) listening.connect();
    listening.turn();
    EXPECT_EQ(listening.accepted(), 3U);
    listening.turn();
    EXPECT_EQ(listening.accepted(), 6U);
    listening.turn();
    EXPECT_EQ(listening.accepted(), 7U);
}

TEST(Acceptor, TellsItsListenerTheEndOfEachBatch) {
    nio::AcceptorOptions options;
    options.maxAcceptsPerTurn = 3;
    Listening listening(options);
    for (int i = 0; i < 7; ++i) listening.connect();
    for (int i = 0; i < 3; ++i) listening.turn();
    EXPECT_EQ(*listening.batches, (std::vector<std::size_t>{3, 6, 7}));
}

TEST(Acceptor, ABatchEndsAlsoWithAnException) {
    Listening listening;
    listening.keeper->throws = 1;
    for (int i = 0; i < 3; ++i) listening.connect();
    ASSERT_TRUE(listening.until([&] { return listening.accepted() == 3; }));
    EXPECT_EQ(*listening.batches, (std::vector<std::size_t>{1, 3}));
}

TEST(Acceptor, InADrainTheBatchEndsBeforeItCloses) {
    Listening listening;
    for (int i = 0; i < 5; ++i) listening.connect();
    listening.thread.requestClose();
    ASSERT_TRUE(listening.until([&] { return listening.thread.isStopped(); }));
    EXPECT_EQ(*listening.batches, (std::vector<std::size_t>{5}));
}

TEST(Acceptor, AfterALoneConnectionManyAreStillAllAccepted) {
    Listening listening;
    listening.connect();
    ASSERT_TRUE(listening.until([&] { return listening.accepted() == 1; }));
    for (int i = 0; i < 20; ++i) listening.connect();
    int turns = 0;
    ASSERT_TRUE(listening.until([&] {
        ++turns;
        return listening.accepted() == 21;
    }));
    EXPECT_LE(turns, 10);
}

TEST(Acceptor, ALimitOfNothingIsRefused) {
    nio::AcceptorOptions noAccepts;
    noAccepts.maxAcceptsPerTurn = 0;
    nio::AcceptorOptions noPause;
    noPause.backOff = std::chrono::milliseconds(0);
    for (const nio::AcceptorOptions& options : {noAccepts, noPause}) {
        const auto made = nio::Acceptor::open(nio::SocketAddress::loopback4(0),
                                              std::make_unique<Keeper>(), options);
        ASSERT_FALSE(made.ok());
        EXPECT_TRUE(made.error().is(std::errc::invalid_argument));
    }
}

TEST(Acceptor, AtTheMaximumItSleepsUntilAConnectionCloses) {
    for (const nio::SelectorKind kind : support::everyEngine()) {
        LogCapture log;
        nio::AcceptorOptions options;
        options.maxConnections = 2;
        Listening listening(options, kind);
        for (int i = 0; i < 4; ++i) listening.connect();
        listening.turn();
        EXPECT_EQ(listening.accepted(), 2U);
        EXPECT_EQ(listening.acceptor->openConnections(), 2U);
        int turns = 0;
        const nio::TimePoint begin = nio::Clock::now();
        while (nio::Clock::now() - begin < std::chrono::milliseconds(40) && turns < 1000) {
            listening.thread.turn(std::chrono::milliseconds(40));
            ++turns;
        }
        EXPECT_LE(turns, 20) << "a few may be cut short by a ring of before that ends";
        EXPECT_EQ(log.count("maximum connections reached"), 1U);

        listening.keeper->kept.pop_back();
        ASSERT_TRUE(listening.until([&] { return listening.accepted() == 3; }));
        EXPECT_EQ(listening.acceptor->openConnections(), 2U);
        listening.keeper->kept.clear();
        ASSERT_TRUE(listening.until([&] { return listening.accepted() == 4; }));
    }
}

TEST(Acceptor, OnSelectItKeepsBelowFdSetSize) {
    const Listening few({.maxConnections = 5000}, nio::SelectorKind::select);
    EXPECT_EQ(few.acceptor->gate()->maximum(), 960U);
}

TEST(Acceptor, APermitThatComesBackFromAnotherThreadWakesIt) {
    LogCapture log;
    nio::AcceptorOptions options;
    options.maxConnections = 1;
    Listening listening(options);
    listening.connect();
    listening.connect();
    listening.turn();
    ASSERT_EQ(listening.accepted(), 1U);
    listening.turn();
    std::thread other([&] { listening.keeper->kept.front().permit.release(); });
    other.join();
    EXPECT_TRUE(listening.until([&] { return listening.accepted() == 2; }));
}

TEST(Acceptor, AnExceptionFromItsListenerClosesThatConnectionOnly) {
    Listening listening;
    listening.keeper->throws = 2;
    for (int i = 0; i < 4; ++i) listening.connect();
    ASSERT_TRUE(listening.until([&] { return listening.accepted() == 4; }));
    EXPECT_EQ(listening.keeper->kept.size(), 2U);
    EXPECT_EQ(listening.acceptor->openConnections(), 2U);
    EXPECT_EQ(listening.failures.size(), 2U);
    for (auto& client : listening.clients) client->pump();
    EXPECT_EQ(std::count_if(listening.clients.begin(), listening.clients.end(),
                            [](auto& client) { return client->hasEnded(); }),
              2);
}

TEST(Acceptor, DrainAcceptsTheBacklogIfTheListenerThrows) {
    Listening listening;
    listening.keeper->throws = 2;
    for (int i = 0; i < 5; ++i) listening.connect();
    listening.thread.requestClose();
    ASSERT_TRUE(listening.until([&] { return listening.thread.isStopped(); }));
    EXPECT_EQ(listening.accepted(), 5U);
    EXPECT_THROW(listening.connect(), std::system_error);
    EXPECT_EQ(listening.failures.size(), 2U);
}

TEST(Acceptor, InADrainItEndsAlsoWhenEveryBatchThrows) {
    nio::AcceptorOptions options;
    options.listen.backlog = 4;
    Listening listening(options);
    listening.keeper->batchesThrow = true;
    listening.connect();
    listening.thread.requestClose({.deadline = std::chrono::hours(1)});
    ASSERT_TRUE(listening.until([&] { return listening.thread.isStopped(); }));
    EXPECT_EQ(listening.accepted(), 1U);
}

TEST(Acceptor, AcceptsTheRestAfterAnExceptionBeforeClosing) {
    std::optional<std::size_t> acceptedBefore;
    Listening listening;
    listening.keeper->throws = 2;
    for (int i = 0; i < 5; ++i) listening.connect();
    listening.thread.draining().closeListenersLater([&] { acceptedBefore = listening.accepted(); });
    ASSERT_TRUE(listening.until([&] { return acceptedBefore.has_value(); }));
    EXPECT_EQ(acceptedBefore, 5U);
    EXPECT_THROW(listening.connect(), std::system_error);
}

// The group closes its listeners first, then tells everybody to drain.
TEST(Acceptor, ASecondDrainFindsTheFirstUnderWay) {
    Listening listening;
    listening.keeper->throws = 1;
    for (int i = 0; i < 3; ++i) listening.connect();
    listening.thread.draining().closeListenersLater([] {});
    listening.thread.requestClose();
    ASSERT_TRUE(listening.until([&] { return listening.thread.isStopped(); }));
    EXPECT_EQ(listening.accepted(), 3U);
    EXPECT_EQ(listening.failures.size(), 1U);
}

TEST(Acceptor, AListenerThatClosesItAcceptsNoMore) {
    Listening listening;
    listening.keeper->onConnected = [](nio::Acceptor& acceptor) { acceptor.channel().close(); };
    for (int i = 0; i < 3; ++i) listening.connect();
    listening.turn();
    EXPECT_EQ(listening.accepted(), 1U);
    listening.turn();
    EXPECT_TRUE(listening.failures.empty());
    EXPECT_THROW(listening.connect(), std::system_error);
}

// --- out of descriptors: in a process of its own, for the limit's sake ----------------------

// Leaves no descriptor free: opens what there is.
std::vector<nio::UniqueFd> takeAllDescriptors() {
    std::vector<nio::UniqueFd> all;
    for (;;) {
        auto one = nio::kernel::openReserve();
        if (!one) return all;
        all.push_back(std::move(one).value());
    }
}

void runOutOfDescriptors(nio::SelectorKind kind) {
    LogCapture log;
    support::limitDescriptors(256);
    nio::AcceptorOptions options;
    options.backOff = std::chrono::milliseconds(20);
    Listening listening(options, kind);
    for (int i = 0; i < 40; ++i) listening.connect();
    std::vector<nio::UniqueFd> all = takeAllDescriptors();

    const double before = support::processorSeconds();
    const nio::TimePoint begin = nio::Clock::now();
    int turns = 0;
    while (nio::Clock::now() - begin < std::chrono::milliseconds(70)) {
        listening.thread.turn(std::chrono::milliseconds(70));
        ++turns;
    }
    // One accept and one end of a back-off for each 20 ms.
    if (turns > 20) verdict("it spins: " + std::to_string(turns) + " turns");
    if (support::processorSeconds() - before > 0.06) verdict("it burns processor time");
    if (listening.accepted() != 0) verdict("accepted without a descriptor?");
    if (listening.acceptor->turnedAway() == 0) verdict("nobody was turned away");
    const auto pauses = static_cast<std::size_t>((nio::Clock::now() - begin) / options.backOff);
    if (listening.acceptor->turnedAway() > pauses + 1) verdict("it does not pause");
    if (log.count("out of file descriptors") != 1) {
        verdict(std::to_string(log.lines().size()) + " lines in the log");
    }
    const std::size_t turnedAway = listening.acceptor->turnedAway();
    all.clear();
    const auto served = [&] { return listening.accepted() + turnedAway >= 40; };
    if (!listening.until(served)) verdict("it does not serve again");
    listening.connect();
    const std::size_t now = listening.accepted();
    if (!listening.until([&] { return listening.accepted() > now; })) {
        verdict("it does not serve a new one");
    }
    verdict("");
}

class OutOfDescriptors : public ::testing::TestWithParam<nio::SelectorKind> {
  protected:
    OutOfDescriptors() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_P(OutOfDescriptors, ItTurnsPeersAwayDoesNotSpinAndServesAgainLater) {
    EXPECT_EXIT(runOutOfDescriptors(GetParam()), ::testing::ExitedWithCode(0), "");
}

INSTANTIATE_TEST_SUITE_P(Acceptor, OutOfDescriptors, ::testing::ValuesIn(support::everyEngine()),
                         support::EngineName());

// As another process can do to it that has inherited the socket.
TEST(Acceptor, AnErrorThatStaysIsToldOnceForEachBackOff) {
    nio::AcceptorOptions options;
    options.backOff = std::chrono::hours(1);
    Listening listening(options);
    ASSERT_EQ(::shutdown(listening.acceptor->channel().fd(), SHUT_RDWR), 0);
    for (int i = 0; i < 20; ++i) listening.turn();
    EXPECT_EQ(listening.keeper->errors, 1);
}

TEST(Acceptor, AnErrorThatStaysIsLoggedOnceASecond) {
    struct Careless final : nio::AcceptorListener {
        void socketConnected(nio::Acceptor&, nio::AcceptedConnection) override {}
    };
    const support::LogCapture log;
    nio::AcceptorOptions options;
    options.backOff = std::chrono::milliseconds(1);
    auto made =
        nio::Acceptor::open(nio::SocketAddress::loopback4(0), std::make_unique<Careless>(), options)
            .orThrow();
    ASSERT_EQ(::shutdown(made->channel().fd(), SHUT_RDWR), 0);
    nio::SelectorThread thread;
    ASSERT_TRUE(thread.registerChannelLater(std::move(made), nio::Interest::accept));
    const nio::TimePoint start = nio::Clock::now();
    for (int i = 0; i < 50; ++i) thread.turn(std::chrono::milliseconds(5));
    const auto seconds =
        std::chrono::floor<std::chrono::seconds>(nio::Clock::now() - start).count();
    EXPECT_GE(log.count("accept on 127.0.0.1:"), 1U);
    EXPECT_LE(log.count("accept on 127.0.0.1:"), 1U + static_cast<std::size_t>(seconds));
}

TEST(Acceptor, InADrainItAcceptsAllThatTheKernelHasQueued) {
    for (const int backlog : {4, -1}) {
        nio::AcceptorOptions options;
        options.listen.backlog = backlog;
        Listening listening(options);
        // Linux queues one more than it is asked for.
        const std::size_t queued = backlog < 0 ? 20 : static_cast<std::size_t>(backlog) + 1;
        for (std::size_t i = 0; i < queued; ++i) listening.connect();
        listening.thread.requestClose();
        ASSERT_TRUE(listening.until([&] { return listening.thread.isStopped(); }));
        EXPECT_EQ(listening.accepted(), queued) << backlog;
    }
}

}  // namespace
