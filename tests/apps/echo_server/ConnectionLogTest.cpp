#include "echo_server/ConnectionLog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

struct FullChannel {
    std::size_t pendingBytes() const { return 7; }
};

// Another stage holds more, which has not been here.
struct FullConnection {
    FullChannel channel() const { return {}; }
    std::size_t pendingBytes() const { return 70; }
};

struct Context {
    FullConnection connection() const { return {}; }
    void write(nio::ByteView) {}
};

TEST(ConnectionLog, CountsAsSentWhatTheKernelHasTaken) {
    nio::onDispatcher.assumeCurrent();
    echo::ConnectionLog log(true);
    Context context;
    log.write(context, nio::asBytes("0123456789"));
    testing::internal::CaptureStderr();
    log.closed(context);
    EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr(", sent 3 bytes, "));
}

}  // namespace
