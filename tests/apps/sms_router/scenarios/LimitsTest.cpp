// Windows, queues, rates and permissions.
#include <gtest/gtest.h>

#include "apps/sms_router/scenarios/AdminClient.h"
#include "apps/sms_router/scenarios/OneSmsc.h"
#include "apps/sms_router/scenarios/TwoSmscs.h"
#include "support/PreciseThreads.h"

namespace router::scenarios {

TEST(RouterLimits, ReadsNoMoreThanTheWindowOfAnAccount) {
    OneSmsc scene({.esme1 = "window = 2"});
    SmppPeer esme = scene.router.bound("esme1");
    for (int i = 0; i < 5; ++i) esme.submit({.text = std::to_string(i)});
    for (int i = 0; i < 5; i += 2) {
        std::vector<OwnedPdu> submits{scene.smsc.nextSubmit()};
        if (i < 4) submits.push_back(scene.smsc.nextSubmit());
        EXPECT_TRUE(scene.smsc.nothingArrives());
        for (const OwnedPdu& submit : submits) scene.smsc.answer(submit, submit.message());
    }
    for (std::uint32_t i = 2; i <= 6; ++i) EXPECT_EQ(esme.expectAnswer(i).status(), Status::ok);
}

TEST(RouterLimits, AWindowOfTwoHoldsBackTheThird) {
    OneSmsc scene({.router = "threads = 1", .esme1 = "window = 2"});
    SmppPeer esme = scene.router.bound("esme1");
    for (int i = 0; i < 3; ++i) esme.submit({.text = std::to_string(i)});
    const OwnedPdu first = scene.smsc.nextSubmit();
    const OwnedPdu second = scene.smsc.nextSubmit();
    EXPECT_TRUE(scene.smsc.nothingArrives());
    scene.smsc.answer(second, "b");
    EXPECT_EQ(scene.smsc.nextSubmit().message(), "2");
    EXPECT_EQ(esme.next().sequence(), 3u);
    EXPECT_TRUE(scene.smsc.nothingArrives());
}

TEST(RouterLimits, AnswersEnquireLinkWhenTheWindowIsFull) {
    OneSmsc scene({.esme1 = "window = 2"});
    SmppPeer esme = scene.router.bound("esme1");
    for (int i = 0; i < 5; ++i) esme.submit({.text = std::to_string(i)});
    EXPECT_TRUE(esme.nothingArrives());
    for (int i = 0; i < 5; ++i) scene.smsc.answer(scene.smsc.nextSubmit(), "id");
    for (std::uint32_t i = 2; i <= 6; ++i) EXPECT_EQ(esme.expectAnswer(i).status(), Status::ok);
}

TEST(RouterLimits, DeliversReceiptsWhenTheWindowIsFull) {
    TwoSmscs scene(byPrefix, {.esme1 = "window = 2\ndeliver_window = 1"});
    SmppPeer esme = scene.router.bound("esme1");
    for (int i = 0; i < 4; ++i) {
        const std::uint32_t sent = esme.submit({.to = "4179"});
        scene.a.answer(scene.a.nextSubmit(), "id" + std::to_string(i));
        EXPECT_EQ(esme.expectAnswer(sent).status(), Status::ok);
    }
    for (int i = 0; i < 5; ++i) esme.submit({.to = "4977"});
    for (int i = 0; i < 4; ++i) {
        const std::uint32_t sent = scene.a.receipt(receiptOf("id" + std::to_string(i)));
        esme.answer(esme.expect(Command::deliverSm));
        EXPECT_EQ(scene.a.expectAnswer(sent).status(), Status::ok);
    }
}

TEST(RouterLimits, ReadsNoMoreThanAnAccountMayReadAhead) {
    OneSmsc scene({.esme1 = "window = 1\nread_ahead = 0"});
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t first = esme.submit({});
    const OwnedPdu sent = scene.smsc.nextSubmit();
    esme.send(bare(Command::enquireLink, esme.nextSequence()));
    EXPECT_TRUE(scene.smsc.nothingArrives());
    scene.smsc.answer(sent, "17");
    EXPECT_EQ(esme.next().sequence(), first);
    EXPECT_EQ(esme.next().sequence(), first + 1);
}

TEST(RouterLimits, SendsAnSmscNoMoreThanItsWindow) {
    OneSmsc scene({.router = "threads = 1"}, "window = 3");
    SmppPeer esme = scene.router.bound("esme1");
    for (int i = 0; i < 10; ++i) esme.submit({.text = std::to_string(i)});
    EXPECT_TRUE(esme.nothingArrives());  // all were looked at
    std::vector<OwnedPdu> submits;
    for (int i = 0; i < 3; ++i) submits.push_back(scene.smsc.nextSubmit());
    EXPECT_TRUE(scene.smsc.nothingArrives());
    for (int i = 0; i < 7; ++i) {
        scene.smsc.answer(submits[static_cast<std::size_t>(i)], std::to_string(i));
        submits.push_back(scene.smsc.nextSubmit());
        EXPECT_TRUE(scene.smsc.nothingArrives());
    }
}

TEST(RouterLimits, AnswersMessageQueueFullWhenTheQueueIs) {
    OneSmsc scene({.router = "threads = 1"}, "window = 1\nqueue = 2");
    SmppPeer esme = scene.router.bound("esme1");
    for (int i = 0; i < 5; ++i) esme.submit({.text = std::to_string(i)});
    EXPECT_EQ(esme.expectAnswer(5).status(), Status::msgQFul);
    EXPECT_EQ(esme.expectAnswer(6).status(), Status::msgQFul);
    for (std::uint32_t i = 0; i < 3; ++i) {
        const OwnedPdu submit = scene.smsc.nextSubmit();
        EXPECT_EQ(submit.message(), std::to_string(i));
        scene.smsc.answer(submit, "id");
        EXPECT_EQ(esme.expectAnswer(2 + i).status(), Status::ok);
    }
}

TEST(RouterLimits, AnswersMessageQueueFullToWhatHasWaitedTooLong) {
    OneSmsc scene({}, "window = 1\nqueue_time = \"50ms\"");
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t first = esme.submit({.text = "first"});
    const OwnedPdu sent = scene.smsc.nextSubmit();
    for (int i = 0; i < 2; ++i) {
        const std::uint32_t waits = esme.submit({.text = "waits"});
        EXPECT_EQ(esme.expectAnswer(waits).status(), Status::msgQFul);
    }
    scene.smsc.answer(sent, "17");
    EXPECT_EQ(esme.expectAnswer(first).status(), Status::ok);
    EXPECT_TRUE(scene.smsc.nothingArrives());
    EXPECT_EQ(scene.accepted(esme, "18").size(), 16u);
}

TEST(RouterLimits, LetsThemWaitWithoutEndWhereThatIsWanted) {
    OneSmsc scene({}, "window = 1\nqueue_time = 0");
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t first = esme.submit({});
    const OwnedPdu sent = scene.smsc.nextSubmit();
    const std::uint32_t waits = esme.submit({});
    EXPECT_TRUE(esme.nothingArrives());
    scene.smsc.answer(sent, "17");
    EXPECT_EQ(esme.expectAnswer(first).status(), Status::ok);
    scene.smsc.answer(scene.smsc.nextSubmit(), "18");
    EXPECT_EQ(esme.expectAnswer(waits).status(), Status::ok);
}

TEST(RouterLimits, AnswersThrottledOverTheRateOfAnAccount) {
    // The next one is allowed after more than a quarter of an hour.
    OneSmsc scene({.esme1 = "messages_per_second = 0.001"});
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t first = esme.submit({});
    scene.smsc.answer(scene.smsc.nextSubmit(), "17");
    EXPECT_EQ(esme.expectAnswer(first).status(), Status::ok);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(esme.expectAnswer(esme.submit({})).status(), Status::throttled);
    }
    SmppPeer another = scene.router.bound("esme1");
    EXPECT_EQ(another.expectAnswer(another.submit({})).status(), Status::throttled);
    EXPECT_TRUE(scene.smsc.nothingArrives());
    SmppPeer other = scene.router.bound("esme2");
    other.submit({.text = "other"});
    EXPECT_EQ(scene.smsc.nextSubmit().message(), "other");
}

