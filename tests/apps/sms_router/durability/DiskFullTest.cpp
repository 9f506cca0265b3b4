// A disk that takes no more, and later does again: the limit on the size of the router's files is
// set from outside, while it runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "apps/sms_router/durability/HttpGet.h"
#include "apps/sms_router/durability/Traced.h"
#include "apps/sms_router/scenarios/OneSmsc.h"

namespace router::scenarios {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

void limitFiles(RouterProcess& router, rlim_t bytes) {
    rlimit limit{};
    ASSERT_EQ(::prlimit(router.process().pid(), RLIMIT_FSIZE, nullptr, &limit), 0);
    limit.rlim_cur = bytes;
    ASSERT_EQ(::prlimit(router.process().pid(), RLIMIT_FSIZE, &limit, nullptr), 0);
}

void fillDisk(RouterProcess& router) {
    limitFiles(router, 0);
}

void emptyDisk(RouterProcess& router) {
    limitFiles(router, RLIM_INFINITY);
}

std::string page(RouterProcess& router, const std::string& path) {
    return httpGet(router.adminAddress(), path);
}

bool isHealthyAtLast(RouterProcess& router) {
    const nio::TimePoint end = nio::Clock::after(patience);
    while (nio::Clock::now() < end) {
        if (page(router, "/healthz").find("200 OK") != std::string::npos) return true;
    }
    return false;
}

std::string idIn(const OwnedPdu& receipt) {
    const std::string text = receipt.message();
    return text.substr(3, text.find(' ') - 3);
}

// One letter for each line: o for ESME_ROK, e for ESME_RSYSERR.
std::string recordedOutcomes(const std::string& file) {
    std::ifstream lines(file);
    std::string outcomes;
    for (std::string line; std::getline(lines, line);) {
        outcomes += line.find("\"ESME_ROK\"") != std::string::npos       ? 'o'
                    : line.find("\"ESME_RSYSERR\"") != std::string::npos ? 'e'
                                                                         : '?';
    }
    return outcomes;
}

struct FullDisk : OneSmsc {
    explicit FullDisk(RouterSetup setup = {.durability = "commit", .admin = true})
        : OneSmsc(std::move(setup)) {}

