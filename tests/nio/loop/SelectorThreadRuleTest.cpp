// The thread rule at run time: a …Now call in the wrong place changes nothing and says who and
// where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <thread>

#include "support/TestDispatcher.h"

namespace nio {
namespace {

using support::Journal;
using support::Link;
using support::makeLink;
using support::RecordingHandler;
using support::TestDispatcher;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class SelectorThreadRuleTest : public testing::Test {
  protected:
    struct Call {
        const char* name;
        std::function<void()> make;
    };

    // Every call that belongs on the dispatcher only.
    std::vector<Call> nowCalls() {
        SelectorThread& thread = *owner_;
        SelectableChannel& channel = handler_.channel();
        return {
            {"registerChannelNow",
             [&] { (void)thread.registerChannelNow(std::move(spare_), Interest::read).ok(); }},
            {"addChannelInterestNow",
             [&] { thread.addChannelInterestNow(channel, Interest::write); }},
            {"removeChannelInterestNow",
             [&] { thread.removeChannelInterestNow(channel, Interest::read); }},
            {"setChannelInterestNow",
             [&] { thread.setChannelInterestNow(channel, Interest::write); }},
            {"findNow", [&] { (void)thread.findNow(handle_); }},
            {"handleOf", [&] { (void)thread.handleOf(channel); }},
            {"flushLater", [&] { thread.flushLater(channel); }},
            {"revisitLater", [&] { thread.revisitLater(channel); }},
            {"IdleTimeouts::watch",
             [&] { thread.idleTimeouts().watch(hook_, std::chrono::milliseconds(1)); }},
        };
    }

    static std::string refusalOf(const Call& call) {
        try {
            call.make();
        } catch (const WrongThreadError& error) {
            return error.what();
        }
        return "not refused";
    }

    void expectNothingChanged() {
        EXPECT_NE(spare_, nullptr);
        EXPECT_FALSE(hook_.isLinked());
        owner_.turns(2);
        EXPECT_THAT(journal_, IsEmpty()) << "no write interest, no flush, no revisit";
        link_.peer.send("x");
        owner_.turn();
        EXPECT_THAT(journal_, testing::ElementsAre("a read")) << "the interest is still there";
    }

    Journal journal_;
    Link link_ = makeLink();
    Link spareLink_ = makeLink();
    TestDispatcher owner_{"owner"};
    RecordingHandler& handler_ = owner_.add(link_, "a", journal_);
    ChannelHandle handle_{*owner_, 0, 0};
    std::unique_ptr<RecordingHandler> spare_ =
        std::make_unique<RecordingHandler>(std::move(spareLink_.channel), "spare", journal_);
    IdleHook hook_{*spare_};
};

TEST_F(SelectorThreadRuleTest, RefusesEveryNowCallOutsideOfAnyTurn) {
    for (const Call& call : nowCalls()) {
        EXPECT_THAT(refusalOf(call), AllOf(HasSubstr(call.name), HasSubstr("'owner'"),
                                           HasSubstr("outside of any dispatcher's turn")));
    }
    expectNothingChanged();
}

TEST_F(SelectorThreadRuleTest, RefusesEveryNowCallOnAnotherThread) {
    owner_.inTurn([&] {
        for (const Call& call : nowCalls()) {
            std::string refusal;
            std::thread([&] { refusal = refusalOf(call); }).join();
            EXPECT_THAT(refusal, AllOf(HasSubstr(call.name), HasSubstr("'owner'")));
        }
    });
    expectNothingChanged();
}

TEST_F(SelectorThreadRuleTest, RefusesEveryNowCallInATurnOfAnotherDispatcher) {
    TestDispatcher other("other");
    other.inTurn([&] {
        for (const Call& call : nowCalls()) {
            EXPECT_THAT(refusalOf(call), AllOf(HasSubstr(call.name), HasSubstr("'owner'"),
                                               HasSubstr("in a turn of dispatcher 'other'")));
        }
    });
    expectNothingChanged();
}

TEST_F(SelectorThreadRuleTest, RefusesTheOuterDispatchersCallsInAnInnerTurn) {
    TestDispatcher inner("inner");
    owner_.inTurn([&] {
        inner.inTurn([&] {
            for (const Call& call : nowCalls()) {
                EXPECT_THAT(refusalOf(call), HasSubstr("in a turn of dispatcher 'inner'"));
            }
        });
    });
    expectNothingChanged();
}

TEST_F(SelectorThreadRuleTest, RefusesAnothersChannelOnTheRightDispatcher) {
    TestDispatcher other("other");
    other.inTurn([&] {
        EXPECT_THROW(other->addChannelInterestNow(handler_.channel(), Interest::write),
                     WrongThreadError);
        EXPECT_THROW(other->flushLater(handler_.channel()), WrongThreadError);
        EXPECT_THROW(handler_.channel().close(), WrongThreadError);
    });
    expectNothingChanged();
}

TEST_F(SelectorThreadRuleTest, RefusesTheCallsOfAChannelInTheWrongPlace) {
    SocketChannel& channel = handler_.channel();
    const std::vector<Call> calls = {
        {"receive", [&] { (void)channel.receive(); }},
        {"write", [&] { (void)channel.write(asBytes("x")); }},
        {"append", [&] { channel.append(asBytes("x")); }},
        {"flush", [&] { (void)channel.flush(); }},
        {"connect", [&] { (void)channel.connect(SocketAddress::loopback4(1)); }},
        {"connectOutcome", [&] { (void)channel.connectOutcome(); }},
        {"shutdownWrite", [&] { (void)channel.shutdownWrite().ok(); }},
        {"abort", [&] { channel.abort(); }},
        {"close", [&] { channel.close(); }},
        {"moving a channel", [&] { SocketChannel moved(std::move(channel)); }},
    };
    TestDispatcher other("other");
    for (const Call& call : calls) {
        EXPECT_THAT(refusalOf(call), AllOf(HasSubstr(call.name), HasSubstr("'owner'")));
        other.inTurn([&] { EXPECT_THAT(refusalOf(call), HasSubstr("'other'")); });
    }
    EXPECT_TRUE(channel.isOpen());
    EXPECT_EQ(link_.peer.receiveWhatIsThere(), "");
    expectNothingChanged();
}

TEST_F(SelectorThreadRuleTest, AnEscapedMisuseIsTheProgramsFault) {
    handler_.onRead = [&] {
        TestDispatcher other("other");
        other->addChannelInterestNow(handler_.channel(), Interest::read);
    };
    link_.peer.send("x");
    owner_.turn();
    ASSERT_EQ(owner_.misuses.size(), 1u);
    EXPECT_THAT(owner_.misuses[0], HasSubstr("a::handleRead: addChannelInterestNow on dispatcher"));
    EXPECT_THAT(owner_.failures, IsEmpty());
}

TEST_F(SelectorThreadRuleTest, TakesAnEscapedMisuseFromATaskTheSameWay) {
    TestDispatcher other("other");
    ASSERT_TRUE(owner_->invokeLater([&] { (void)other->findNow({}); }));
    owner_.turn();
    ASSERT_EQ(owner_.misuses.size(), 1u);
    EXPECT_THAT(owner_.misuses[0], HasSubstr("task::invokeLater: findNow on dispatcher 'other'"));
}

TEST(SelectorThreadRuleDeathTest, AbortsWithTheMessageByDefault) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    EXPECT_DEATH(
        {
            SelectorThread dispatcher({.name = "mine"});
            SelectorThread other({.name = "other"});
            (void)dispatcher.invokeLater([&] { (void)other.findNow({}); });
            dispatcher.turn(std::chrono::nanoseconds::zero());
        },
        "dispatcher mine: task::invokeLater: findNow on dispatcher 'other' was called in a turn of "
        "dispatcher 'mine'");
}

}  // namespace
}  // namespace nio
