// Why an open loop: a server that stalls stops a closed loop's clients from asking, and the
// messages that they would have sent meanwhile are missing in its percentiles.
#include <deque>
#include <thread>

#include <nio/timers/Deadline.h>

#include "apps/echo_client/EchoClientTesting.h"
#include "common/LatencyHistogram.h"

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

// Answers each piece of input 200 ms after its arrival, and notes when it really did.
class DelayingConnection final : public nio::StreamHandler {
  public:
    static constexpr milliseconds delay{200};

    struct Delays {
        std::mutex mutex;
        apps::LatencyHistogram times;
    };

    DelayingConnection(nio::SocketChannel channel, Delays& delays)
        : StreamHandler(std::move(channel), std::make_shared<nio::StreamOptions>()),
          delays_(delays) {}

  protected:
    void bytesArrived(nio::ByteView bytes) override NIO_REQUIRES(nio::onDispatcher) {
        waiting_.push_back({nio::Clock::now(), nio::copyOf(bytes)});
        if (!alarm_) {
            alarm_.emplace(dispatcher().deadlines(), [this] {
                nio::onDispatcher.assertCurrent();
                answer();
            });
        }
        if (waiting_.size() == 1) alarm_->wakeAfter(delay);
    }

  private:
    struct Waiting {
        nio::TimePoint arrived;
        nio::Bytes bytes;
    };

    void answer() NIO_REQUIRES(nio::onDispatcher) {
        while (!waiting_.empty() && waiting_.front().arrived + delay <= nio::Clock::now()) {
            {
                const std::lock_guard lock(delays_.mutex);
                delays_.times.record(nio::Clock::now() - waiting_.front().arrived);
            }
            send(waiting_.front().bytes);
            waiting_.pop_front();
        }
        if (waiting_.empty()) return;
        alarm_->wakeAfter(waiting_.front().arrived + delay - nio::Clock::now());
    }

    Delays& delays_;
    std::deque<Waiting> waiting_;
    std::optional<nio::Deadline> alarm_;
};

// A server that is late makes the times longer: so it says when it was.
TEST(ServiceTime, IsThatOfTheServerWithinTwoPercent) {
    DelayingConnection::Delays delays;
    nio::Server server({.group = {.threads = 1}}, [&delays](nio::AcceptedConnection connection) {
        return std::make_unique<DelayingConnection>(std::move(connection.channel), delays);
    });
    server.start();
    const json report = measure(std::to_string(server.address().port()), {"--rate", "200"});
    const double least = 1000.0 * DelayingConnection::delay.count();
    const std::lock_guard lock(delays.mutex);
    const bool wasOnTime = report["latenessMicroseconds"]["max"] < 2000 &&
                           delays.times.max() < DelayingConnection::delay + milliseconds(2);
    for (const char* percentile : {"p50", "p99"}) {
        EXPECT_GE(report["serviceMicroseconds"][percentile], 0.98 * least) << percentile;
        if (!wasOnTime) continue;
        EXPECT_LE(report["serviceMicroseconds"][percentile], 1.02 * least) << percentile;
    }
}

}  // namespace
