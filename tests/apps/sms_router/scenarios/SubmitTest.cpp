// From an ESME to an SMSC and back: every octet, every answer.
#include <gtest/gtest.h>

#include <set>

#include "apps/sms_router/scenarios/OneSmsc.h"
#include "apps/sms_router/scenarios/TwoSmscs.h"

namespace router::scenarios {

namespace {

// Sends the PDU (with sequence number 0x01020304), and compares what arrives.
void expectForwardedAsItIs(const nio::Bytes& pdu) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const OwnedPdu sent{pdu};
    esme.send(sent.numbered(0x01020304));
    const OwnedPdu arrived = scene.smsc.next();
    EXPECT_TRUE(sameOctets(arrived.numbered(0), sent.numbered(0)));
    scene.smsc.answer(arrived, "17");
    const OwnedPdu answer = esme.expectAnswer(0x01020304);
    EXPECT_EQ(answer.status(), Status::ok);
    EXPECT_EQ(answer.id().size(), 16u);
}

}  // namespace

TEST(RouterSubmit, ForwardsEveryOctetOfAPlainMessage) {
    // service_type "CMT", source 5/0 "INFO", destination 1/1 "41791234567", esm_class 0,
    // protocol_id 0x7F, priority 3, schedule "", validity "000002000000000R", registered 0x1F,
    // replace 1, data_coding 0xF5, default message 9, 3 octets of text.
    expectForwardedAsItIs(
        hex("00000046 00000004 00000000 00000001 434D5400 0500 494E464F00 0101 "
            "343137393132333435363700 00 7F 03 00 3030303030323030303030303030305200 1F 01 F5 09 "
            "03 00FF0A"));
}

TEST(RouterSubmit, ForwardsEveryOctetOfTlvsThatItDoesNotKnow) {
    expectForwardedAsItIs(submitSm(1, {.text = "hello",
                                       .tlvs = {{Tag(0x1501), "vendor"},
                                                {Tag(0x3FFF), std::string("\0\1\2", 3)},
                                                {Tag::userMessageReference, "\x01\x02"},
                                                {Tag(0x1501), ""},
                                                {Tag(0xFFFF), std::string(300, 'x')}}}));
}

TEST(RouterSubmit, ForwardsEveryOctetOfAUserDataHeader) {
    expectForwardedAsItIs(
        submitSm(1, {.text = std::string("\x05\x00\x03\x2A\x02\x01", 6) + std::string(134, '\0'),
                     .esmClass = 0x40,
                     .dataCoding = 4}));
}

TEST(RouterSubmit, MessagesThatArriveTogetherGoToOneBind) {
    TestSmsc smsc;
    RouterProcess router({.connectors = {{"smsc", smsc.port(), "transceivers = 2"}}});
    SmscBind one = smsc.accept();
    SmscBind other = smsc.accept();
    SmppPeer esme = router.bound("esme1");
    nio::Bytes together;
    for (const std::uint32_t sequence : {11, 12, 13}) {
        const nio::Bytes each = OwnedPdu(submitSm(sequence, {})).numbered(sequence);
        together.insert(together.end(), each.begin(), each.end());
    }
    esme.send(together);
    EXPECT_TRUE(esme.nothingArrives());
    const bool isOther = one.nothingArrives();
    EXPECT_NE(isOther, other.nothingArrives());
    SmscBind& chosen = isOther ? other : one;
    for (const char* id : {"1", "2", "3"}) chosen.answer(chosen.nextSubmit(), id);
    for (const std::uint32_t sequence : {11, 12, 13}) {
        EXPECT_EQ(esme.expectAnswer(sequence).status(), Status::ok);
    }
}

