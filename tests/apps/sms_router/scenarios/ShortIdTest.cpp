// Message ids of ESMEs that bind with a version before 3.4.
#include <gtest/gtest.h>

#include "apps/sms_router/scenarios/OneSmsc.h"
#include "apps/sms_router/scenarios/TwoSmscs.h"

namespace router::scenarios {

namespace {

SmppPeer boundAs(RouterProcess& router, std::uint8_t version, bool isSecond = false) {
    SmppPeer esme = router.connected();
    const Binding binding{Command::bindTransceiver, isSecond ? "esme2" : "esme1",
                          isSecond ? "secret2" : "secret1", version};
    EXPECT_EQ(esme.bind(binding), Status::ok);
    return esme;
}

nio::Bytes queryOf(std::uint32_t sequence, std::string_view id) {
    return PduWriter(Command::querySm, Status::ok, sequence)
        .text(id)
        .number(0)
        .number(1)
        .text("12345")
        .finish();
}

nio::Bytes queryAnswer(std::uint32_t sequence, std::string_view id) {
    return PduWriter(Command::querySmResp, Status::ok, sequence)
        .text(id)
        .text("")
        .number(2)
        .number(0)
        .finish();
}

// A message to the second connector, so that the first one is asked in vain.
std::string acceptedByB(TwoSmscs& scene, SmppPeer& esme, const std::string& smscId) {
    const std::uint32_t sent = esme.submit({.to = "492"});
    scene.b.answer(scene.b.nextSubmit(), smscId);
    return esme.expectAnswer(sent).id();
}

void expectQueried(TwoSmscs& scene, SmppPeer& esme, const std::string& ours,
                   const std::string& smscId) {
    esme.send(queryOf(700, ours));
    const OwnedPdu query = scene.b.expect(Command::querySm);
    EXPECT_EQ(query.id(), smscId);
    scene.b.send(queryAnswer(query.sequence(), smscId));
    EXPECT_TRUE(sameOctets(esme.expectAnswer(700).octets(), queryAnswer(700, ours)));
}

void expectReceipt(TwoSmscs& scene, SmppPeer& esme, const std::string& ours,
                   const std::string& smscId) {
    scene.b.receipt(receiptOf(smscId));
    const OwnedPdu receipt = esme.expect(Command::deliverSm);
    EXPECT_TRUE(sameOctets(receipt.numbered(0), deliverSm(0, receiptOf(ours))));
    esme.answer(receipt);
}

}  // namespace

TEST(RouterShortId, HasEightCharactersBelowVersion34) {
    OneSmsc scene;
    for (const int version : {0x00, 0x03, 0x10, 0x33}) {
        SmppPeer esme = boundAs(scene.router, static_cast<std::uint8_t>(version));
        EXPECT_EQ(scene.accepted(esme, "17").size(), 8u) << version;
    }
    for (const int version : {0x34, 0x50}) {
        SmppPeer esme = boundAs(scene.router, static_cast<std::uint8_t>(version));
        EXPECT_EQ(scene.accepted(esme, "17").size(), 16u) << version;
    }
}

TEST(RouterShortId, IsNotSpentOnWhatIsRefused) {
    OneSmsc scene({.router = "threads = 1", .esme1 = "destinations = [\"4*\"]"});
    SmppPeer esme = boundAs(scene.router, 0x33);
    const auto numbered = [&] { return std::stoull(scene.accepted(esme, "17"), nullptr, 36); };
    const auto first = numbered();
    EXPECT_EQ(esme.expectAnswer(esme.submit({.to = "51"})).status(), Status::invDstAdr);
    EXPECT_EQ(numbered(), first + 1);
}

TEST(RouterShortId, FindsReceiptsAndQueriesAlsoAfterARestart) {
    TwoSmscs scene(byPrefix, {.durability = "commit"});
    std::string first;
    {
        SmppPeer esme = boundAs(scene.router, 0x33);
        first = acceptedByB(scene, esme, "17");
        expectQueried(scene, esme, first, "17");
        expectReceipt(scene, esme, acceptedByB(scene, esme, "18"), "18");
    }
    scene.router.kill();
    scene.a.close();
    scene.b.close();
    scene.router.startAgain();
    scene.a = scene.listenerA.accept();
    scene.b = scene.listenerB.accept();
    SmppPeer esme = boundAs(scene.router, 0x33);
    EXPECT_NE(acceptedByB(scene, esme, "19"), first);
    expectQueried(scene, esme, first, "17");
    expectReceipt(scene, esme, first, "17");
}

TEST(RouterShortId, CancelsAndReplacesItsMessage) {
    TwoSmscs scene(byPrefix);
    SmppPeer esme = boundAs(scene.router, 0x33);
    const std::string ours = acceptedByB(scene, esme, "17");
    esme.send(PduWriter(Command::cancelSm, Status::ok, 700)
                  .text("")
                  .text(ours)
                  .number(0)
                  .number(1)
                  .text("12345")
                  .number(1)
                  .number(1)
                  .text("492")
                  .finish());
    OwnedPdu request = scene.b.expect(Command::cancelSm);
    EXPECT_EQ(request.id(), "17");
    scene.b.answer(request);
    EXPECT_EQ(esme.expectAnswer(700).status(), Status::ok);
    esme.send(PduWriter(Command::replaceSm, Status::ok, 701)
                  .text(ours)
                  .number(0)
                  .number(1)
                  .text("12345")
                  .text("")
                  .text("")
                  .number(1)
                  .number(0)
                  .number(3)
                  .octets(nio::asBytes("new"))
                  .finish());
    request = scene.b.expect(Command::replaceSm);
    EXPECT_EQ(request.id(), "17");
    scene.b.answer(request);
    EXPECT_EQ(esme.expectAnswer(701).status(), Status::ok);
}

TEST(RouterShortId, BelongsToItsAccountOnly) {
    TwoSmscs scene(byPrefix);
    SmppPeer esme = boundAs(scene.router, 0x33);
    const std::string ours = acceptedByB(scene, esme, "17");
    SmppPeer other = boundAs(scene.router, 0x33, true);
    EXPECT_EQ(other.ask(queryOf(9, ours)).status(), Status::invMsgId);
    EXPECT_EQ(other.ask(queryOf(10, "0000000A")).status(), Status::invMsgId);
    EXPECT_TRUE(scene.b.nothingArrives());
}

TEST(RouterShortId, IsOneForAllPartsOfASplitMessage) {
    TwoSmscs scene(byPrefix);
    SmppPeer esme = boundAs(scene.router, 0x33);
    PduWriter multi(Command::submitMulti, Status::ok, 7);
    multi.text("").number(0).number(1).text("12345").number(2);
    for (const char* to : {"411", "492"}) multi.number(1).number(1).number(1).text(to);
    multi.number(0).number(0).number(0).text("").text("").number(1).number(0).number(0).number(0);
    esme.send(multi.number(2).octets(nio::asBytes("hi")).finish());
    for (SmscBind* smsc : {&scene.a, &scene.b}) {
        const OwnedPdu part = smsc->expect(Command::submitMulti);
        smsc->send(PduWriter(Command::submitMultiResp, Status::ok, part.sequence())
                       .text("17")
                       .number(0)
                       .finish());
    }
    const std::string ours = esme.expectAnswer(7).id();
    EXPECT_EQ(ours.size(), 8u);
    expectReceipt(scene, esme, ours, "17");
    EXPECT_EQ(esme.ask(queryOf(9, ours)).status(), Status::invMsgId) << "of which part?";
}

}  // namespace router::scenarios
