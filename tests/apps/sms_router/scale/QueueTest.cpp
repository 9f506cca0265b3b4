// Requests that wait at a connector: no account has the queue, or the memory, to itself.
#include <gtest/gtest.h>

#include "apps/sms_router/scenarios/AdminClient.h"
#include "apps/sms_router/scenarios/OneSmsc.h"

namespace router::scenarios {
namespace {

// So that the order in which dispatchers hand requests over does not matter.
const std::string oneThread = "threads = 1\n";
const std::string windowOfOne = "window = 1\nqueue_time = 0\n";

std::size_t queued(const AdminClient& admin) {
    return admin.status()["connectors"][0]["queued"].get<std::size_t>();
}

std::size_t budgetUsed(const AdminClient& admin) {
    const std::string text = admin.get("/metrics").body;
    const std::string name = "\nnio_memory_budget_used_bytes ";
    return std::stoul(text.substr(text.find(name) + name.size()));
}

bool isQueued(const AdminClient& admin, std::size_t count) {
    const nio::TimePoint end = nio::Clock::after(patience);
    while (queued(admin) != count && nio::Clock::now() < end) {
    }
    return queued(admin) == count;
}

TEST(RouterQueue, AccountsTakeTurns) {
    OneSmsc scene({.router = oneThread, .admin = true}, windowOfOne);
    SmppPeer many = scene.router.bound("esme1");
    SmppPeer few = scene.router.bound("esme2");
    for (int i = 0; i < 20; ++i) many.submit({.text = "many"});
    ASSERT_TRUE(isQueued(AdminClient(scene.router.adminAddress()), 19));
    few.submit({.from = "54321", .text = "few"});
    int answered = 0;
    for (;; ++answered) {
        const OwnedPdu submit = scene.smsc.nextSubmit();
        if (submit.message() == "few") break;
        scene.smsc.answer(submit, std::to_string(answered));
    }
    EXPECT_LE(answered, 3);
}

TEST(RouterQueue, RequestsOfAClosedConnectionLeaveIt) {
    OneSmsc scene({.router = oneThread, .admin = true}, windowOfOne);
    const AdminClient admin(scene.router.adminAddress());
    SmppPeer stays = scene.router.bound("esme1");
    SmppPeer goes = scene.router.bound("esme1");
    goes.submit({.text = "sent"});
    const OwnedPdu sent = scene.smsc.nextSubmit();
    for (int i = 0; i < 5; ++i) goes.submit({.text = "waits"});
    stays.submit({.text = "stays"});
    ASSERT_TRUE(isQueued(admin, 6));
    goes.close();
    ASSERT_TRUE(isQueued(admin, 1));
    scene.smsc.answer(sent, "1");
    EXPECT_EQ(scene.smsc.nextSubmit().message(), "stays");
}

// Its requests fill its window, and what it sent behind them was not read.
TEST(RouterQueue, AnEndBehindAFullWindowIsNoticed) {
    OneSmsc scene({.router = oneThread, .esme1 = "window = 2\nmax_binds = 1\n", .admin = true},
                  windowOfOne);
    const AdminClient admin(scene.router.adminAddress());
    SmppPeer goes = scene.router.bound("esme1");
    for (int i = 0; i < 200; ++i) goes.submit({});
    scene.smsc.nextSubmit();
    ASSERT_TRUE(isQueued(admin, 1));
    goes.close();
    EXPECT_TRUE(isQueued(admin, 0));
    Status status = Status::bindFail;
    const nio::TimePoint end = nio::Clock::after(patience);
    while (status != Status::ok && nio::Clock::now() < end) {
        status = scene.router.connected().bind();
    }
    EXPECT_EQ(status, Status::ok);
}

TEST(RouterQueue, CountsForTheBudgetAndTheLargestAccountMakesRoom) {
    OneSmsc scene({.router = oneThread + "memory_budget = \"1Mi\"", .admin = true}, windowOfOne);
    const AdminClient admin(scene.router.adminAddress());
    SmppPeer many = scene.router.bound("esme1");
    SmppPeer few = scene.router.bound("esme2");
    const Message large{.tlvs = {{Tag::messagePayload, std::string(20'000, 'x')}}};
    for (int i = 0; i < 90; ++i) many.submit(large);
    const OwnedPdu refused = many.next();
    EXPECT_EQ(refused.command(), Command::submitSmResp);
    EXPECT_EQ(refused.status(), Status::msgQFul);
    EXPECT_GT(budgetUsed(admin), 700'000U);
    EXPECT_LE(budgetUsed(admin), 1024U * 1024);
    few.submit({.from = "54321", .text = "few"});
    EXPECT_TRUE(few.nothingArrives());
    scene.smsc.answer(scene.smsc.nextSubmit(), "1");
    scene.smsc.answer(scene.smsc.nextSubmit(), "2");
    EXPECT_EQ(scene.smsc.nextSubmit().message(), "few");
}

}  // namespace
}  // namespace router::scenarios