TEST(RouterSubmit, ForwardsAMessagePayloadOf60000Octets) {
    std::string payload;
    for (int i = 0; i < 60'000; ++i) payload += static_cast<char>(i * 7);
    expectForwardedAsItIs(submitSm(1, {.tlvs = {{Tag::messagePayload, payload}}}));
}

TEST(RouterSubmit, ForwardsOddTypesOfNumbersAndAnAddressWithoutOctets) {
    expectForwardedAsItIs(submitSm(1, {.from = "",
                                       .text = "hello",
                                       .fromTon = 0xFF,
                                       .fromNpi = 0x77,
                                       .toTon = 0x80,
                                       .toNpi = 0xFE}));
    expectForwardedAsItIs(submitSm(1, {.to = "", .text = "hello"}));
    expectForwardedAsItIs(submitSm(1, {.from = "12345678901234567890", .to = "#*abc \x7F\xE4"}));
}

TEST(RouterSubmit, ForwardsDataSmAsItIs) {
    expectForwardedAsItIs(
        dataSm(1, {.text = std::string(3000, 'y'), .tlvs = {{Tag(0x1400), "vendor"}}}));
}

TEST(RouterSubmit, PassesStatusesOfVendorsOnWithTheirBodies) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t sent = esme.submit({});
    const OwnedPdu submit = scene.smsc.nextSubmit();
    const nio::Bytes refusal =
        PduWriter(Command::submitSmResp, Status(0x00000412), submit.sequence())
            .text("why-not")
            .tlv(Tag::additionalStatusInfoText, std::string_view("out of credit\0", 14))
            .finish();
    scene.smsc.send(refusal);
    EXPECT_TRUE(sameOctets(esme.expectAnswer(sent).octets(), OwnedPdu(refusal).numbered(sent)));
}

TEST(RouterSubmit, PassesARefusalWithoutABodyOn) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t sent = esme.submit({});
    const OwnedPdu submit = scene.smsc.nextSubmit();
    scene.smsc.send(bare(Command::submitSmResp, submit.sequence(), Status::invDstAdr));
    EXPECT_TRUE(sameOctets(esme.expectAnswer(sent).octets(),
                           bare(Command::submitSmResp, sent, Status::invDstAdr)));
}

TEST(RouterSubmit, KeepsTheTlvsOfAnAnswerAndReplacesItsId) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t sent = esme.submit({});
    const OwnedPdu submit = scene.smsc.nextSubmit();
    scene.smsc.send(PduWriter(Command::submitSmResp, Status::ok, submit.sequence())
                        .text("17")
                        .tlv(Tag(0x1403), std::string_view("vendor"))
                        .finish());
    const OwnedPdu answer = esme.expectAnswer(sent);
    EXPECT_TRUE(sameOctets(answer.octets(), PduWriter(Command::submitSmResp, Status::ok, sent)
                                                .text(answer.id())
                                                .tlv(Tag(0x1403), std::string_view("vendor"))
                                                .finish()));
    EXPECT_EQ(answer.id().size(), 16u);
}

TEST(RouterSubmit, GivesUniqueIdsThoughTwoSmscsGiveTheSame) {
    TwoSmscs scene(byPrefix);
    SmppPeer esme = scene.router.bound("esme1");
    std::set<std::string> ids;
    for (int i = 0; i < 10; ++i) {
        const std::uint32_t first = esme.submit({.to = "411"});
        scene.a.answer(scene.a.nextSubmit(), std::to_string(i));
        ids.insert(esme.expectAnswer(first).id());
        const std::uint32_t second = esme.submit({.to = "492"});
        scene.b.answer(scene.b.nextSubmit(), std::to_string(i));
        ids.insert(esme.expectAnswer(second).id());
    }
    EXPECT_EQ(ids.size(), 20u);
}

TEST(RouterSubmit, GivesEachAnswerToItsRequestWhateverTheirOrder) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    SmppPeer other = scene.router.bound("esme2");
    std::vector<OwnedPdu> submits;
    for (std::uint32_t i = 1; i <= 20; ++i) {
        (i % 2 == 0 ? esme : other).send(submitSm(1000 + i, {.text = std::to_string(1000 + i)}));
        submits.push_back(scene.smsc.nextSubmit());
    }
    for (std::size_t i = 20; i-- > 0;) {
        const auto mark = static_cast<std::uint32_t>(std::stoul(submits[i].message()));
        scene.smsc.refuse(submits[i], Status(mark));
        SmppPeer& sender = mark % 2 == 0 ? esme : other;
        EXPECT_EQ(sender.expectAnswer(mark).status(), Status(mark));
    }
}