TEST(RouterLimits, CountsAnAccountsRateForEachMessageOfASecond) {
    // The burst is a second's worth: five at once.
    OneSmsc scene({.esme1 = "messages_per_second = 5"});
    SmppPeer esme = scene.router.bound("esme1");
    for (int i = 0; i < 5; ++i) esme.submit({.text = std::to_string(i)});
    for (int i = 0; i < 5; ++i) EXPECT_EQ(scene.smsc.nextSubmit().message(), std::to_string(i));
}

TEST(RouterLimits, LetsAnAccountSendFromAndToWhatItMayOnly) {
    OneSmsc scene({.esme1 = "sources = [\"12345\", \"INFO*\"]\ndestinations = [\"/^41(76|79)/\"]"});
    SmppPeer esme = scene.router.bound("esme1");
    const auto statusOf = [&](const std::string& from, const std::string& to) {
        return esme.expectAnswer(esme.submit({.from = from, .to = to})).status();
    };
    EXPECT_EQ(statusOf("99999", "41791234567"), Status::invSrcAdr);
    EXPECT_EQ(statusOf("123456", "41791234567"), Status::invSrcAdr);
    EXPECT_EQ(statusOf("12345", "41781234567"), Status::invDstAdr);
    EXPECT_TRUE(scene.smsc.nothingArrives());
    esme.submit({.from = "INFO1", .to = "41761234567"});
    EXPECT_EQ(scene.smsc.nextSubmit().text(Field::sourceAddress), "INFO1");
}

