#include "sms_router/smsc/SmscBind.h"

#include <gtest/gtest.h>

#include <smpp/pdu/PduWriter.h>

#include "apps/sms_router/support/RawSmpp.h"
#include "support/TestDispatcher.h"

namespace router {
namespace {

using namespace std::chrono_literals;

// Does for its one bind what a connector does.
class NotingOwner final : public SmscLinkOwner {
  public:
    void linkBound(SmscLink&) override NIO_REQUIRES(nio::onDispatcher) {
        told.emplace_back("bound");
        bind->boundNow();
    }
    void requestArrived(SmscLink&, const smpp::Pdu&) override NIO_REQUIRES(nio::onDispatcher) {
        ++requests;
    }
    void answerArrived(const smpp::Pdu&, smpp::Cookie) override NIO_REQUIRES(nio::onDispatcher) {
        ++answers;
    }
    void requestLost(smpp::Cookie, smpp::Lost, smpp::Status) override
        NIO_REQUIRES(nio::onDispatcher) {}
    void linkLeaves(SmscLink&) override NIO_REQUIRES(nio::onDispatcher) {
        told.emplace_back("leaves");
    }
    void linkClosed(SmscLink& link, const std::string& why) override
        NIO_REQUIRES(nio::onDispatcher) {
        told.push_back("closed: " + why);
        if (bind->has(link)) bind->closedNow();
    }
    void malformedArrived(SmscLink&, smpp::Status, nio::ByteView) override
        NIO_REQUIRES(nio::onDispatcher) {}
    void dialFailed(const std::string& why) override NIO_REQUIRES(nio::onDispatcher) {
        told.push_back("failed: " + why);
    }

    SmscBind* bind = nullptr;
    std::vector<std::string> told;
    int requests = 0;
    int answers = 0;
};

class SmscBindTest : public ::testing::Test {
  protected:
    SmscBindTest() {
        dialing->config.name = "a";
        dialing->config.host = "127.0.0.1";
        dialing->config.port = listener->address().port();
        dialing->config.systemId = "router";
        dialing->config.password = "secret";
        dialing->config.reconnectFirst = 1ms;
        dialing->config.reconnectMax = 2ms;
        dialing->pduLimits = {10'000};
        auto session = std::make_shared<smpp::SessionOptions>();
        session->side = smpp::Side::esme;
        dialing->session = session;
    }
    ~SmscBindTest() override {
        dispatcher->requestClose({0ms});
        while (dispatcher.turn()) {
        }
    }
    void start() {
        bind.emplace(*dispatcher, dialing, smpp::Command::bindTransceiver, 1, owner);
        owner.bind = &*bind;
        inTurn([&] {
            nio::onDispatcher.assertCurrent();
            bind->startNow();
        });
    }
    template <class F>
    void inTurn(F&& f) {
        dispatcher.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            f();
        });
    }
    // The next connection that the bind makes.
    RawSmpp accept() {
        pollfd entry{listener->fd(), POLLIN, 0};
        EXPECT_TRUE(dispatcher.turnUntil([&] {
            return nio::kernel::waitPoll({&entry, 1}, 0ms).orThrow() > 0;
        }));
        return RawSmpp(support::Peer(listener->acceptOne()), dispatcher);
    }
    std::string stateNow() {
        std::string state;
        inTurn([&] {
            nio::onDispatcher.assertCurrent();
            state = bind->describeNow().state;
        });
        return state;
    }

