#include "echo_server/ConnectionLog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

struct FullConnection {
    std::size_t pendingBytes() const { return 7; }
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