TEST(RouterLimits, TakesNoLongerPduThanItMay) {
    OneSmsc scene({.router = "max_pdu_bytes = 2048"});
    SmppPeer esme = scene.router.bound("esme1");
    esme.send(submitSm(7, {.tlvs = {{Tag::messagePayload, std::string(2048, 'x')}}}));
    const OwnedPdu answer = esme.next();
    EXPECT_EQ(answer.command(), Command::genericNack);
    EXPECT_EQ(answer.status(), Status::invCmdLen);
    EXPECT_EQ(answer.sequence(), 7u);
    EXPECT_TRUE(esme.closedByPeer());
    SmppPeer another = scene.router.bound("esme1");
    another.submit({.tlvs = {{Tag::messagePayload, std::string(1900, 'x')}}});
    EXPECT_EQ(scene.smsc.nextSubmit().message().size(), 1900u);
}

TEST(RouterLimits, TakesNoLongerPduBeforeTheBindThanItMay) {
    for (const auto& [settings, longest] :
         {std::pair("", 1024U), {"max_unbound_pdu_bytes = 300", 300U}}) {
        OneSmsc scene({.router = settings});
        const auto submitOf = [](std::size_t payload) {
            return submitSm(7, {.tlvs = {{Tag::messagePayload, std::string(payload, 'x')}}});
        };
        const std::size_t fits = longest - submitOf(0).size();
        const auto statusOf = [&](std::size_t payload) {
            SmppPeer esme = scene.router.connected();
            esme.send(submitOf(payload));
            return esme.next().status();
        };
        EXPECT_EQ(statusOf(fits), Status::invBndSts) << longest;
        EXPECT_EQ(statusOf(fits + 1), Status::invCmdLen) << longest;
    }
}

TEST(RouterLimits, TakesNoMoreConnectionsThanAListenerMayHave) {
    OneSmsc scene({.listener = "max_connections = 1"});
    SmppPeer first = scene.router.bound("esme1");
    SmppPeer second = scene.router.connected();
    second.send(bindPdu(1, {}));
    EXPECT_TRUE(first.nothingArrives());
    first.unbind();
    EXPECT_EQ(second.expectAnswer(1).status(), Status::ok);
}

