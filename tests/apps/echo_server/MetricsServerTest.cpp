// A listener of --metrics that is not served is no listener.
#include "echo_server/MetricsServer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nio/channel/ReadinessIo.h>

namespace {

using echo::MetricsServer;
using nio::SocketAddress;

// Takes no key.
class Refusing final : public nio::Selector {
  public:
    std::string_view name() const override { return "refusing"; }
    nio::ChannelIo& io() override { return io_; }

  private:
    nio::Result<void> watch(nio::SelectionKey&) override { return std::errc::no_space_on_device; }
    void unwatch(nio::SelectionKey&) override {}
    nio::Result<void> rearm(nio::SelectionKey&) override { return {}; }
    nio::Result<void> wait(nio::kernel::WaitTime) override { return {}; }

    nio::ReadinessIo io_{4096};
};

nio::SelectorThreadOptions refusing() {
    nio::SelectorThreadOptions options;
    options.openSelector = []() -> nio::Result<std::unique_ptr<nio::Selector>> {
        return std::unique_ptr<nio::Selector>(std::make_unique<Refusing>());
    };
    return options;
}

nio::ServerSocketChannel listening() {
    return nio::ServerSocketChannel::open(SocketAddress::loopback4(0)).orThrow();
}

TEST(MetricsServer, SaysWhereItServes) {
    const nio::SelectorThreadGroup group;
    const MetricsServer server(listening(), group, nullptr);
    EXPECT_THAT(server.url(), testing::MatchesRegex("http://127\\.0\\.0\\.1:[0-9]+/metrics"));
}

TEST(MetricsServer, FailsWhereItsListenerIsNotRegistered) {
    const nio::SelectorThreadGroup group;
    try {
        const MetricsServer server(listening(), group, nullptr, refusing());
        FAIL() << "serves at " << server.url();
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::no_space_on_device);
        EXPECT_THAT(error.what(), testing::MatchesRegex("http://127[^\n]+/metrics: [^\n]+"));
    }
}

}  // namespace
