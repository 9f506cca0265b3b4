// Who may be registered, what a refusal leaves, and what a handle finds.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "support/TestDispatcher.h"

namespace nio {
namespace {

using support::Journal;
using support::Link;
using support::makeLink;
using support::RecordingAcceptHandler;
using support::RecordingConnectHandler;
using support::RecordingHandler;
using support::TestDispatcher;
using testing::ElementsAre;
using testing::IsEmpty;

class SelectorThreadRegistrationTest : public testing::Test {
  protected:
    std::unique_ptr<RecordingHandler> make(Link& link, const std::string& name) {
        return std::make_unique<RecordingHandler>(std::move(link.channel), name, journal_);
    }
    template <class F>
    void inTurn(F&& f) {
        dispatcher_.inTurn(std::forward<F>(f));
    }

    Journal journal_;
    TestDispatcher dispatcher_;
};

TEST_F(SelectorThreadRegistrationTest, TakesTheHandlerOver) {
    Link link = makeLink();
    auto handler = make(link, "a");
    RecordingHandler& kept = *handler;
    kept.onRegistered = [&] {
        EXPECT_EQ(&kept.dispatcher(), &*dispatcher_);
        EXPECT_TRUE(kept.channel().isRegistered());
        EXPECT_EQ(dispatcher_->findNow(dispatcher_->handleOf(kept.channel())), &kept);
        journal_.push_back("a registered");
    };
    inTurn([&] {
        const auto registered = dispatcher_->registerChannelNow(std::move(handler), Interest::read);
        ASSERT_TRUE(registered);
        EXPECT_EQ(handler, nullptr);
        EXPECT_EQ(dispatcher_->findNow(registered.value()), &kept);
        EXPECT_EQ(dispatcher_->connectionCount(), 1u);
    });
    EXPECT_THAT(journal_, ElementsAre("a registered"));
}

TEST_F(SelectorThreadRegistrationTest, GivesTheHandlerOfAClosedChannelBack) {
    Link link = makeLink();
    auto handler = make(link, "a");
    handler->channel().close();
    inTurn([&] {
        const auto refused = dispatcher_->registerChannelNow(std::move(handler), Interest::read);
        ASSERT_FALSE(refused);
        EXPECT_TRUE(refused.error().is(std::errc::bad_file_descriptor));
    });
    EXPECT_NE(handler, nullptr);
    EXPECT_THAT(journal_, IsEmpty());
    EXPECT_EQ(dispatcher_->connectionCount(), 0u);
}

TEST_F(SelectorThreadRegistrationTest, RefusesAnInterestThatTheHandlerCannotServe) {
    Link link = makeLink();
    auto handler = make(link, "a");
    inTurn([&] {
        const auto refused =
            dispatcher_->registerChannelNow(std::move(handler), Interest::read | Interest::accept);
        ASSERT_FALSE(refused);
        EXPECT_TRUE(refused.error().is(std::errc::invalid_argument));
    });
    ASSERT_NE(handler, nullptr);
    EXPECT_FALSE(handler->channel().isRegistered());
}

// A file is always ready, and epoll refuses to watch it; poll takes it.
TEST_F(SelectorThreadRegistrationTest, GivesTheHandlerBackWhenTheKernelRefuses) {
    SelectorThreadOptions options;
    options.selector.kind = SelectorKind::epoll;
    TestDispatcher dispatcher("epoll", options);
    const kerneltest::TemporaryFolder folder;
    const int file = ::open(folder.file("file").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    auto handler = std::make_unique<RecordingHandler>(SocketChannel(UniqueFd(file)), "a", journal_);
    dispatcher.inTurn([&] {
        const auto refused = dispatcher->registerChannelNow(std::move(handler), Interest::read);
        ASSERT_FALSE(refused);
        EXPECT_TRUE(refused.error().is(std::errc::operation_not_permitted));
        ASSERT_NE(handler, nullptr);
        EXPECT_FALSE(handler->channel().isRegistered());
        EXPECT_TRUE(handler->channel().isOpen());
    });
    EXPECT_EQ(dispatcher->connectionCount(), 0u);
}

TEST_F(SelectorThreadRegistrationTest, RefusesAChannelThatIsRegisteredElsewhere) {
    TestDispatcher other("other");
    Link link = makeLink();
    RecordingHandler& owner = other.add(link, "owner", journal_);
    // A handler that shows a channel of somebody else's.
    struct Borrower final : ReadWriteSelectorHandler {
        explicit Borrower(SelectableChannel& c) : borrowed(c) {}
        SelectableChannel& channel() override { return borrowed; }
        void handleRead() override {}
        void handleWrite() override {}
        SelectableChannel& borrowed;
    };
    auto borrower = std::make_unique<Borrower>(owner.channel());
    inTurn([&] {
        const auto refused = dispatcher_->registerChannelNow(std::move(borrower), Interest::read);
        ASSERT_FALSE(refused);
        EXPECT_TRUE(refused.error().is(Errc::alreadyRegistered));
    });
    EXPECT_NE(borrower, nullptr);
    link.peer.send("x");
    other.turn();
    EXPECT_THAT(journal_, ElementsAre("owner read"));
}

TEST_F(SelectorThreadRegistrationTest, ReplacesTheHandlerOfAChannelThatIsRegisteredHere) {
    Link link = makeLink();
    RecordingHandler& first = dispatcher_.add(link, "first", journal_);
    const auto replace = [&] {
        const ChannelHandle before = dispatcher_->handleOf(first.channel());
        auto second =
            std::make_unique<RecordingHandler>(std::move(first.channel()), "second", journal_);
        RecordingHandler* kept = second.get();
        const auto replaced = dispatcher_->registerChannelNow(std::move(second), Interest::read);
        ASSERT_TRUE(replaced);
        EXPECT_EQ(replaced.value(), before) << "the same channel, the same handle";
        EXPECT_EQ(dispatcher_->findNow(before), kept);
        EXPECT_THAT(journal_, ElementsAre("first read")) << "the first one lives to the turn's end";
    };
    first.onRead = replace;
    link.peer.send("x");
    dispatcher_.turn();
    EXPECT_THAT(journal_, ElementsAre("first read", "first destroyed"));
    EXPECT_EQ(dispatcher_->connectionCount(), 1u);
    dispatcher_.turn();
    EXPECT_THAT(journal_, ElementsAre("first read", "first destroyed", "second read"));
}

TEST_F(SelectorThreadRegistrationTest, DoesNotCallAHandlerThatWasReplacedInTheSameBatch) {
    Link link = makeLink();
    link.peer.send("x");
    auto handler = make(link, "first");
    RecordingHandler& first = *handler;
    first.onRead = [&] {
        auto second =
            std::make_unique<RecordingHandler>(std::move(first.channel()), "second", journal_);
        EXPECT_TRUE(dispatcher_->registerChannelNow(std::move(second), Interest::none));
    };
    dispatcher_.add(std::move(handler), Interest::read | Interest::write);
    dispatcher_.turns(2);
    EXPECT_THAT(journal_, ElementsAre("first read", "first destroyed"))
        << "the first one was ready for writing, too";
}

TEST_F(SelectorThreadRegistrationTest, TurnsAConnectingChannelIntoAConnectedOne) {
    kerneltest::TemporaryFolder folder;
    kerneltest::Listener listener(SocketAddress::Family::ipv4, folder);
    auto connecting = std::make_unique<RecordingConnectHandler>(
        SocketChannel::open(SocketAddress::Family::ipv4).orThrow(), "connecting", journal_);
    RecordingConnectHandler& handler = *connecting;
    handler.onRegistered = [&] { (void)handler.channel().connect(listener.address()); };
    handler.onConnect = [&] {
        EXPECT_TRUE(handler.channel().connectOutcome().isDone());
        EXPECT_TRUE(dispatcher_->registerChannelNow(
            std::make_unique<RecordingHandler>(std::move(handler.channel()), "connected", journal_),
            Interest::read));
    };
    dispatcher_.add(std::move(connecting), Interest::connect);
    EXPECT_TRUE(dispatcher_.turnUntil([&] { return journal_.size() == 2; }));
    EXPECT_THAT(journal_, ElementsAre("connecting connect", "connecting destroyed"));
    support::Peer peer(listener.acceptOne());
    peer.send("x");
    EXPECT_TRUE(dispatcher_.turnUntil([&] { return journal_.back() == "connected read"; }));
    EXPECT_EQ(dispatcher_->connectionCount(), 1u);
}

TEST_F(SelectorThreadRegistrationTest, CountsConnectionsOnTheirWayToo) {
    Link one = makeLink(), two = makeLink();
    ASSERT_TRUE(dispatcher_->registerChannelLater(make(one, "a"), Interest::read));
    EXPECT_EQ(dispatcher_->connectionCount(), 1u);
    RecordingHandler& b = dispatcher_.add(two, "b", journal_);
    EXPECT_EQ(dispatcher_->connectionCount(), 2u);
    dispatcher_.add(
        std::make_unique<RecordingAcceptHandler>(
            ServerSocketChannel::open(SocketAddress::loopback4(0)).orThrow(), "listener", journal_),
        Interest::accept);
    EXPECT_EQ(dispatcher_->connectionCount(), 2u) << "a listener is no connection";
    inTurn([&] {
        b.channel().close();
        EXPECT_EQ(dispatcher_->connectionCount(), 1u);
    });
}

TEST_F(SelectorThreadRegistrationTest, TellsOnErrorWhenALaterRegistrationIsRefused) {
    Link link = makeLink();
    auto handler = make(link, "a");
    handler->channel().close();
    Journal errors;
    ASSERT_TRUE(dispatcher_->registerChannelLater(
        std::move(handler), Interest::read, [&](const Error& error) {
            EXPECT_TRUE(dispatcher_->isCurrent());
            EXPECT_TRUE(error.is(std::errc::bad_file_descriptor));
            errors.push_back("told");
        }));
    dispatcher_.turn();
    EXPECT_THAT(errors, ElementsAre("told"));
    EXPECT_THAT(journal_, ElementsAre("a destroyed"));
    EXPECT_EQ(dispatcher_->connectionCount(), 0u);
}

// --- handles --------------------------------------------------------------------------------

TEST_F(SelectorThreadRegistrationTest, AStaleHandleFindsNothingInAReusedSlot) {
    Link one = makeLink(), two = makeLink();
    RecordingHandler& a = dispatcher_.add(one, "a", journal_);
    ChannelHandle handle;
    inTurn([&] {
        handle = dispatcher_->handleOf(a.channel());
        EXPECT_EQ(dispatcher_->findNow(handle), &a);
        a.channel().close();
        EXPECT_EQ(dispatcher_->findNow(handle), nullptr) << "at once";
    });
    RecordingHandler& b = dispatcher_.add(two, "b", journal_);
    inTurn([&] {
        EXPECT_EQ(dispatcher_->handleOf(b.channel()).slot(), handle.slot());
        EXPECT_EQ(dispatcher_->findNow(handle), nullptr);
    });
}

TEST_F(SelectorThreadRegistrationTest, HandlesOfNobodyOrOfAnotherDispatcherFindNobody) {
    TestDispatcher other("other");
    Link one = makeLink(), two = makeLink();
    dispatcher_.add(one, "a", journal_);
    RecordingHandler& b = other.add(two, "b", journal_);
    ChannelHandle elsewhere;
    other.inTurn([&] { elsewhere = other->handleOf(b.channel()); });
    inTurn([&] {
        EXPECT_EQ(dispatcher_->findNow({}), nullptr);
        EXPECT_EQ(dispatcher_->findNow(elsewhere), nullptr);
    });
}

TEST_F(SelectorThreadRegistrationTest, InvokesForAChannelThatIsStillThereAndCountsTheRest) {
    Link link = makeLink();
    RecordingHandler& a = dispatcher_.add(link, "a", journal_);
    ChannelHandle handle;
    inTurn([&] { handle = dispatcher_->handleOf(a.channel()); });
    const auto task = [&](SelectorHandler& found) {
        EXPECT_EQ(&found, &a);
        journal_.push_back("task");
    };
    ASSERT_TRUE(dispatcher_->invokeLater(handle, task));
    ASSERT_TRUE(dispatcher_->invokeLater([&] { a.channel().close(); }));
    ASSERT_TRUE(dispatcher_->invokeLater(handle, task));
    dispatcher_.turn();
    EXPECT_THAT(journal_, ElementsAre("task", "a destroyed"));
    EXPECT_EQ(dispatcher_->moves().droppedTasks(), 1u);
}

TEST_F(SelectorThreadRegistrationTest, ChangesInterestsLater) {
    Link link = makeLink();
    RecordingHandler& a = dispatcher_.add(link, "a", journal_, Interest::none);
    ChannelHandle handle;
    inTurn([&] { handle = dispatcher_->handleOf(a.channel()); });
    link.peer.send("x");
    dispatcher_.turn();
    EXPECT_THAT(journal_, IsEmpty());
    ASSERT_TRUE(dispatcher_->addChannelInterestLater(handle, Interest::read));
    dispatcher_.turn();
    EXPECT_THAT(journal_, ElementsAre("a read"));
    ASSERT_TRUE(dispatcher_->removeChannelInterestLater(handle, Interest::read));
    dispatcher_.turn();
    link.peer.send("y");
    dispatcher_.turns(2);
    EXPECT_THAT(journal_, ElementsAre("a read"));
}

TEST_F(SelectorThreadRegistrationTest, TellsOnErrorWhenAnInterestComesTooLate) {
    Link link = makeLink();
    RecordingHandler& a = dispatcher_.add(link, "a", journal_);
    ChannelHandle handle;
    inTurn([&] {
        handle = dispatcher_->handleOf(a.channel());
        a.channel().close();
    });
    int told = 0;
    const auto count = [&](const Error& error) {
        EXPECT_TRUE(error.is(Errc::notRegistered));
        ++told;
    };
    ASSERT_TRUE(dispatcher_->addChannelInterestLater(handle, Interest::read, count));
    ASSERT_TRUE(dispatcher_->removeChannelInterestLater(handle, Interest::read, count));
    ASSERT_TRUE(dispatcher_->addChannelInterestLater(handle, Interest::read));
    dispatcher_.turn();
    EXPECT_EQ(told, 2);
}

}  // namespace
}  // namespace nio
