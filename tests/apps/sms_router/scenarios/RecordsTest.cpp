// The access log: a line for each outcome of a message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "apps/sms_router/scenarios/AdminClient.h"
#include "apps/sms_router/scenarios/OneSmsc.h"

namespace router::scenarios {

namespace {

using Json = nlohmann::json;

std::vector<Json> linesOf(const std::string& file) {
    std::vector<Json> lines;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line));
    return lines;
}

void awaitALine(const std::string& file) {
    const nio::TimePoint end = nio::Clock::after(patience);
    std::string line;
    for (bool whole = false; !whole && nio::Clock::now() < end;) {
        std::ifstream stream(file);
        whole = std::getline(stream, line) && !stream.eof();
    }
}

// Ends the router, so that all lines are written.
std::vector<Json> linesAtTheEnd(OneSmsc& scene) {
    scene.smsc.close();
    scene.router.stop();
    EXPECT_EQ(scene.router.exitCode(), 0);
    return linesOf(scene.router.recordsFile());
}

}  // namespace

TEST(RouterRecords, ThatCannotBeWrittenAreAnAlarm) {
    OneSmsc scene({.more = "[records]\npath = \"/dev/full\"\n", .admin = true});
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
    AdminClient admin(scene.router.adminAddress());
    const nio::TimePoint end = nio::Clock::after(patience);
    std::string metrics;
    while (metrics.find("records_alarm 1\n") == metrics.npos && nio::Clock::now() < end) {
        metrics = admin.get("/metrics").body;
    }
    EXPECT_THAT(metrics, testing::AllOf(testing::HasSubstr("sms_router_records_alarm 1\n"),
                                        testing::HasSubstr("sms_router_records_failed_total 1\n")));
}

TEST(RouterRecords, SayWhatBecameOfAMessageAndItsReceipt) {
    OneSmsc scene({.router = "drain_timeout = \"0s\"",
                   .more = "[[route]]\nname = \"all\"\nconnector = \"smsc\"\n",
                   .records = true});
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17", {.from = "INFO", .text = "hello"});
    const std::uint32_t sequence = scene.smsc.receipt(receiptOf("17"));
    esme.answer(esme.expect(Command::deliverSm));
    scene.smsc.expectAnswer(sequence);
    const std::vector<Json> lines = linesAtTheEnd(scene);
    ASSERT_EQ(lines.size(), 2u);
    const Json& submit = lines[0];
    EXPECT_EQ(submit["kind"], "submit");
    EXPECT_EQ(submit["account"], "esme1");
    EXPECT_EQ(submit["connector"], "smsc");
    EXPECT_EQ(submit["route"], "all");
    EXPECT_EQ(submit["source"], "INFO");
    EXPECT_EQ(submit["destination"], "41791234567");
    EXPECT_EQ(submit["message_id"], ours);
    EXPECT_EQ(submit["smsc_message_id"], "17");
    EXPECT_EQ(submit["status"], "ESME_ROK");
    EXPECT_EQ(submit["outcome"], "accepted");
    EXPECT_EQ(submit["octets"], 5);
    const Json& receipt = lines[1];
    EXPECT_EQ(receipt["kind"], "receipt");
    EXPECT_EQ(receipt["account"], "esme1");
    EXPECT_EQ(receipt["message_id"], ours);
    EXPECT_EQ(receipt["outcome"], "delivered");
}

TEST(RouterRecords, MaskAddressesOnceARreloadSaysSo) {
    OneSmsc scene({.router = "drain_timeout = \"0s\"", .records = true});
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17", {.to = "41791234567"});
    awaitALine(scene.router.recordsFile());                 // what waits would be masked, too
    scene.router.setup().more = "mask_addresses = true\n";  // of [records]
    scene.router.writeConfig();
    EXPECT_EQ(scene.router.reload(), "sms-router: info: configuration reloaded");
    scene.accepted(esme, "18", {.to = "41791234567"});
    const std::vector<Json> lines = linesAtTheEnd(scene);
    ASSERT_EQ(lines.size(), 2u);
    EXPECT_EQ(lines[0]["destination"], "41791234567");
    EXPECT_EQ(lines[1]["destination"], "xxxxxxxx567");
}

