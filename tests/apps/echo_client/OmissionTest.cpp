// Why an open loop: a server that stalls stops a closed loop's clients from asking, and the
// messages that they would have sent meanwhile are missing in its percentiles.
#include <thread>

#include <nio/timers/Deadline.h>

#include "apps/echo_client/EchoClientTesting.h"

namespace {

using namespace echoclient;
using std::chrono::milliseconds;

constexpr milliseconds stall{200};
constexpr milliseconds period{1000};

// Echoes, but for 200 ms of each second it does nothing at all.
class StallingServer {
  public:
    StallingServer()
        : server_({.group = {.threads = 1}},
                  [](nio::AcceptedConnection connection) {
                      return std::make_unique<OddConnection>(std::move(connection.channel), echo);
                  }),
          thread_(server_.group()[0]) {
        server_.start();
        (void)thread_.invokeAndWait([this] {
            nio::onDispatcher.assertCurrent();
            deadline_.emplace(thread_.deadlines(), [this] {
                nio::onDispatcher.assertCurrent();
                std::this_thread::sleep_for(stall);
                deadline_->wakeAfter(period - stall);
            });
            deadline_->wakeAfter(period / 2);
        });
    }
    ~StallingServer() {
        (void)thread_.invokeAndWait([this] { deadline_.reset(); });
    }

    std::string port() const { return std::to_string(server_.address().port()); }

  private:
    nio::Server server_;
    nio::SelectorThread& thread_;
    std::optional<nio::Deadline> deadline_;
};

json measure(const std::string& port, const Arguments& more) {
    Process run(client(Arguments{"--port", port, "--connections", "4", "--duration", "3",
                                 "--warmup", "0.1", "--json", "-"} +
                       more));
    // A busy machine may keep the generator from its plan; the stall is much longer than that.
    EXPECT_THAT(run.wait(), testing::AnyOf(0, 5)) << run.errors();
    return json::parse(run.output());
}

TEST(CoordinatedOmission, IsSeenByTheOpenLoopAndHiddenByTheClosedOne) {
    StallingServer server;
    const json open = measure(server.port(), {"--rate", "500"});
    const json closed = measure(server.port(), {});
    const double stallMicros = 1000.0 * stall.count();

    // A fifth of the planned messages fall into a stall: one in a hundred waits for most of it.
    EXPECT_EQ(open["loop"], "open");
    EXPECT_GT(open["latencyMicroseconds"]["p90"], 0.25 * stallMicros);
    EXPECT_GT(open["latencyMicroseconds"]["p99"], 0.75 * stallMicros);
    // Only the four that were under way when it began have seen it.
    EXPECT_EQ(closed["loop"], "closed");
    EXPECT_LT(closed["latencyMicroseconds"]["p90"], open["latencyMicroseconds"]["p90"]);
    EXPECT_GT(closed["latencyMicroseconds"]["max"], 0.75 * stallMicros);
}

}  // namespace