TEST(RouterSubmit, KeepsTheOrderOfASendersMessages) {
    OneSmsc scene({}, "window = 5");
    SmppPeer esme = scene.router.bound("esme1");
    for (int i = 0; i < 50; ++i) esme.submit({.text = std::to_string(i)});
    for (int i = 0; i < 50; ++i) {
        const OwnedPdu submit = scene.smsc.nextSubmit();
        EXPECT_EQ(submit.message(), std::to_string(i));
        scene.smsc.answer(submit, std::to_string(i));
    }
    for (std::uint32_t i = 2; i <= 51; ++i) EXPECT_EQ(esme.expectAnswer(i).status(), Status::ok);
}

TEST(RouterSubmit, LetsAnEsmeUseASequenceNumberTwice) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    esme.send(submitSm(7, {.text = "one"}));
    esme.send(submitSm(7, {.text = "two"}));
    scene.smsc.answer(scene.smsc.nextSubmit(), "1");
    scene.smsc.answer(scene.smsc.nextSubmit(), "2");
    EXPECT_NE(esme.expectAnswer(7).id(), esme.expectAnswer(7).id());
}

TEST(RouterSubmit, GivesAnySequenceNumberBackAsItCame) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    for (const std::uint32_t sequence : {0u, 1u, 0x7FFFFFFFu, 0x80000000u, 0xFFFFFFFFu}) {
        esme.send(submitSm(sequence, {}));
        scene.smsc.answer(scene.smsc.nextSubmit(), "id");
        EXPECT_EQ(esme.expectAnswer(sequence).status(), Status::ok);
    }
}

TEST(RouterSubmit, SendsNoTlvsToAnSmscOfVersion33) {
    OneSmsc scene({}, "interface_version = \"3.3\"");
    EXPECT_EQ(scene.smsc.bindRequest()->number(Field::interfaceVersion), 0x33);
    SmppPeer esme = scene.router.bound("esme1");
    esme.submit({.text = "hello", .tlvs = {{Tag::userMessageReference, "\x01\x02"}}});
    EXPECT_TRUE(sameOctets(scene.smsc.next().numbered(0), submitSm(0, {.text = "hello"})));
}

TEST(RouterSubmit, LimitsATextForVersion33ToItsShortMessage) {
    OneSmsc scene({}, "interface_version = \"3.3\"");
    SmppPeer esme = scene.router.bound("esme1");
    const auto submitted = [&](std::size_t size) {
        return esme.submit({.tlvs = {{Tag::messagePayload, std::string(size, 'x')}}});
    };
    EXPECT_EQ(esme.expectAnswer(submitted(255)).status(), Status::optParNotAllwd);
    submitted(254);
    EXPECT_EQ(scene.smsc.nextSubmit()->octets(Field::shortMessage).size(), 254u);
}

TEST(RouterSubmit, GivesAnEsmeOfVersion33NoTlvs) {
    OneSmsc scene;
    SmppPeer esme = scene.router.connected();
    ASSERT_EQ(esme.bind({.version = 0x33}), Status::ok);
    const std::uint32_t sent = esme.submit({});
    const OwnedPdu submit = scene.smsc.nextSubmit();
    scene.smsc.send(PduWriter(Command::submitSmResp, Status::ok, submit.sequence())
                        .text("17")
                        .tlv(Tag(0x1403), std::string_view("vendor"))
                        .finish());
    const OwnedPdu answer = esme.expectAnswer(sent);
    EXPECT_TRUE(sameOctets(answer.octets(), withText(Command::submitSmResp, sent, answer.id())));
    scene.smsc.deliver({.to = "12345", .text = "mo", .tlvs = {{Tag::sourcePort, "\x01\x02"}}});
    EXPECT_TRUE(sameOctets(esme.expect(Command::deliverSm).numbered(0),
                           deliverSm(0, {.to = "12345", .text = "mo"})));
}

}  // namespace router::scenarios
