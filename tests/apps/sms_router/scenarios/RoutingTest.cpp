// Which SMSC a message goes to, and as what.
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include <nio/sys/Kernel.h>

#include "apps/sms_router/scenarios/AdminClient.h"
#include "apps/sms_router/scenarios/OneSmsc.h"
#include "apps/sms_router/scenarios/TwoSmscs.h"

namespace router::scenarios {

namespace {

Status statusOf(SmppPeer& esme, const Message& message) {
    return esme.expectAnswer(esme.submit(message)).status();
}

// Which of both gets the next message, which is answered.
char whereItGoes(TwoSmscs& scene, SmppPeer& esme, const Message& message = {}) {
    const std::uint32_t sent = esme.submit(message);
    pollfd ends[3] = {{scene.a.fd(), POLLIN, 0}, {scene.b.fd(), POLLIN, 0}, {esme.fd(), POLLIN, 0}};
    (void)nio::kernel::waitPoll(ends, patience).orThrow();
    if (ends[2].revents != 0) throw std::runtime_error(smpp::nameOf(esme.next().status()));
    SmscBind& there = ends[0].revents != 0 ? scene.a : scene.b;
    there.answer(there.nextSubmit(), "id");
    EXPECT_EQ(esme.expectAnswer(sent).status(), Status::ok);
    return ends[0].revents != 0 ? 'a' : 'b';
}

std::string partOf(char reference, char part) {
    return std::string("\x05\x00\x03", 3) + reference + '\x03' + part + "text";
}

}  // namespace

TEST(RouterRoute, IsTheFirstRuleThatFits) {
    TwoSmscs scene(
        "[[route]]\ndestinations = [\"4190*\"]\nreject = \"ESME_RINVDSTADR\"\n"
        "[[route]]\nsources = [\"999\"]\ndestinations = [\"41*\"]\nconnector = \"b\"\n"
        "[[route]]\naccounts = [\"esme2\"]\nconnector = \"b\"\n"
        "[[route]]\nservice_types = [\"WAP\"]\nconnector = \"b\"\n"
        "[[route]]\ndata_codings = [8]\nconnector = \"b\"\n"
        "[[route]]\ndestinations = [\"/^49(15|16|17)/\"]\nconnector = \"b\"\n"
        "[[route]]\ndestinations = [\"41*\", \"49*\"]\nconnector = \"a\"\n");
    SmppPeer one = scene.router.bound("esme1");
    SmppPeer two = scene.router.bound("esme2");
    EXPECT_EQ(statusOf(one, {.to = "4190123"}), Status::invDstAdr);
    EXPECT_EQ(whereItGoes(scene, one, {.from = "999", .to = "4179"}), 'b');
    EXPECT_EQ(whereItGoes(scene, one, {.from = "998", .to = "4179"}), 'a');
    EXPECT_EQ(whereItGoes(scene, two, {.to = "4179"}), 'b');
    EXPECT_EQ(whereItGoes(scene, one, {.to = "4179", .serviceType = "WAP"}), 'b');
    EXPECT_EQ(whereItGoes(scene, one, {.to = "4179", .dataCoding = 8}), 'b');
    EXPECT_EQ(whereItGoes(scene, one, {.to = "49170"}), 'b');
    EXPECT_EQ(whereItGoes(scene, one, {.to = "49180"}), 'a');
}

TEST(RouterRoute, RejectsWithTheStatusThatWasChosen) {
    OneSmsc scene({.more = "[[route]]\nreject = \"0x0412\"\n"});
    SmppPeer esme = scene.router.bound("esme1");
    EXPECT_EQ(statusOf(esme, {}), Status(0x412));
    EXPECT_TRUE(scene.smsc.nothingArrives());
}

TEST(RouterRoute, ThatDoesNotExistIsAnInvalidDestination) {
    const std::string only41 = "[[route]]\ndestinations = [\"41*\"]\nconnector = \"smsc\"\n";
    OneSmsc scene({.more = only41});
    SmppPeer esme = scene.router.bound("esme1");
    EXPECT_EQ(statusOf(esme, {.to = "49170"}), Status::invDstAdr);
    OneSmsc other({.router = "no_route = \"ESME_RSUBMITFAIL\"", .more = only41});
    SmppPeer its = other.router.bound("esme1");
    EXPECT_EQ(statusOf(its, {.to = "49170"}), Status::submitFail);
}

TEST(RouterRoute, WithoutAnSmscThatIsBoundIsASystemError) {
    TestSmsc smsc;
    RouterSetup setup;
    setup.connectors = {{"smsc", smsc.port()}};
    smsc.stopListening();
    RouterProcess router(setup);
    SmppPeer esme = router.bound("esme1");
    EXPECT_EQ(statusOf(esme, {}), Status::sysErr);
}

TEST(RouterRoute, WithoutAnSmscThatIsBoundHasTheStatusThatWasChosen) {
    TestSmsc smsc;
    RouterSetup setup{.router = "no_connector = \"ESME_RTHROTTLED\""};
    setup.connectors = {{"smsc", smsc.port()}};
    smsc.stopListening();
    RouterProcess router(setup);
    SmppPeer esme = router.bound("esme1");
    EXPECT_EQ(statusOf(esme, {}), Status::throttled);
}

TEST(RouterRoute, NeedsABindThatTransmits) {
    OneSmsc scene({}, "receivers = 1");
    EXPECT_EQ(scene.smsc.bindRequest().command(), Command::bindReceiver);
    SmppPeer esme = scene.router.bound("esme1");
    EXPECT_EQ(statusOf(esme, {}), Status::sysErr);
}

TEST(RouterRoute, RewritesAddresses) {
    OneSmsc scene({.more =
                       "[[route]]\nconnector = \"smsc\"\n"
                       "rewrite_source = { replace_by = \"INFO\", ton = 5, npi = 0 }\n"
                       "rewrite_destination = { strip_prefix = \"00\", add_prefix = \"+\" }\n"});
    SmppPeer esme = scene.router.bound("esme1");
    Message message{.from = "12345", .to = "0041791234567", .text = "hello"};
    message.tlvs = {{Tag(0x1500), "vendor"}};
    esme.submit(message);
    message.from = "INFO";
    message.fromTon = 5;
    message.fromNpi = 0;
    message.to = "+41791234567";
    EXPECT_TRUE(sameOctets(scene.smsc.nextSubmit().numbered(0), submitSm(0, message)));
}

TEST(RouterRoute, RefusesAnAddressThatIsTooLongOnceItIsRewritten) {
    OneSmsc scene({.more = "[[route]]\nconnector = \"smsc\"\n"
                           "rewrite_destination = { add_prefix = \"0123456789\" }\n"});
    SmppPeer esme = scene.router.bound("esme1");
    EXPECT_EQ(statusOf(esme, {.to = "01234567890"}), Status::invDstAdr);
    esme.submit({.to = "0123456789"});
    EXPECT_EQ(scene.smsc.nextSubmit().text(Field::destinationAddress), "01234567890123456789");
}

TEST(RouterGroup, SharesMessagesInTurn) {
    TwoSmscs scene(groupOf("members = [\"a\", \"b\"]"), {.router = "threads = 1"});
    SmppPeer esme = scene.router.bound("esme1");
    std::map<char, int> counts;
    for (int i = 0; i < 20; ++i) ++counts[whereItGoes(scene, esme)];
    EXPECT_EQ(counts['a'], 10);
    EXPECT_EQ(counts['b'], 10);
}

TEST(RouterGroup, SharesMessagesByWeight) {
    TwoSmscs scene(groupOf("members = [\"a\", \"b\"]\nbalance = \"weighted\""),
                   {.router = "threads = 1"}, "weight = 9", "weight = 1");
    SmppPeer esme = scene.router.bound("esme1");
    std::map<char, int> counts;
    for (int i = 0; i < 200; ++i) ++counts[whereItGoes(scene, esme)];
    // By chance, the outer limits are not reached in a billion runs.
    EXPECT_GT(counts['a'], 140);
    EXPECT_GT(counts['b'], 1);
}

TEST(RouterGroup, TakesTheCheapestThatIsBound) {
    TwoSmscs scene(groupOf("members = [\"a\", \"b\"]\nbalance = \"cheapest\""),
                   {.router = "threads = 1"}, "cost = 2",
                   "cost = 1.5\nreconnect_first = \"1h\"\nreconnect_max = \"1h\"");
    SmppPeer esme = scene.router.bound("esme1");
    for (int i = 0; i < 5; ++i) EXPECT_EQ(whereItGoes(scene, esme), 'b');
    scene.b.send(bare(Command::unbind, 1));
    scene.b.expectAnswer(1);
    // It does not close its end.
    EXPECT_TRUE(scene.b.closedByPeer());
    for (int i = 0; i < 5; ++i) EXPECT_EQ(whereItGoes(scene, esme), 'a');
}

TEST(RouterGroup, TakesTheOneWithTheFewestOutstanding) {
    TwoSmscs scene(groupOf("members = [\"a\", \"b\"]\nbalance = \"fewest-outstanding\""),
                   {.router = "threads = 1"});
    SmppPeer esme = scene.router.bound("esme1");
    for (int i = 0; i < 6; ++i) esme.submit({});
    EXPECT_TRUE(esme.nothingArrives());
    for (int i = 0; i < 3; ++i) {
        scene.a.nextSubmit();
        scene.b.answer(scene.b.nextSubmit(), "id");
    }
    for (int i = 0; i < 3; ++i) esme.expect(Command::submitSmResp);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(whereItGoes(scene, esme), 'b');
}

TEST(RouterGroup, UsesALaterTierOnlyWhileNobodyOfTheFirstIsBound) {
    TwoSmscs scene(groupOf("tiers = [[\"a\"], [\"b\"]]"));
    SmppPeer esme = scene.router.bound("esme1");
    EXPECT_TRUE(scene.b.nothingArrives());
    esme.submit({.text = "first"});
    EXPECT_EQ(scene.a.nextSubmit().message(), "first");
    scene.a.close();
    EXPECT_EQ(esme.next().status(), Status::submitFail);
    esme.submit({.text = "second"});
    EXPECT_EQ(scene.b.nextSubmit().message(), "second");
    scene.a = scene.listenerA.accept();
    // That it is bound is known when the router has looked at its answer.
    EXPECT_TRUE(scene.a.nothingArrives());
    esme.submit({.text = "third"});
    EXPECT_EQ(scene.a.nextSubmit().message(), "third");
}

TEST(RouterGroup, SendsNothingAfterAnUnbindRequest) {
    TwoSmscs scene(groupOf("tiers = [[\"a\"], [\"b\"]]"));
    SmppPeer esme = scene.router.bound("esme1");
    EXPECT_TRUE(scene.b.nothingArrives());
    const std::uint32_t sent = esme.submit({.text = "first"});
    scene.a.answer(scene.a.nextSubmit(), "17");
    esme.expectAnswer(sent);
    scene.a.receipt(receiptOf("17"));
    esme.expect(Command::deliverSm);
    scene.a.send(bare(Command::unbind, 5));
    EXPECT_TRUE(scene.a.nothingArrives()) << "its receipt is not answered yet";
    esme.submit({.text = "second"});
    EXPECT_EQ(scene.b.nextSubmit().message(), "second");
}

TEST(RouterGroup, SendsThePartsOfALongMessageToOneSmsc) {
    TwoSmscs scene(groupOf("members = [\"a\", \"b\"]"), {.router = "threads = 1"});
    SmppPeer esme = scene.router.bound("esme1");
    std::map<char, int> counts;
    for (char reference = 1; reference <= 10; ++reference) {
        const auto part = [&](char number) {
            return whereItGoes(scene, esme, {.text = partOf(reference, number), .esmClass = 0x40});
        };
        const char first = part(1);
        EXPECT_EQ(part(2), first);
        EXPECT_EQ(part(3), first);
        ++counts[first];
    }
    EXPECT_GT(counts['a'], 0);
    EXPECT_GT(counts['b'], 0);
}

TEST(RouterGroup, AnswersASystemErrorWhenNobodyIsBound) {
    TwoSmscs scene(groupOf("tiers = [[\"a\"], [\"b\"]]"), {.admin = true});
    AdminClient admin(scene.router.adminAddress());
    SmppPeer esme = scene.router.bound("esme1");
    for (const char* name : {"a", "b"}) {
        EXPECT_EQ(admin.post(std::string("/connectors/") + name + "/stop").status, 200);
    }
    scene.a.answer(scene.a.expect(Command::unbind));
    scene.b.answer(scene.b.expect(Command::unbind));
    EXPECT_EQ(statusOf(esme, {}), Status::sysErr);
}

}  // namespace router::scenarios