TEST(RouterLimits, PassesOnThatAnSmscIsThrottledAndSlowsDown) {
    OneSmsc scene({.admin = true});
    AdminClient admin(scene.router.adminAddress());
    const auto allowed = [&] {
        return admin.status()["connectors"][0]["allowedPerSecond"].get<double>();
    };
    EXPECT_EQ(allowed(), 0);  // no limit
    SmppPeer esme = scene.router.bound("esme1");
    for (int i = 0; i < 100 && allowed() == 0; ++i) {
        for (const Status status : {Status::throttled, Status::msgQFul}) {
            const std::uint32_t sent = esme.submit({});
            scene.smsc.refuse(scene.smsc.nextSubmit(), status);
            EXPECT_EQ(esme.expectAnswer(sent).status(), status);
        }
    }
    EXPECT_GE(allowed(), 1);
    // What waits now is not lost.
    for (int i = 0; i < 3; ++i) esme.submit({.text = std::to_string(i)});
    for (int i = 0; i < 3; ++i) {
        const OwnedPdu submit = scene.smsc.nextSubmit();
        EXPECT_EQ(submit.message(), std::to_string(i));
        scene.smsc.answer(submit, "id");
        EXPECT_EQ(esme.next().status(), Status::ok);
    }
}

TEST(RouterLimits, SlowsDownAlsoForAnSmscThatSaysSoInAGenericNack) {
    OneSmsc scene({.admin = true});
    AdminClient admin(scene.router.adminAddress());
    SmppPeer esme = scene.router.bound("esme1");
    const auto allowed = [&] {
        return admin.status()["connectors"][0]["allowedPerSecond"].get<double>();
    };
    for (int i = 0; i < 100 && allowed() == 0; ++i) {
        const std::uint32_t sent = esme.submit({});
        scene.smsc.send(smpp::genericNack(Status::throttled, scene.smsc.nextSubmit().sequence()));
        EXPECT_EQ(esme.expectAnswer(sent).status(), Status::throttled);
    }
    EXPECT_GT(allowed(), 0);
}

TEST(RouterLimits, SendsAnSmscNoFasterThanItMay) {
    OneSmsc scene({.router = "threads = 1"}, "messages_per_second = 0.001");
    SmppPeer esme = scene.router.bound("esme1");
    esme.submit({.text = "first"});
    esme.submit({.text = "second"});
    EXPECT_EQ(scene.smsc.nextSubmit().message(), "first");
    EXPECT_TRUE(esme.nothingArrives());
    EXPECT_TRUE(scene.smsc.nothingArrives());
}

TEST(RouterLimits, SendsNoFasterThanConfiguredWhenItIsThrottled) {
    OneSmsc scene({.router = "threads = 1"}, "messages_per_second = 0.001");
    SmppPeer esme = scene.router.bound("esme1");
    const std::uint32_t first = esme.submit({});
    scene.smsc.refuse(scene.smsc.nextSubmit(), Status::throttled);
    EXPECT_EQ(esme.expectAnswer(first).status(), Status::throttled);
    esme.submit({});
    EXPECT_TRUE(esme.nothingArrives());
    EXPECT_TRUE(scene.smsc.nothingArrives());
}

TEST(RouterLimits, ModeratesEachDispatcherOfSmpp) {
    for (const auto& [moderation, moderated] : {std::pair("250us", 3U), std::pair("0", 0U)}) {
        OneSmsc scene({.router = "threads = 3\nmoderation = \"" + std::string(moderation) + "\""});
        const pid_t pid = scene.router.process().pid();
        if (!support::preciseThreads(pid)) GTEST_SKIP() << "needs CAP_SYS_NICE";
        SmppPeer esme = scene.router.bound("esme1");
        scene.accepted(esme, "17");
        EXPECT_TRUE(support::comesToPreciseThreads(pid, moderated)) << moderation;
    }
}

}  // namespace router::scenarios
