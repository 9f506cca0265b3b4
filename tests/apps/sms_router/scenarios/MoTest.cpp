// Messages and alerts from SMSCs.
#include <gtest/gtest.h>

#include "apps/sms_router/scenarios/OneSmsc.h"
#include "apps/sms_router/scenarios/TwoSmscs.h"

namespace router::scenarios {

TEST(RouterMo, GoesToTheAccountOfItsDestinationAsItIs) {
    OneSmsc scene;
    SmppPeer one = scene.router.bound("esme1");
    SmppPeer two = scene.router.bound("esme2");
    Message message{.from = "41791234567", .to = "12345"};
    message.text = std::string("\x06\x05\x04\x0B\x84\x23\xF0\0\x01\xFF", 10);
    message.esmClass = 0x40;
    message.dataCoding = 0xF5;
    message.tlvs = {{Tag(0x1400), "vendor"}, {Tag::sourcePort, "\x01\x02"}};
    const std::uint32_t sequence = scene.smsc.deliver(message);
    const OwnedPdu came = one.expect(Command::deliverSm);
    EXPECT_TRUE(sameOctets(came.numbered(0), deliverSm(0, message)));
    EXPECT_TRUE(two.nothingArrives());
    EXPECT_TRUE(scene.smsc.nothingArrives());
    one.answer(came);
    const OwnedPdu answer = scene.smsc.expectAnswer(sequence);
    EXPECT_TRUE(sameOctets(answer.octets(), withText(Command::deliverSmResp, sequence, "")));
}

TEST(RouterMo, ByDataSmIsADeliverSmForAnEsmeOfVersion33) {
    OneSmsc scene;
    SmppPeer esme = scene.router.connected();
    ASSERT_EQ(esme.bind({.version = 0x33}), Status::ok);
    const Message message{.from = "41791234567", .to = "12345", .text = "mo"};
    scene.smsc.send(dataSm(7, message));
    const OwnedPdu came = esme.expect(Command::deliverSm);
    EXPECT_TRUE(sameOctets(came.numbered(0), deliverSm(0, message)));
    esme.answer(came);
    const OwnedPdu answer = scene.smsc.expectAnswer(7);
    EXPECT_EQ(answer.command(), Command::dataSmResp);
    EXPECT_EQ(answer.status(), Status::ok);
}

TEST(RouterMo, AMessageTooNewForVersion33WaitsForAnotherBind) {
    OneSmsc scene;
    SmppPeer old = scene.router.connected();
    ASSERT_EQ(old.bind({.version = 0x33}), Status::ok);
    const Message message{.to = "12345", .text = std::string(300, 'x')};
    scene.smsc.send(dataSm(7, message));
    EXPECT_EQ(scene.smsc.expectAnswer(7).status(), Status::ok) << "the router keeps it";
    EXPECT_TRUE(old.nothingArrives());
    old.unbind();
    SmppPeer esme = scene.router.bound("esme1");
    EXPECT_EQ(esme.expect(Command::dataSm).message(), message.text);
}

TEST(RouterMo, ToNobodyIsRefused) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t sequence = scene.smsc.deliver({.to = "123456", .text = "mo"});
    EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), Status::invDstAdr);
    EXPECT_TRUE(esme.nothingArrives());
}

TEST(RouterMo, ToNobodyIsRefusedWithTheStatusThatWasChosen) {
    OneSmsc scene({.router = "no_route = \"0x0412\""});
    const std::uint32_t sequence = scene.smsc.deliver({.to = "1", .text = "mo"});
    EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), Status(0x412));
}

