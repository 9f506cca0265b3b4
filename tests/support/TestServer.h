// A server over real loopback sockets, its dispatchers turned by the test (or by threads of their
// own), with the clients that the test connects to it.
//
//     TestServer server({.dispatchers = 2}, listener);
//     TestClient& client = server.connect();
//     client.send("hello\n");
//     ASSERT_TRUE(server.until([&] { return client.hasReceived("hello\n"); }));
//
// Nothing depends on time: until() makes turns until the condition holds, and gives up only after
// `patience`, which is far more than anything needs.
//
// Thread: that of its test.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "support/ScriptedListener.h"
#include "support/TestClient.h"

#include <nio/codec/LineDecoder.h>
#include <nio/group/SelectorThreadGroup.h>
#include <nio/net/Acceptor.h>
#include <nio/net/ConnectionDealer.h>
#include "support/PacketChannel.h"

namespace support {

using DecoderMaker = std::function<std::unique_ptr<nio::ProtocolDecoder>()>;

inline std::unique_ptr<nio::ProtocolDecoder> lineDecoder() {
    return std::make_unique<nio::LineDecoder>();
}

struct ServerSetup {
    std::size_t dispatchers = 1;
    bool ownThreads = false;  // else the test's thread makes the turns
    nio::SelectorThreadOptions thread{};
    nio::StreamOptions stream{};
    nio::AcceptorOptions acceptor{};
    int sendBufferBytes = 0;  // of every connection; 0: the system's choice, which grows
    // Instead of a PacketChannel, which is the default.
    std::function<std::unique_ptr<nio::StreamHandler>(nio::SocketChannel)> makeConnection{};
    nio::SocketAddress address = nio::SocketAddress::loopback4(0);
};

class TestServer {
  public:
    static constexpr std::chrono::seconds patience{120};

    TestServer(const ServerSetup& setup, std::shared_ptr<support::PacketListener> listener,
               DecoderMaker makeDecoder = lineDecoder)
        : setup_(setup),
          stream_(std::make_shared<nio::StreamOptions>(setup.stream)),
          listener_(std::move(listener)),
          makeDecoder_(std::move(makeDecoder)),
          group_(groupOptions()) {
        auto dealer = std::make_unique<nio::ConnectionDealer>(
            group_, [this](nio::AcceptedConnection connection) {
                return makeHandler(std::move(connection));
            });
        auto acceptor =
            nio::Acceptor::open(setup.address, std::move(dealer), setup.acceptor).orThrow();
        acceptor_ = acceptor.get();
        address_ = acceptor->address();
        if (!group_[0].registerChannelLater(std::move(acceptor), nio::Interest::accept)) {
            throw std::runtime_error("the acceptor was not taken");
        }
        if (setup.ownThreads) group_.start();
    }

    nio::SelectorThreadGroup& group() { return group_; }
    nio::SelectorThread& dispatcher(std::size_t index = 0) { return group_[index]; }
    // While it is registered.
    nio::Acceptor& acceptor() { return *acceptor_; }
    const nio::SocketAddress& address() const { return address_; }

    TestClient& connect(const TestClientOptions& options = {}) {
        return *clients_.emplace_back(std::make_unique<TestClient>(address_, options));
    }
    // The same, and it is registered with its dispatcher when this returns.
    TestClient& connectAndWait(const TestClientOptions& options = {}) {
        const std::size_t before = group_.connectionCount();
        TestClient& client = connect(options);
        until([&] { return group_.connectionCount() > before; });
        turn();
        return client;
    }
    std::vector<std::unique_ptr<TestClient>>& clients() { return clients_; }

    // One turn of each dispatcher, and a pump of each client.
    void turn() {
        for (auto& client : clients_) client->pump();
        if (setup_.ownThreads) {
            (void)nio::kernel::waitPoll({}, std::chrono::milliseconds(1)).orThrow();
            return;
        }
        for (std::size_t i = 0; i < group_.size(); ++i) {
            group_[i].turn(std::chrono::milliseconds(i == 0 ? 1 : 0));
        }
    }

    // False: `patience` was over.
    bool until(const std::function<bool()>& done) {
        const nio::TimePoint end = nio::Clock::now() + patience;
        while (!done()) {
            if (nio::Clock::now() > end) return false;
            turn();
        }
        return true;
    }
    // Whether every dispatcher comes to rest: a turn that sleeps as long as it may. One that spins
    // never makes such a turn.
    bool comesToRest() {
        for (std::size_t i = 0; i < group_.size(); ++i) {
            if (!comesToRest(group_[i])) return false;
        }
        return true;
    }

    bool hasStopped() const {
        for (std::size_t i = 0; i < group_.size(); ++i) {
            if (!group_[i].isStopped()) return false;
        }
        return true;
    }
    bool untilStopped() {
        return until([this] { return hasStopped(); });
    }

    std::vector<nio::Failure> failures() const {
        std::lock_guard lock(mutex_);
        return failures_;
    }

  private:
    static bool comesToRest(nio::SelectorThread& thread) {
        constexpr std::chrono::milliseconds sleep{15};
        for (int turns = 0; turns < 100; ++turns) {
            const nio::TimePoint begin = nio::Clock::now();
            if (!thread.turn(sleep) || nio::Clock::now() - begin >= sleep) return true;
        }
        return false;
    }

    nio::SelectorThreadGroupOptions groupOptions() {
        nio::SelectorThreadGroupOptions options;
        options.threads = setup_.dispatchers;
        options.thread = setup_.thread;
        options.thread.onFailure = [this](const nio::Failure& failure) {
            std::lock_guard lock(mutex_);
            failures_.push_back(failure);
        };
        return options;
    }

    std::unique_ptr<nio::ReadWriteSelectorHandler> makeHandler(nio::AcceptedConnection connection) {
        if (setup_.sendBufferBytes > 0) {
            nio::kernel::setSendBufferBytes(connection.channel.fd(), setup_.sendBufferBytes)
                .orThrow();
        }
        std::unique_ptr<nio::StreamHandler> handler;
        if (setup_.makeConnection) {
            handler = setup_.makeConnection(std::move(connection.channel));
        } else {
            handler = support::makeChannel(std::move(connection.channel), makeDecoder_(), listener_,
                                           stream_);
        }
        handler->keep(std::move(connection.permit));
        return handler;
    }

    const ServerSetup setup_;
    const std::shared_ptr<const nio::StreamOptions> stream_;
    const std::shared_ptr<support::PacketListener> listener_;
    const DecoderMaker makeDecoder_;
    mutable std::mutex mutex_;
    std::vector<nio::Failure> failures_;
    nio::SelectorThreadGroup group_;
    nio::Acceptor* acceptor_ = nullptr;
    nio::SocketAddress address_;
    std::vector<std::unique_ptr<TestClient>> clients_;
};

}  // namespace support
