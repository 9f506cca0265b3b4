// Puts busy connections on one dispatcher of a group, lets the Rebalancer work, and says how long
// it took until the dispatchers differ by less than 10 points, and how they stood at every look.
//
//     rebalance-bench [connections] [dispatchers] [interval-ms] [seconds]
//
// Loopback only. Each client sends 64 B every 2 ms, on a thread of their own, and an answer costs
// its dispatcher 30 us of work: with 50 of them one dispatcher is some 85 % busy, and all of it
// together takes less than two CPUs. (Clients as fast as they can would take as much CPU as the
// dispatchers do: which of those shares a CPU with them decides then, not who has what.) The last
// line is JSON.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <nio/connection/StreamHandler.h>
#include <nio/group/LoadMeter.h>
#include <nio/group/SelectorThreadGroup.h>
#include <nio/timers/Deadline.h>

namespace {

constexpr double enough = 0.10;
constexpr std::chrono::microseconds work{30};
constexpr std::chrono::milliseconds period{2};
constexpr std::size_t questionBytes = 64;

class Echo final : public nio::StreamHandler {
  public:
    using StreamHandler::StreamHandler;

  protected:
    void bytesArrived(nio::ByteView bytes) override NIO_REQUIRES(nio::onDispatcher) {
        const nio::TimePoint end = nio::Clock::after(work * (bytes.size() / questionBytes));
        while (nio::Clock::now() < end) {
        }
        sendThrough(bytes);
    }
};

class Asker final : public nio::StreamHandler {
  public:
    using StreamHandler::StreamHandler;

  protected:
    void connectionOpened() override NIO_REQUIRES(nio::onDispatcher) {
        next_.emplace(dispatcher().deadlines(), [this] {
            nio::onDispatcher.assertCurrent();
            ask();
        });
        ask();
    }
    void bytesArrived(nio::ByteView bytes) override NIO_REQUIRES(nio::onDispatcher) {
        unanswered_ -= bytes.size();
    }

  private:
    void ask() NIO_REQUIRES(nio::onDispatcher) {
        static const nio::Bytes question(questionBytes, nio::Byte{'x'});
        constexpr std::size_t most = 4 * questionBytes;
        next_->wakeAfter(period);
        if (unanswered_ >= most) return;
        unanswered_ += question.size();
        send(question);
    }

    std::optional<nio::Deadline> next_;
    std::size_t unanswered_ = 0;
};

struct Pair {
    nio::SocketChannel server;
    nio::SocketChannel client;
};

Pair connectedPair() {
    const auto any = nio::SocketAddress::loopback4(0);
    nio::UniqueFd listener = nio::kernel::openStreamSocket(any.family()).orThrow();
    nio::kernel::bind(listener.get(), any).orThrow();
    nio::kernel::listen(listener.get(), 1).orThrow();
    nio::UniqueFd client = nio::kernel::openStreamSocket(any.family()).orThrow();
    (void)nio::kernel::connect(client.get(), nio::kernel::localAddress(listener.get()).orThrow());
    pollfd entry{listener.get(), POLLIN, 0};
    (void)nio::kernel::waitPoll({&entry, 1}, std::chrono::seconds(5)).orThrow();
    nio::UniqueFd server = nio::kernel::accept(listener.get()).fd;
    nio::kernel::setNoDelay(server.get(), true).orThrow();
    nio::kernel::setNoDelay(client.get(), true).orThrow();
    return {nio::SocketChannel(std::move(server)), nio::SocketChannel(std::move(client))};
}

std::vector<std::unique_ptr<nio::SelectorThread>> started(std::size_t count) {
    std::vector<std::unique_ptr<nio::SelectorThread>> threads;
    for (std::size_t i = 0; i < count; ++i) {
        threads.push_back(std::make_unique<nio::SelectorThread>());
        threads.back()->start();
    }
    return threads;
}

class Run {
  public:
    Run(std::size_t connections, std::size_t dispatchers, std::chrono::milliseconds interval)
        : connections_(connections), threads_(started(dispatchers)) {
        options_.interval = interval;
    }
    ~Run() {
        // The Rebalancer outlives its dispatchers' turns.
        clients_.requestClose(nio::DrainOptions::atOnce());
        for (auto& thread : threads_) thread->requestClose(nio::DrainOptions::atOnce());
        for (auto& thread : threads_) thread->join();
    }

