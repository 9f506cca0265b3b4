// A Client whose pipeline cannot be made.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include <nio/base/Error.h>
#include <nio/codec/LineDecoder.h>
#include <nio/net/Client.h>
#include <nio/net/Server.h>

namespace {

// Each connection gets a copy.
struct ThrowsWhenCopied {
    explicit ThrowsWhenCopied(const bool& armed) : throws(&armed) {}
    ThrowsWhenCopied(ThrowsWhenCopied&&) = default;
    ThrowsWhenCopied(const ThrowsWhenCopied& other) : throws(other.throws) {
        if (*throws) throw std::runtime_error("no copy");
    }
    void read(auto&, nio::ByteView) {}

    const bool* throws;
};

TEST(ClientFaultsTest, RunReturnsWhyAStageCannotBeCopied) {
    nio::Server server("127.0.0.1:0", nio::lines(), [](auto&, std::string_view) {});
    server.start();
    nio::SelectorThread thread;
    bool throws = false;
    nio::Client client(thread, server.address().toString(), ThrowsWhenCopied(throws));
    throws = true;
    const nio::Result<void> ended = client.run();
    ASSERT_FALSE(ended);
    EXPECT_EQ(ended.error().message(), nio::Error(nio::Errc::handlerFailed, "no copy").message());
}

}  // namespace