    nio::kerneltest::TemporaryFolder folder;
    std::optional<nio::kerneltest::Listener> listener{std::in_place,
                                                      nio::SocketAddress::Family::ipv4, folder};
    const std::shared_ptr<SmscDialing> dialing = std::make_shared<SmscDialing>();
    NotingOwner owner;
    support::TestDispatcher dispatcher;
    std::optional<SmscBind> bind;
};

const std::string_view bindRequest =
    "00000023 00000009 00000000 00000001 'router' 00 'secret' 00 00 34 00 00 00";
const std::string_view bindAnswer = "00000015 80000009 00000000 00000001 'smsc' 00";

TEST_F(SmscBindTest, ConnectsAndBinds) {
    start();
    RawSmpp smsc = accept();
    EXPECT_EQ(smsc.next(), written(bindRequest));
    smsc.send(bindAnswer);
    EXPECT_TRUE(
        dispatcher.turnUntil([&] { return owner.told == std::vector<std::string>{"bound"}; }));
    EXPECT_EQ(stateNow(), "BOUND_TRX");
    EXPECT_TRUE(bind->isConnected());
}

TEST_F(SmscBindTest, TriesAgainWhenTheConnectionEnds) {
    start();
    {
        RawSmpp smsc = accept();
        EXPECT_EQ(smsc.next(), written(bindRequest));
        smsc.send(bindAnswer);
        EXPECT_TRUE(dispatcher.turnUntil([&] { return !owner.told.empty(); }));
    }
    RawSmpp again = accept();
    EXPECT_EQ(again.next(), written(bindRequest));
}

TEST_F(SmscBindTest, TriesAgainWhenItsBindIsRefused) {
    start();
    {
        RawSmpp smsc = accept();
        EXPECT_NE(smsc.next(), "");
        smsc.send("00000010 80000009 0000000D 00000001");
        EXPECT_TRUE(smsc.untilEnd());
    }
    RawSmpp again = accept();
    EXPECT_EQ(again.next(), written(bindRequest));
    EXPECT_EQ(owner.told, std::vector<std::string>{"closed: the bind was refused: ESME_RBINDFAIL"});
}

TEST_F(SmscBindTest, SaysWithWhatElseItsBindWasAnswered) {
    start();
    for (const char* answer :
         {"00000011 80000001 00000000 00000001 00", "00000010 80000000 00000000 00000001"}) {
        RawSmpp smsc = accept();
        EXPECT_NE(smsc.next(), "");
        smsc.send(answer);
        EXPECT_TRUE(smsc.untilEnd());
    }
    const std::string with = "closed: the bind was answered with ";
    EXPECT_TRUE(dispatcher.turnUntil([&] { return owner.told.size() >= 2; }));
    EXPECT_EQ(owner.told, (std::vector<std::string>{with + "bind_receiver_resp: ESME_ROK",
                                                    with + "generic_nack: ESME_ROK"}));
}

TEST_F(SmscBindTest, TriesAgainWhenNobodyListens) {
    listener.reset();
    start();
    EXPECT_TRUE(dispatcher.turnUntil([&] { return owner.told.size() >= 3; }));
    EXPECT_TRUE(owner.told[0].starts_with("failed: ")) << owner.told[0];
    EXPECT_FALSE(bind->isConnected());
    EXPECT_FALSE(bind->lastError().empty());
}

TEST_F(SmscBindTest, StoppedItTriesNoMore) {
    listener.reset();
    start();
    EXPECT_TRUE(dispatcher.turnUntil([&] { return !owner.told.empty(); }));
    inTurn([&] {
        nio::onDispatcher.assertCurrent();
        bind->stopNow();
    });
    const std::size_t before = owner.told.size();
    EXPECT_EQ(stateNow(), "stopped");
    dispatcher->turn(20ms);
    EXPECT_EQ(owner.told.size(), before);
}

TEST_F(SmscBindTest, StoppedItUnbindsFirst) {
    start();
    RawSmpp smsc = accept();
    EXPECT_NE(smsc.next(), "");
    smsc.send(bindAnswer);
    EXPECT_TRUE(dispatcher.turnUntil([&] { return !owner.told.empty(); }));
    inTurn([&] {
        nio::onDispatcher.assertCurrent();
        bind->stopNow();
    });
    EXPECT_EQ(smsc.next(), written("00000010 00000006 00000000 00000002"));
    smsc.send("00000010 80000006 00000000 00000002");
    EXPECT_TRUE(smsc.untilEnd());
}

TEST_F(SmscBindTest, ThatAwaitsAnOutbindDoesNotConnect) {
    dialing->config.outbindListen = "127.0.0.1:0";
    start();
    EXPECT_EQ(stateNow(), "awaiting outbind");
    EXPECT_TRUE(bind->wantsConnection());
}

TEST_F(SmscBindTest, AskedToBindItDoes) {
    dialing->config.outbindListen = "127.0.0.1:0";
    start();
    support::Link link = support::makeLink(nio::SocketAddress::Family::ipv4);
    inTurn([&] {
        nio::onDispatcher.assertCurrent();
        bind->adoptNow(std::move(link.channel));
    });
    EXPECT_FALSE(bind->wantsConnection());
    RawSmpp smsc(std::move(link.peer), dispatcher);
    EXPECT_TRUE(smsc.isSilent());
    smsc.send("0000001C 0000000B 00000000 00000001 'smsc' 00 'secret' 00");
    EXPECT_EQ(smsc.next(), written(bindRequest));
}

TEST_F(SmscBindTest, AConnectionThatEndsAtOnceIsOver) {
    dialing->config.outbindListen = "127.0.0.1:0";
    // Its client speaks first.
    dialing->tls = nio::TlsContext::client({.verify = false}).orThrow();
    start();
    // The first write fails while the connection is being registered.
    support::Link link = support::makeLink();
    link.peer.close();
    inTurn([&] {
        nio::onDispatcher.assertCurrent();
        bind->adoptNow(std::move(link.channel));
    });
    dispatcher.turns(3);
    EXPECT_EQ(owner.told.size(), 1u);
    EXPECT_FALSE(bind->isConnected());
    EXPECT_TRUE(bind->wantsConnection());
}

// If both ends read no more until the other one does, they wait until requests time out.
TEST_F(SmscBindTest, ReadsAnswersWhileMuchOutputWaits) {
    auto session = std::make_shared<smpp::SessionOptions>(*dialing->session);
    session->window = 1000;
    dialing->session = session;
    start();
    RawSmpp smsc = accept();
    EXPECT_EQ(smsc.next(), written(bindRequest));
    smsc.send(bindAnswer);
    ASSERT_TRUE(dispatcher.turnUntil([&] { return !owner.told.empty(); }));
    const std::string payload(60'000, 'x');
    const nio::Bytes submit = smpp::PduWriter(smpp::Command::dataSm, smpp::Status::ok, 0)
                                  .text("")
                                  .number(0)
                                  .number(0)
                                  .text("1")
                                  .number(0)
                                  .number(0)
                                  .text("2")
                                  .number(0)
                                  .number(0)
                                  .number(0)
                                  .tlv(smpp::Tag::messagePayload, payload)
                                  .finish();
    std::size_t pending = 0;
    for (int sent = 0; sent < 250 && pending < SmscLink::mostHeld + 2 * payload.size(); ++sent) {
        inTurn([&] {
            nio::onDispatcher.assertCurrent();
            nio::Bytes octets = submit;
            EXPECT_TRUE(bind->linkNow()->requestNow(octets, 1));
        });
        inTurn([&] {
            nio::onDispatcher.assertCurrent();
            pending = bind->linkNow()->connection()->pendingBytes();
        });
    }
    ASSERT_GT(pending, SmscLink::mostHeld);
    smsc.send(
        "00000023 00000005 00000000 00000001 00 0000 '1' 00 0000 '2' 00 000000 00 00 00000000 00");
    smsc.send("00000012 80000103 00000000 00000002 'A' 00");
    EXPECT_TRUE(dispatcher.turnUntil([&] { return owner.answers == 1; }));
    EXPECT_EQ(owner.requests, 0) << "it would have us send more";
    while (pending > 0) {
        EXPECT_NE(smsc.next(), "");
        inTurn([&] {
            nio::onDispatcher.assertCurrent();
            pending = bind->linkNow()->connection()->pendingBytes();
        });
    }
    EXPECT_TRUE(dispatcher.turnUntil([&] { return owner.requests == 1; }));
}

}  // namespace
}  // namespace router
