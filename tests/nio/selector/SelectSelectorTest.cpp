// What only select(2) cannot do.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <memory>

#include "support/Engines.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

using support::Journal;
using support::Link;
using support::makeLink;
using support::RecordingHandler;
using support::TestDispatcher;
using testing::HasSubstr;

// Room for descriptors that select(2) cannot watch.
class BeyondFdSetSize : public testing::Test {
  protected:
    void SetUp() override {
        ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
        rlimit more = before_;
        more.rlim_cur = std::min<rlim_t>(before_.rlim_max, 4096);
        if (more.rlim_cur < 2048) GTEST_SKIP() << "the limit of descriptors is too low";
        ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &more), 0);
    }
    void TearDown() override { ::setrlimit(RLIMIT_NOFILE, &before_); }

    // The same socket under a high number.
    static SocketChannel raised(SocketChannel channel) {
        const int high = ::fcntl(channel.fd(), F_DUPFD_CLOEXEC, 1024);
        EXPECT_GE(high, 1024);
        return SocketChannel(UniqueFd(high));
    }

    rlimit before_{};
};

TEST_F(BeyondFdSetSize, RefusesTheDescriptorAndServesOthers) {
    Journal journal;
    TestDispatcher dispatcher("test", support::with(SelectorKind::select));
    Link low = makeLink();
    Link high = makeLink();
    auto refused =
        std::make_unique<RecordingHandler>(raised(std::move(high.channel)), "high", journal);
    dispatcher.inTurn([&] {
        const auto result = dispatcher->registerChannelNow(std::move(refused), Interest::read);
        ASSERT_FALSE(result.ok());
        EXPECT_TRUE(result.error().is(std::errc::too_many_files_open));
        EXPECT_THAT(result.error().message(), HasSubstr("FD_SETSIZE (1024)"));
    });
    EXPECT_NE(refused, nullptr) << "it stays with the caller";
    RecordingHandler& served = dispatcher.add(low, "low", journal);
    low.peer.send("x");
    EXPECT_TRUE(dispatcher.turnUntil([&] { return served.kept == "x"; }));
}

TEST_F(BeyondFdSetSize, RefusesASelectorWhoseWakeUpIsBeyond) {
    std::vector<UniqueFd> taken;
    while (taken.empty() || taken.back().get() < 1024) {
        taken.push_back(kernel::openReserve().orThrow());
    }
    SelectorOptions options;
    options.kind = SelectorKind::select;
    const auto refused = Selector::open(options);
    ASSERT_FALSE(refused.ok());
    EXPECT_TRUE(refused.error().is(std::errc::too_many_files_open));
}

}  // namespace
}  // namespace nio