TEST(RouterRecords, HaveOneLineForEachOutcome) {
    OneSmsc scene({.router = "drain_timeout = \"0s\"",
                   .esme1 = "destinations = [\"41*\"]",
                   .more = "[[route]]\ndestinations = [\"4190*\"]\nreject = \"0x0412\"\n"
                           "[[route]]\nconnector = \"smsc\"\n",
                   .records = true});
    SmppPeer esme = scene.router.bound("esme1");
    esme.expectAnswer(esme.submit({.to = "49"}));
    esme.expectAnswer(esme.submit({.to = "4190"}));
    const std::uint32_t refused = esme.submit({});
    scene.smsc.refuse(scene.smsc.nextSubmit(), Status::throttled);
    esme.expectAnswer(refused);
    scene.smsc.expectAnswer(scene.smsc.deliver({.to = "1"}));
    scene.smsc.expectAnswer(scene.smsc.receipt(receiptOf("4711")));
    const std::uint32_t mo = scene.smsc.deliver({.to = "12345"});
    esme.answer(esme.expect(Command::deliverSm));
    scene.smsc.expectAnswer(mo);
    const std::uint32_t lost = esme.submit({});
    scene.smsc.nextSubmit();
    scene.smsc.close();
    esme.expectAnswer(lost);
    std::vector<std::string> said;
    for (const Json& line : linesAtTheEnd(scene)) {
        said.push_back(line["kind"].get<std::string>() + " " + line["outcome"].get<std::string>() +
                       " " + line["status"].get<std::string>());
    }
    // Dispatchers write when they like.
    EXPECT_THAT(said, ::testing::UnorderedElementsAre(
                          "submit refused ESME_RINVDSTADR", "submit refused 0x00000412",
                          "submit refused ESME_RTHROTTLED", "mo refused ESME_RINVDSTADR",
                          "receipt unmatched ESME_RX_P_APPN", "mo delivered ESME_ROK",
                          "submit lost ESME_RSUBMITFAIL"));
}

TEST(RouterRecords, HaveALineForAReceiptThatCameTwice) {
    OneSmsc scene({.router = "drain_timeout = \"0s\"", .records = true});
    SmppPeer esme = scene.router.bound("esme1");
    const std::string ours = scene.accepted(esme, "17");
    const std::uint32_t first = scene.smsc.receipt(receiptOf("17"));
    const std::uint32_t second = scene.smsc.receipt(receiptOf("17"));
    esme.answer(esme.expect(Command::deliverSm));
    scene.smsc.expectAnswer(first);
    scene.smsc.expectAnswer(second);
    scene.smsc.expectAnswer(scene.smsc.receipt(receiptOf("17")));
    int doubles = 0;
    for (const Json& line : linesAtTheEnd(scene)) {
        if (line["outcome"] != "duplicate") continue;
        ++doubles;
        EXPECT_EQ(line["kind"], "receipt");
        EXPECT_EQ(line["account"], "esme1");
        EXPECT_EQ(line["message_id"], ours);
        EXPECT_EQ(line["smsc_message_id"], "17");
        EXPECT_EQ(line["status"], "ESME_ROK");
    }
    EXPECT_EQ(doubles, 2);
}

TEST(RouterRecords, HaveALineForAMessageThatIsRefusedInADrain) {
    OneSmsc scene({.records = true});
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t sent = esme.submit({.to = "41"});
    const OwnedPdu first = scene.smsc.nextSubmit();
    scene.router.signal(SIGTERM);
    std::size_t taken = 0;
    for (bool refused = false; !refused; taken += refused ? 0 : 1) {
        const std::uint32_t late = esme.submit({.to = "49"});
        refused = !esme.nothingArrives();
        if (!refused) scene.smsc.answer(scene.smsc.nextSubmit(), "18");
        EXPECT_EQ(esme.expectAnswer(late).status(), refused ? Status::sysErr : Status::ok);
    }
    scene.smsc.answer(first, "17");
    esme.expectAnswer(sent);
    esme.answer(esme.expect(Command::unbind));
    esme.close();
    scene.smsc.answer(scene.smsc.expect(Command::unbind));
    scene.smsc.close();
    EXPECT_EQ(scene.router.exitCode(), 0);
    const std::vector<Json> lines = linesOf(scene.router.recordsFile());
    ASSERT_EQ(lines.size(), taken + 2);
    EXPECT_THAT(lines, ::testing::Contains(::testing::Truly([](const Json& line) {
                    return line["status"] == "ESME_RSYSERR" && line["outcome"] == "refused" &&
                           line["account"] == "esme1" && line["destination"] == "49";
                })));
}

TEST(RouterRecords, AreWrittenToANewFileAfterSigusr1) {
    OneSmsc scene({.router = "drain_timeout = \"0s\"", .records = true});
    SmppPeer esme = scene.router.bound("esme1");
    scene.accepted(esme, "17");
    const std::string old = scene.router.file("old.jsonl");
    std::filesystem::rename(scene.router.recordsFile(), old);
    scene.router.signal(SIGUSR1);
    const nio::TimePoint end = nio::Clock::after(patience);
    while (!std::filesystem::exists(scene.router.recordsFile()) && nio::Clock::now() < end) {
        EXPECT_TRUE(esme.nothingArrives());
    }
    scene.accepted(esme, "18");
    const std::vector<Json> lines = linesAtTheEnd(scene);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_EQ(lines[0]["smsc_message_id"], "18");
    ASSERT_EQ(linesOf(old).size(), 1u);
    EXPECT_EQ(linesOf(old)[0]["smsc_message_id"], "17");
}

}  // namespace router::scenarios