    // A message from `esme` that the SMSC accepts: the answer.
    OwnedPdu submitted(SmppPeer& esme, const std::string& smscId) {
        const std::uint32_t sequence = esme.submit({});
        smsc.answer(smsc.nextSubmit(), smscId);
        return esme.expectAnswer(sequence);
    }
    Status receipted(const std::string& smscId) {
        return smsc.expectAnswer(smsc.receipt(receiptOf(smscId))).status();
    }
};

TEST(RouterDiskFull, AnswersSystemErrorUntilItCanWriteAgain) {
    FullDisk scene;
    SmppPeer esme = scene.router.bound();
    EXPECT_EQ(scene.submitted(esme, "before").status(), Status::ok);

    fillDisk(scene.router);
    const OwnedPdu refused = scene.submitted(esme, "meanwhile");
    EXPECT_EQ(refused.status(), Status::sysErr);
    EXPECT_EQ(refused.id(), "");
    EXPECT_EQ(esme.expectAnswer(esme.submit({})).status(), Status::sysErr);
    EXPECT_TRUE(scene.smsc.nothingArrives()) << "sent once more with each try";

    emptyDisk(scene.router);
    EXPECT_TRUE(isHealthyAtLast(scene.router));
    const std::string id = scene.submitted(esme, "afterwards").id();
    EXPECT_EQ(id.size(), 16u);
    scene.smsc.receipt(receiptOf("afterwards"));
    const OwnedPdu receipt = esme.expect(Command::deliverSm);
    EXPECT_EQ(idIn(receipt), id);
    esme.answer(receipt);
}

TEST(RouterDiskFull, RaisesAnAlarmUntilItCanWriteAgain) {
    FullDisk scene;
    SmppPeer esme = scene.router.bound();
    const std::string alarm = "The store cannot write";
    EXPECT_THAT(page(scene.router, "/status.json"),
                AllOf(HasSubstr("200 OK"), Not(HasSubstr(alarm))));
    fillDisk(scene.router);
    scene.submitted(esme, "1");
    EXPECT_THAT(page(scene.router, "/status.json"), HasSubstr(alarm));
    EXPECT_THAT(page(scene.router, "/metrics"),
                AllOf(HasSubstr("sms_router_store_alarm 1\n"),
                      Not(HasSubstr("sms_router_store_failed_commits_total 0\n"))));
    emptyDisk(scene.router);
    EXPECT_TRUE(isHealthyAtLast(scene.router));
    EXPECT_EQ(scene.submitted(esme, "2").status(), Status::ok);
    EXPECT_THAT(page(scene.router, "/status.json"), Not(HasSubstr(alarm)));
    EXPECT_THAT(page(scene.router, "/metrics"), HasSubstr("sms_router_store_alarm 0\n"));
}

TEST(RouterDiskFull, IsHealthyAgainByItself) {
    FullDisk scene;
    SmppPeer esme = scene.router.bound();
    fillDisk(scene.router);
    scene.submitted(esme, "1");
    EXPECT_THAT(page(scene.router, "/healthz"), HasSubstr("503 "));
    emptyDisk(scene.router);
    EXPECT_TRUE(isHealthyAtLast(scene.router));
}

TEST(RouterDiskFull, LeavesReceiptsThatItCannotKeepToTheSmsc) {
    FullDisk scene;
    SmppPeer esme = scene.router.bound();
    const std::string id = scene.accepted(esme, "s1");
    esme.unbind();

    fillDisk(scene.router);
    EXPECT_EQ(scene.receipted("s1"), Status::sysErr);
    emptyDisk(scene.router);
    EXPECT_EQ(scene.receipted("s1"), Status::ok);
    SmppPeer later = scene.router.bound();
    const OwnedPdu receipt = later.expect(Command::deliverSm);
    EXPECT_EQ(idIn(receipt), id);
    later.answer(receipt);
    EXPECT_TRUE(later.nothingArrives());
}

TEST(RouterDiskFull, StillAcknowledgesWhatTheEsmeHasAcknowledged) {
    FullDisk scene;
    SmppPeer esme = scene.router.bound();
    scene.accepted(esme, "s1");
    fillDisk(scene.router);
    const std::uint32_t sent = scene.smsc.receipt(receiptOf("s1"));
    EXPECT_TRUE(scene.smsc.nothingArrives());
    esme.answer(esme.expect(Command::deliverSm));
    EXPECT_EQ(scene.smsc.expectAnswer(sent).status(), Status::ok);
}

TEST(RouterDiskFull, LosesNothingOfWhatItHasTakenBefore) {
    FullDisk scene;
    SmppPeer esme = scene.router.bound();
    scene.accepted(esme, "s0");
    // The log may still grow a little.
    limitFiles(scene.router,
               std::filesystem::file_size(scene.router.storeFile() + "-wal") + 64 * 1024);
    std::map<std::string, std::string> promised;
    bool full = false;
    for (int i = 1; i < 1000 && !full; ++i) {
        const std::string smscId = "s" + std::to_string(i);
        const OwnedPdu answer = scene.submitted(esme, smscId);
        full = answer.status() == Status::sysErr;
        if (!full) promised[smscId] = answer.id();
    }
    EXPECT_TRUE(full);
    EXPECT_GT(promised.size(), 1u);

    scene.router.kill();
    scene.router.startAgain();
    SmscBind smsc = scene.listener.accept();
    SmppPeer again = scene.router.bound();
    for (const auto& [smscId, id] : promised) {
        smsc.receipt(receiptOf(smscId));
        const OwnedPdu receipt = again.expect(Command::deliverSm);
        EXPECT_EQ(idIn(receipt), id);
        again.answer(receipt);
        smsc.expect(Command::deliverSmResp);
    }
}

// The tenth sync of the thread that belongs to the store, and the one behind it.
TEST(RouterDiskFull, AnswersSystemErrorWhenTheDiskDoesNotSync) {
    NIO_NEEDS_STRACE();
    const Traced traced({"trace=fdatasync", "inject=fdatasync:error=EIO:when=10..11"});
    FullDisk scene({.router = "drain_timeout = \"0s\"",
                    .durability = "commit",
                    .records = true,
                    .admin = true,
                    .prefix = traced.prefix()});
    SmppPeer esme = scene.router.bound();
    std::string outcomes;
    for (int i = 0; i < 12; ++i) {
        const Status status = scene.submitted(esme, "s" + std::to_string(i)).status();
        outcomes += status == Status::ok ? 'o' : status == Status::sysErr ? 'e' : '?';
        if (status == Status::ok) continue;
        EXPECT_TRUE(isHealthyAtLast(scene.router));
    }
    EXPECT_THAT(outcomes, testing::MatchesRegex("o+eo+"));
    scene.smsc.close();
    EXPECT_NE(scene.router.stop(), "");
    EXPECT_EQ(recordedOutcomes(scene.router.recordsFile()), outcomes) << "as they were answered";
}

}  // namespace
}  // namespace router::scenarios