TEST(RouterMo, GoesByRulesWhereNobodyHasTheNumber) {
    TwoSmscs scene(byPrefix +
                   "[[mo]]\ndestinations = [\"41*\"]\nconnectors = [\"a\"]\naccount = \"esme2\"\n"
                   "[[mo]]\nsources = [\"49*\"]\naccount = \"esme1\"\n");
    SmppPeer one = scene.router.bound("esme1");
    SmppPeer two = scene.router.bound("esme2");
    scene.a.deliver({.from = "1", .to = "411", .text = "by connector"});
    EXPECT_EQ(two.expect(Command::deliverSm).message(), "by connector");
    scene.b.deliver({.from = "491", .to = "411", .text = "by source"});
    EXPECT_EQ(one.expect(Command::deliverSm).message(), "by source");
    const std::uint32_t sequence = scene.b.deliver({.from = "1", .to = "411"});
    EXPECT_EQ(scene.b.expectAnswer(sequence).status(), Status::invDstAdr);
}

TEST(RouterMo, GoesToEachReceivingBindInTurn) {
    OneSmsc scene;
    SmppPeer first = scene.router.bound("esme1", Command::bindReceiver);
    SmppPeer second = scene.router.bound("esme1");
    SmppPeer transmitter = scene.router.bound("esme1", Command::bindTransmitter);
    for (int i = 0; i < 3; ++i) {
        for (SmppPeer* bind : {&first, &second}) {
            scene.smsc.deliver({.to = "12345"});
            bind->answer(bind->expect(Command::deliverSm));
        }
    }
    EXPECT_TRUE(first.nothingArrives());
    EXPECT_TRUE(second.nothingArrives());
    EXPECT_TRUE(transmitter.nothingArrives());
}

TEST(RouterMo, MayBeADataSm) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const nio::Bytes sent = dataSm(9, {.to = "12345", .text = std::string(2000, 'x')});
    scene.smsc.send(sent);
    const OwnedPdu came = esme.expect(Command::dataSm);
    EXPECT_TRUE(sameOctets(came.numbered(9), sent));
    esme.answer(came);
    EXPECT_TRUE(
        sameOctets(scene.smsc.expectAnswer(9).octets(), withText(Command::dataSmResp, 9, "")));
}

TEST(RouterMo, RefusedByTheEsmeIsRefusedToTheSmsc) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t sequence = scene.smsc.deliver({.to = "12345"});
    esme.refuse(esme.expect(Command::deliverSm), Status::xRAppn);
    EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), Status::xRAppn);
}

TEST(RouterMo, TheSameAgainIsAnotherMessage) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    for (int i = 0; i < 2; ++i) {
        const std::uint32_t sequence = scene.smsc.deliver({.to = "12345", .text = "twice"});
        esme.answer(esme.expect(Command::deliverSm));
        EXPECT_EQ(scene.smsc.expectAnswer(sequence).status(), Status::ok);
    }
}

TEST(RouterAlert, GoesToTheAccountThatItIsFor) {
    OneSmsc scene;
    SmppPeer one = scene.router.bound("esme1");
    SmppPeer two = scene.router.bound("esme2");
    // source_addr 1/1 "4179", esme_addr 0/1 "54321", ms_availability_status 0.
    const nio::Bytes alert =
        hex("00000024 00000102 00000000 00000009 0101 3431373900 0001 353433323100 0422 0001 00");
    scene.smsc.send(alert);
    EXPECT_TRUE(sameOctets(two.expect(Command::alertNotification).numbered(9), alert));
    EXPECT_TRUE(one.nothingArrives());
    EXPECT_TRUE(scene.smsc.nothingArrives());
}

TEST(RouterAlert, IsNotKept) {
    OneSmsc scene;
    scene.smsc.send(
        hex("00000024 00000102 00000000 00000009 0101 3431373900 0001 353433323100 0422 0001 00"));
    EXPECT_TRUE(scene.smsc.nothingArrives());
    EXPECT_TRUE(scene.router.bound("esme2").nothingArrives());
}

TEST(RouterAlert, NeedsNoWindow) {
    OneSmsc scene({.esme2 = "deliver_window = 1"});
    SmppPeer esme = scene.router.bound("esme2");
    for (int i = 0; i < 5; ++i) {
        scene.smsc.send(hex(
            "00000024 00000102 00000000 00000009 0101 3431373900 0001 353433323100 0422 0001 00"));
        esme.expect(Command::alertNotification);
    }
}

}  // namespace router::scenarios
