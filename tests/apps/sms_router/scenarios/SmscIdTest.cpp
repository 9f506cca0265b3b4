// The ids that SMSCs give, and how they write them.
#include <gtest/gtest.h>

#include "apps/sms_router/scenarios/OneSmsc.h"
#include "apps/sms_router/scenarios/TwoSmscs.h"

namespace router::scenarios {

using namespace std::string_view_literals;

namespace {

// How an SMSC writes an id in its answer, and in the receipt.
struct Spelling {
    std::string name;
    std::string inAnswer;
    std::string inReceipt;
};

class RouterReceiptId : public ::testing::TestWithParam<Spelling> {};

}  // namespace

TEST_P(RouterReceiptId, IsFoundHoweverItIsWritten) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "99999999");
    const std::string ours = scene.accepted(esme, GetParam().inAnswer);
    scene.accepted(esme, "88888888");
    scene.smsc.receipt(receiptOf(GetParam().inReceipt));
    EXPECT_TRUE(
        sameOctets(esme.expect(Command::deliverSm).numbered(0), deliverSm(0, receiptOf(ours))));
}

INSTANTIATE_TEST_SUITE_P(
    Spellings, RouterReceiptId,
    ::testing::Values(Spelling{"DecimalForHexadecimal", "1A2B3C4D", "439041101"},
                      Spelling{"HexadecimalForDecimal", "439041101", "1A2B3C4D"},
                      Spelling{"WithLeadingZeros", "4711", "0000004711"},
                      Spelling{"WithoutLeadingZeros", "0000004711", "4711"},
                      Spelling{"UpperCase", "abcdef0123", "ABCDEF0123"},
                      Spelling{"LowerCase", "ABCDEF0123", "abcdef0123"},
                      Spelling{"UuidInUpperCase", "550e8400-e29b-41d4-a716-446655440000",
                               "550E8400-E29B-41D4-A716-446655440000"},
                      Spelling{"WithABlankInTheAnswer", "4711 ", "4711"},
                      Spelling{"InBrackets", "4711", "[4711]"},
                      Spelling{"WithAFullStop", "4711", "4711."},
                      Spelling{"WithASuffix", "4711", "4711-1"},
                      Spelling{"WithASuffixBehindAFullStop", "4711", "4711.1"},
                      Spelling{"WithASuffixBehindAColon", "4711", "4711:1"},
                      Spelling{"WithoutItsSuffix", "4711-1", "4711"},
                      Spelling{"WithoutItsSuffixBehindASlash", "4711/1", "4711"},
                      Spelling{"WithAHexadecimalMark", "0xB1C0", "45504"},
                      Spelling{"WithoutAHexadecimalMark", "0xB1C1", "B1C1"},
                      Spelling{"OfSixtyFourOctets", std::string(64, 'x'), std::string(64, 'x')},
                      Spelling{"AsItIs", "some.id/of-letters_", "some.id/of-letters_"}),
    [](const auto& spelling) { return spelling.param.name; });

TEST(RouterSmscId, InAnotherFormIsOfTheNumberThatTheSmscWasTold) {
    OneSmsc scene({.more = "[[route]]\nconnector = \"smsc\"\n"
                           "rewrite_destination = { replace_by = \"4912345678\" }\n"});
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "1A2B3C4D", {.to = "41791234567"});
    Message receipt = receiptOf("439041101");
    receipt.from = "4912345678";
    scene.smsc.receipt(receipt);
    EXPECT_NE(esme.expect(Command::deliverSm).message().find(ours), std::string::npos);
}

TEST(RouterSmscId, MayBeLongerThanAShortMessage) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string id(300, 'b');
    const std::string ours = scene.accepted(esme, id);
    EXPECT_EQ(ours.size(), 16u);
    scene.smsc.receipt(receiptOf("", "DELIVRD", id));
    EXPECT_TRUE(sameOctets(esme.expect(Command::deliverSm).numbered(0),
                           deliverSm(0, receiptOf("", "DELIVRD", ours))));
}

TEST(RouterSmscId, MayLackItsNulBeforeATlv) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t sent = esme.submit({});
    const std::uint32_t sequence = scene.smsc.nextSubmit().sequence();
    scene.smsc.send(PduWriter(Command::submitSmResp, Status::ok, sequence)
                        .octets(nio::asBytes("abcdef01\4\x25\0\1\0"sv))
                        .finish());
    const std::string ours = esme.expectAnswer(sent).id();
    scene.smsc.receipt(receiptOf("abcdef01"));
    EXPECT_TRUE(
        sameOctets(esme.expect(Command::deliverSm).numbered(0), deliverSm(0, receiptOf(ours))));
}

TEST(RouterSmscId, MayBeTheSameAtTwoSmscs) {
    TwoSmscs scene(byPrefix);
    SmppPeer one = scene.router.bound("esme1");
    SmppPeer two = scene.router.bound("esme2");
    const std::uint32_t first = one.submit({.to = "411"});
    scene.a.answer(scene.a.nextSubmit(), "17");
    const std::string atA = one.expectAnswer(first).id();
    const std::uint32_t second = two.submit({.to = "492"});
    scene.b.answer(scene.b.nextSubmit(), "17");
    const std::string atB = two.expectAnswer(second).id();
    scene.b.receipt(receiptOf("17"));
    EXPECT_TRUE(
        sameOctets(two.expect(Command::deliverSm).numbered(0), deliverSm(0, receiptOf(atB))));
    scene.a.receipt(receiptOf("17"));
    EXPECT_TRUE(
        sameOctets(one.expect(Command::deliverSm).numbered(0), deliverSm(0, receiptOf(atA))));
}

TEST(RouterSmscId, MayBeEmptyOrMissing) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string empty = scene.accepted(esme, "");
    EXPECT_EQ(empty.size(), 16u);
    const std::uint32_t sent = esme.submit({});
    scene.smsc.send(bare(Command::submitSmResp, scene.smsc.nextSubmit().sequence()));
    const OwnedPdu answer = esme.expectAnswer(sent);
    EXPECT_EQ(answer.status(), Status::ok);
    EXPECT_EQ(answer.id().size(), 16u);
    EXPECT_NE(answer.id(), empty);
}

TEST(RouterSmscId, ThatIsUsedAgainIsTheLatestMessages) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    const std::string first = scene.accepted(esme, "17");
    const std::uint32_t sequence = scene.smsc.receipt(receiptOf("17"));
    esme.answer(esme.expect(Command::deliverSm));
    scene.smsc.expectAnswer(sequence);
    const std::string second = scene.accepted(esme, "17");
    EXPECT_NE(first, second);
    scene.smsc.receipt(receiptOf("17"));
    EXPECT_TRUE(
        sameOctets(esme.expect(Command::deliverSm).numbered(0), deliverSm(0, receiptOf(second))));
}

TEST(RouterSmscId, IsKeptOfAMessageWhoseSenderHasLeftBeforeTheAnswer) {
    OneSmsc scene;
    SmppPeer esme = scene.router.bound("esme1");
    esme.submit({});
    const OwnedPdu submit = scene.smsc.nextSubmit();
    esme.close();
    scene.smsc.answer(submit, "17");
    EXPECT_EQ(scene.smsc.expectAnswer(scene.smsc.receipt(receiptOf("17"))).status(), Status::ok);
    SmppPeer next = scene.router.bound("esme1");
    EXPECT_NE(next.expect(Command::deliverSm).message().find("id:0"), std::string::npos);
}

}  // namespace router::scenarios
