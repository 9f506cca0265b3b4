// What the store has of messages that were sent by HTTP.
#include <gtest/gtest.h>

#include "apps/sms_router/store/StoreTesting.h"
#include "sms_router/store/Database.h"

namespace router {
namespace {

SentRecord someSent(std::uint64_t id) {
    return {id, "esme1", wallSeconds(), "about " + std::to_string(id), {}};
}

AnswerRecord someAnswer(const std::string& key, std::int64_t time = wallSeconds()) {
    return {"esme1", key, time, "digest", 202, "body of " + key};
}

bool adds(Caller& caller, Store& store, std::vector<SentRecord> sent,
          std::optional<AnswerRecord> answer = std::nullopt) {
    const std::size_t before = caller.done.size();
    store.addSent(std::move(sent), std::move(answer), caller.thread, caller.noted(1));
    EXPECT_TRUE(caller.turnUntilAnswered(caller.done.size() + caller.refused.size() + 1));
    return caller.done.size() > before;
}

std::optional<SentRecord> found(Caller& caller, Store& store, std::uint64_t id) {
    std::optional<SentRecord> record;
    bool isAnswered = false;
    store.findSent(id, caller.thread, [&](bool isRead, std::optional<SentRecord> sent) {
        EXPECT_TRUE(isRead);
        record = std::move(sent);
        isAnswered = true;
    });
    EXPECT_TRUE(support::turnUntil(caller.thread, [&] { return isAnswered; }));
    return record;
}

std::optional<AnswerRecord> foundAnswer(Caller& caller, Store& store, const std::string& account,
                                        const std::string& key) {
    std::optional<AnswerRecord> record;
    bool isAnswered = false;
    store.findAnswer(account, key, caller.thread,
                     [&](bool isRead, std::optional<AnswerRecord> answer) {
                         EXPECT_TRUE(isRead);
                         record = std::move(answer);
                         isAnswered = true;
                     });
    EXPECT_TRUE(support::turnUntil(caller.thread, [&] { return isAnswered; }));
    return record;
}

TEST(StoreSent, HasWhatAnEarlierRunHasSent) {
    const StoreFile file;
    Caller caller;
    {
        Store store(file.config());
        EXPECT_TRUE(adds(caller, store, {someSent(7), someSent(8)}, someAnswer("k")));
        store.addEvent(7, "first", caller.thread);
        store.addEvent(7, "second", caller.thread);
    }
    Store store(file.config());
    const auto sent = found(caller, store, 7);
    ASSERT_TRUE(sent);
    EXPECT_EQ(sent->account, "esme1");
    EXPECT_EQ(sent->about, "about 7");
    EXPECT_EQ(sent->events, "first\nsecond\n");
    EXPECT_EQ(found(caller, store, 8)->events, "");
    EXPECT_FALSE(found(caller, store, 9));
    const auto answer = foundAnswer(caller, store, "esme1", "k");
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->request, "digest");
    EXPECT_EQ(answer->status, 202);
    EXPECT_EQ(answer->body, "body of k");
    EXPECT_FALSE(foundAnswer(caller, store, "esme2", "k"));
    EXPECT_FALSE(foundAnswer(caller, store, "esme1", "K"));
}

TEST(StoreSent, HasEventsThatCameBeforeTheirMessage) {
    const StoreFile file;
    Caller caller;
    Store store(file.config());
    store.addEvent(7, "early", caller.thread);
    EXPECT_EQ(found(caller, store, 7)->account, "");
    EXPECT_TRUE(adds(caller, store, {someSent(7)}));
    EXPECT_EQ(found(caller, store, 7)->account, "esme1");
    EXPECT_EQ(found(caller, store, 7)->events, "early\n");
}

TEST(StoreSent, FindsNoAnswerAfterADay) {
    const StoreFile file;
    Caller caller;
    Store store(file.config());
    const std::int64_t now = wallSeconds();
    EXPECT_TRUE(adds(caller, store, {}, someAnswer("old", now - Store::answersFor)));
    EXPECT_TRUE(adds(caller, store, {}, someAnswer("young", now - Store::answersFor + 3600)));
    EXPECT_FALSE(foundAnswer(caller, store, "esme1", "old"));
    EXPECT_TRUE(foundAnswer(caller, store, "esme1", "young"));
}

TEST(StoreSent, LeavesTheFileWhenItIsOld) {
    const StoreFile file;
    Caller caller;
    {
        Store store(file.config());
        SentRecord old = someSent(7);
        old.time -= StoreConfig().idsFor.count() + 1;
        EXPECT_TRUE(adds(caller, store, {old}, someAnswer("old", 0)));
    }
    {
        Store store(file.config());
        EXPECT_TRUE(adds(caller, store, {someSent(8)}, someAnswer("young")));
        EXPECT_TRUE(found(caller, store, 8));  // behind the removal
    }
    Database database(file.path());
    EXPECT_EQ(database.number("SELECT count(*) FROM sent"), 1);
    EXPECT_EQ(database.number("SELECT count(*) FROM answers"), 1);
}

TEST(StoreSent, IsNotRememberedInMemory) {
    Caller caller;
    Store store(inMemory());
    EXPECT_TRUE(adds(caller, store, {someSent(7)}, someAnswer("k")));
    store.addEvent(7, "event", caller.thread);
    EXPECT_FALSE(found(caller, store, 7));
    EXPECT_FALSE(foundAnswer(caller, store, "esme1", "k"));
}

}  // namespace
}  // namespace router