    void connect() {
        auto stream = std::make_shared<nio::StreamOptions>();
        stream->movable = true;
        clients_.start();
        for (std::size_t i = 0; i < connections_; ++i) {
            Pair pair = connectedPair();
            (void)threads_[0]->registerChannelLater(
                std::make_unique<Echo>(std::move(pair.server), stream), nio::Interest::read);
            (void)clients_.registerChannelLater(
                std::make_unique<Asker>(std::move(pair.client), stream), nio::Interest::read);
        }
    }

    // Seconds until the shares differ little, and go on doing so for four looks; negative: never.
    double recover(double seconds) {
        show("before");
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        show("before");
        rebalancer_.emplace(threads_, options_);
        rebalancer_->start();
        const nio::TimePoint begin = nio::Clock::now();
        double since = -1;
        int looks = 0;
        for (double now = 0; now < seconds && looks < 4;) {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            now = std::chrono::duration<double>(nio::Clock::now() - begin).count();
            char text[32];
            std::snprintf(text, sizeof text, "%6.3f s", now);
            const bool even = show(text) < enough;
            if (even && looks == 0) since = now;
            looks = even ? looks + 1 : 0;
        }
        return looks < 4 ? -1 : since;
    }

    std::string counts() const {
        std::string text;
        for (const auto& thread : threads_) {
            text += (text.empty() ? "" : ", ") + std::to_string(thread->connectionCount());
        }
        return text;
    }
    std::string shares() const {
        std::string text;
        for (const double share : shares_) {
            char number[16];
            std::snprintf(number, sizeof number, "%.2f", share);
            text += (text.empty() ? "" : ", ") + std::string(number);
        }
        return text;
    }

  private:
    double show(const char* when) {
        shares_ = meter_.look(threads_);
        const auto [low, high] = std::minmax_element(shares_.begin(), shares_.end());
        std::cout << when << "  shares " << shares() << "  connections " << counts() << "\n";
        return *high - *low;
    }

    const std::size_t connections_;
    nio::RebalanceOptions options_;
    nio::SelectorThread clients_;
    std::vector<std::unique_ptr<nio::SelectorThread>> threads_;
    nio::LoadMeter meter_;
    std::vector<double> shares_;
    std::optional<nio::Rebalancer> rebalancer_;
};

double argument(int argc, char** argv, int index, double standard) {
    return argc > index ? std::atof(argv[index]) : standard;
}

}  // namespace

int main(int argc, char** argv) {
    const auto connections = static_cast<std::size_t>(argument(argc, argv, 1, 50));
    const auto dispatchers = static_cast<std::size_t>(argument(argc, argv, 2, 2));
    const auto interval = static_cast<long>(argument(argc, argv, 3, 100));
    Run run(connections, dispatchers, std::chrono::milliseconds(interval));
    run.connect();
    const double recovered = run.recover(argument(argc, argv, 4, 5));
    // Infinity, as Python reads it: no figure of this run is to be taken for a quick one.
    const std::string seconds = recovered < 0 ? "Infinity" : std::to_string(recovered);
    std::printf(
        "{\"name\": \"%zu connections, %zu dispatchers\", \"interval_ms\": %ld, "
        "\"recovered_s\": %s, \"shares\": [%s], \"counts\": [%s]}\n",
        connections, dispatchers, interval, seconds.c_str(), run.shares().c_str(),
        run.counts().c_str());
    return recovered < 0 ? 1 : 0;
}
