// Input that a channel holds makes it ready, whatever else the kernel finds.
#include <gtest/gtest.h>

#include <memory>

#include "support/Engines.h"
#include "support/TestDispatcher.h"

namespace nio {
namespace {

class Both final : public ReadWriteSelectorHandler {
  public:
    explicit Both(SocketChannel channel) : channel_(std::move(channel)) {}

    SelectableChannel& channel() override { return channel_; }
    void handleRegistered() override NIO_REQUIRES(onDispatcher) {
        channel_.putBack(asBytes("request"));
    }
    void handleRead() override NIO_REQUIRES(onDispatcher) {
        ++reads;
        (void)channel_.receive();
        wantBoth();
    }
    void handleWrite() override NIO_REQUIRES(onDispatcher) {
        ++writes;
        wantBoth();
    }
    void wantBoth() NIO_REQUIRES(onDispatcher) {
        dispatcher().setChannelInterestNow(channel_, Interest::read | Interest::write);
    }

    int reads = 0;
    int writes = 0;

  private:
    SocketChannel channel_;
};

class UnreadInput : public testing::TestWithParam<SelectorKind> {};

INSTANTIATE_TEST_SUITE_P(Engines, UnreadInput, testing::ValuesIn(support::everyEngine()),
                         support::EngineName());

TEST_P(UnreadInput, IsReadAlsoWhereTheSocketIsAlwaysWritable) {
    support::TestDispatcher dispatcher("d", support::with(GetParam()));
    support::Link link = support::makeLink();
    const Both& handler = dispatcher.add(std::make_unique<Both>(std::move(link.channel)),
                                         Interest::read | Interest::write);
    const int before = handler.writes;
    dispatcher.turns(20);
    EXPECT_EQ(handler.reads, 1);
    EXPECT_GE(handler.writes - before, 10);
    EXPECT_LE(handler.writes - before, 20) << "once per turn";
}

}  // namespace
}  // namespace nio
