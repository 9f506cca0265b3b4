#include <gtest/gtest.h>

#include "apps/sms_router/support/EsmeBench.h"
#include "apps/sms_router/support/NotingEgress.h"
#include "support/LogCapture.h"

namespace router {
namespace {

// Keeps the desk's dispatcher at work for those who ask for esme1 from this host.
class BusyPasswords {
  public:
    explicit BusyPasswords(EsmeBench& bench) : bench_(bench) {
        for (int i = 0; i < 900; ++i) ask(slow_, "wrong", asks_, [this] { ++answered_; });
    }
    // Who asks after this is the next. How many were answered before.
    int stop() {
        asks_.reset();
        bool isLast = false;
        const std::shared_ptr<const void> asks = std::make_shared<char>();
        ask(quick_, "secret1", asks, [&] { isLast = true; });
        EXPECT_TRUE(bench_.dispatcher.turnUntil([&] { return isLast; }));
        return answered_;
    }

  private:
    void ask(const PasswordHash& hash, const char* password,
             const std::shared_ptr<const void>& asks, std::function<void()> then) {
        bench_.passwords.check({hash, password, "esme1", "127.0.0.1", asks}, *bench_.dispatcher,
                               [then](PasswordDesk::Verdict) { then(); });
    }

    EsmeBench& bench_;
    const PasswordHash slow_ = PasswordHash::of("secret1");
    const PasswordHash quick_ = PasswordHash::of("secret1", PasswordHash::Cost::cheap);
    std::shared_ptr<const void> asks_ = std::make_shared<char>();
    int answered_ = 0;
};

const char* const bindWithAWrongPassword =
    "00000023 00000009 00000000 00000001 'esme1' 00 'secret2' 00 00 34 00 00 00";

nio::ConnectionPermit permitOf(const std::shared_ptr<nio::ConnectionGate>& gate) {
    EXPECT_TRUE(gate->enter());
    return nio::ConnectionPermit(gate);
}

TEST(EsmeLinkBind, IsNotHashedForOnceItsConnectionIsGone) {
    EsmeBench bench;
    bench.start();
    BusyPasswords others(bench);
    const auto esme = bench.connect();
    esme->send(bindWithAWrongPassword);
    bench.dispatcher.turns(5);
    esme->reset();
    EXPECT_TRUE(bench.dispatcher.turnUntil([&] { return !bench.lastLink->isOpen(); }));
    const int answered = others.stop();
    EXPECT_EQ(bench.passwords.hashed(), static_cast<std::uint64_t>(answered) + 1);
}

TEST(EsmeLinkBind, TakesWhatComesBehindItOnceItIsDecided) {
    EsmeBench bench;
    bench.start();
    const auto esme = bench.connect();
    esme->send(
        "00000023 00000009 00000000 00000001 'esme1' 00 'secret1' 00 00 34 00 00 00"
        "00000015 00000003 00000000 00000002 '7' 00 00 00 00"
        "00000015 00000003 00000000 00000003 '7' 00 00 00 00");
    EXPECT_EQ(esme->next(), written("00000019 80000009 00000000 00000001 'nio' 00 0210 0001 34"));
    EXPECT_EQ(esme->next(), written("00000010 80000003 0000000C 00000002"));
    EXPECT_EQ(esme->next(), written("00000010 80000003 0000000C 00000003"));
}

const char* const bindWithTheRightPassword =
    "00000023 00000009 00000000 00000001 'esme1' 00 'secret1' 00 00 34 00 00 00";

TEST(EsmeLinkBind, WaitsUnseenOnceItsSourceHasGuessed) {
    EsmeBench bench;
    bench.start();
    bench.logins.setDelay(std::chrono::hours(1));
    for (int i = 0; i < 5; ++i) {
        const auto esme = bench.connect();
        esme->send(bindWithAWrongPassword);
        EXPECT_EQ(esme->next(), written("00000010 80000009 0000000E 00000001"));
    }
    const auto gone = bench.connect();
    gone->send(bindWithTheRightPassword);
    EXPECT_TRUE(gone->isSilent()) << "right ones wait, too: a quick answer would tell";
    EXPECT_EQ(bench.passwords.hashed(), 5u);
    gone->reset();
    EXPECT_TRUE(bench.dispatcher.turnUntil([&] { return !bench.lastLink->isOpen(); }));
    EXPECT_EQ(bench.passwords.hashed(), 5u) << "giving up costs nothing, and brings nothing";

    bench.logins.setDelay(std::chrono::milliseconds(1));
    const auto late = bench.connect();
    late->send(bindWithTheRightPassword);
    EXPECT_EQ(late->next(), written("00000019 80000009 00000000 00000001 'nio' 00 0210 0001 34"));
    bench.inTurn([&] {
        const BindRefusalCounts& refused = bench.shards[0].figures().refusedBinds;
        EXPECT_EQ(refused[BindRefusal::password], 5u);
        EXPECT_EQ(refused.total(), 5u);
        const StatusCounts& ofAccount = bench.refusedOf(smpp::Command::bindTransceiver);
        EXPECT_EQ(ofAccount.counts().at(smpp::Status::invPaswd), 5u);
    });
}

TEST(EsmeLinkBind, GuessingOnManyConnectionsIsNoQuicker) {
    EsmeBench bench;
    bench.start();
    bench.logins.setDelay(std::chrono::hours(1));
    std::vector<std::unique_ptr<RawSmpp>> esmes;
    for (int i = 0; i < 20; ++i) esmes.push_back(bench.connect());
    for (const auto& esme : esmes) esme->send(bindWithAWrongPassword);
    const BindRefusalCounts& refused = bench.shards[0].figures().refusedBinds;
    EXPECT_TRUE(bench.dispatcher.turnUntil([&] { return refused.total() >= 19; }));
    bench.dispatcher.turns(5);
    EXPECT_EQ(refused[BindRefusal::password], 5u);
    EXPECT_EQ(refused[BindRefusal::throttled], 14u) << "those whose turn is in more than an hour";
}

TEST(EsmeLinkBind, TellsThatItsTurnWouldBeTooLate) {
    EsmeBench bench;
    bench.start();
    bench.logins.setDelay(std::chrono::hours(1));
    const nio::SocketAddress peer = nio::SocketAddress::numeric("127.0.0.1", 1).orThrow();
    const nio::TimePoint now = nio::Clock::now();
    for (int i = 0; i < 5; ++i) {
        // Long ago, so that a line is due.
        const nio::TimePoint then = now - std::chrono::minutes(1);
        (void)bench.logins.refused(peer, then, LoginThrottle::Why::guess);
    }
    EXPECT_EQ(bench.logins.takeTurn(peer, now), std::chrono::hours(1));
    const support::LogCapture log;
    const auto esme = bench.connect();
    esme->send(bindWithTheRightPassword);
    EXPECT_EQ(esme->next(), written("00000010 80000009 0000000D 00000001"));
    EXPECT_EQ(log.count("refused: login throttled: too many binds of this source are waiting"), 1u);
}

TEST(EsmeLinkBind, ARightOneAmongGuessesWaitsLikeThem) {
    EsmeBench bench;
    bench.start();
    bench.logins.setDelay(std::chrono::hours(1));
    (void)bench.bind();  // known to be right: it needs no hash
    std::vector<std::unique_ptr<RawSmpp>> esmes;
    for (int i = 0; i < 20; ++i) esmes.push_back(bench.connect());
    for (const auto& esme : esmes) {
        esme->send(esme == esmes.back() ? bindWithTheRightPassword : bindWithAWrongPassword);
    }
    EXPECT_EQ(esmes.back()->next(), written("00000010 80000009 0000000D 00000001"));
}

TEST(EsmeLinkBind, IsJudgedAgainOnceItsPasswordIsChecked) {
    const auto refusalOf = [](auto&& change) {
        EsmeBench bench;
        bench.start();
        BusyPasswords others(bench);
        const auto esme = bench.connect();
        esme->send(bindWithTheRightPassword);
        bench.dispatcher.turns(5);
        change(bench.account);
        bench.use();
        (void)others.stop();
        return esme->next();
    };
    EXPECT_EQ(refusalOf([](AccountConfig& of) {
                  of.password = PasswordHash::of("other", PasswordHash::Cost::cheap);
              }),
              written("00000010 80000009 0000000E 00000001"));
    EXPECT_EQ(refusalOf([](AccountConfig& of) { of.mayTransceive = false; }),
              written("00000010 80000009 0000000D 00000001"));
    EXPECT_EQ(refusalOf([](AccountConfig& of) {
                  of.allowedFrom = {AddressRange::parse("192.0.2.1").value()};
              }),
              written("00000010 80000009 0000000D 00000001"));
}

TEST(EsmeLinkBind, RightOnesAtOnceDoNotWait) {
    EsmeBench bench;
    bench.account.maxBinds = 20;
    bench.start();
    bench.logins.setDelay(std::chrono::hours(1));
    std::vector<std::unique_ptr<RawSmpp>> esmes;
    for (int i = 0; i < 20; ++i) esmes.push_back(bench.connect());
    for (const auto& esme : esmes) esme->send(bindWithTheRightPassword);
    for (const auto& esme : esmes) {
        EXPECT_EQ(esme->next(),
                  written("00000019 80000009 00000000 00000001 'nio' 00 0210 0001 34"));
    }
}

TEST(EsmeLinkBind, IsRefusedWithAWrongPassword) {
    EsmeBench bench;
    bench.start();
    const auto esme = bench.connect();
    esme->send(bindWithAWrongPassword);
    EXPECT_EQ(esme->next(), written("00000010 80000009 0000000E 00000001"));
    EXPECT_EQ(bench.passwords.hashed(), 1u);
}

// They leave the list of their shard while it is gone through.
TEST(EsmeLinkBind, ThoseNotBoundEndAsSoonAsTheShardDrains) {
    EsmeBench bench;
    bench.start();
    const auto first = bench.connect();
    const auto second = bench.connect();
    EXPECT_TRUE(bench.dispatcher.turnUntil([&] { return bench.shards[0].links().size() == 2; }));
    bench.inTurn([&] {
        nio::onDispatcher.assertCurrent();
        EsmeLink::drainNow(bench.shards[0]);
        EXPECT_TRUE(bench.shards[0].isDraining());
        EXPECT_TRUE(bench.shards[0].links().empty());
    });
    EXPECT_TRUE(first->untilEnd());
    EXPECT_TRUE(second->untilEnd());
}

TEST(EsmeLinkBind, ABegunHandshakeGetsNoFullTimeAgain) {
    using std::chrono::milliseconds;
    for (const bool hasBegunHandshake : {false, true}) {
        EXPECT_EQ(timeLeftToBind(milliseconds(0), hasBegunHandshake), milliseconds(1000));
        EXPECT_EQ(timeLeftToBind(milliseconds(400), hasBegunHandshake), milliseconds(600));
    }
    EXPECT_EQ(timeLeftToBind(milliseconds(5000), false), milliseconds(0));
    EXPECT_EQ(timeLeftToBind(milliseconds(5000), true), milliseconds(100)) << "two round trips";
}

// What it holds then would keep those out that come behind it.
TEST(EsmeLinkBind, TheWaitInTheBacklogIsPartOfItsTime) {
    EsmeBench bench;
    bench.start();
    const auto gate = std::make_shared<nio::ConnectionGate>(2);
    const auto places = std::make_shared<apps::Places>("door", gate);
    const nio::ConnectionPermit first = permitOf(gate);
    const nio::ConnectionPermit second = permitOf(gate);
    support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
    const int fd = link.channel.fd();
    EXPECT_TRUE(bench.dispatcher.turnUntil(
        [fd] { return nio::kernel::establishedFor(fd) >= std::chrono::seconds(1); }));
    const auto silent = bench.connect(std::move(link), std::move(*places->enter("here")));
    bench.dispatcher.turns(5);
    EXPECT_TRUE(bench.lastLink->isOpen());
    const auto next = places->enter("elsewhere");
    bench.dispatcher.turns(5);
    EXPECT_FALSE(bench.lastLink->isOpen());
    bench.lastLink->take({});
}

// An account of one bind, with a request that no SMSC answers.
class EsmeLinkUnbind : public ::testing::Test {
  protected:
    EsmeLinkUnbind() {
        gate.standOn(*bench.dispatcher);
        RouteConfig& route = bench.config.routes.emplace_back();
        route.connector = 0;
        bench.board[0].live = true;
        bench.account.maxBinds = 1;
        bench.account.window = 1;
        bench.start();
    }

    NotingEgress gate;
    EsmeBench bench{storeInMemory(), {&gate}};
};

const char* const submit =
    "00000026 00000004 00000000 00000007 00 01 01 'A' 00 01 01 '123' 00"
    "00 00 00 00 00 00 00 00 00 01 'x'";

TEST_F(EsmeLinkUnbind, LeavesItsPlaceToTheNextBind) {
    const auto first = bench.bind();
    first->send(submit);
    EXPECT_TRUE(bench.dispatcher.turnUntil([&] { return gate.submissions.size() == 1; }));
    first->send("00000010 00000006 00000000 00000008");
    EXPECT_TRUE(first->isSilent());
    const auto second = bench.bind();
    EXPECT_TRUE(first->isSilent());
}

TEST_F(EsmeLinkUnbind, LeavesItsPlaceAlsoBehindAFullWindow) {
    const auto first = bench.bind();
    first->send(submit);
    first->send(submit);
    first->send("00000010 00000006 00000000 00000009");
    EXPECT_TRUE(first->isSilent());
    EXPECT_EQ(gate.submissions.size(), 1u);
    const auto second = bench.bind();
    EXPECT_TRUE(first->isSilent());
}

}  // namespace
}  // namespace router
