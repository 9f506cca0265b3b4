// What the tests of agents share: agents and an echo server in this process, somebody who speaks
// with an agent byte by byte, and somebody who directs workers.
//
// Every wait is for a condition, and bounded by kerneltest::patience.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <sstream>

#include "apps/echo_client/EchoClientTesting.h"
#include "support/TestSockets.h"

#include "echo_client/agents/Agent.h"
#include "echo_client/options/LoadOptionsParser.h"

namespace agenttest {

using load::LoadFigures;

inline const std::string token = "open-sesame";

inline load::AgentOptions promptRefusals() {
    load::AgentOptions options;
    options.refusalDelay = std::chrono::milliseconds(1);
    return options;
}

class RunningAgent {
  public:
    explicit RunningAgent(load::AgentOptions options = promptRefusals()) {
        options.token = token;
        if (options.threads == 0) options.threads = 1;
        agent_.emplace(options, nio::SocketAddress::loopback4(0), log_);
        agent_->start();
    }

    nio::SocketAddress address() const { return agent_->address(); }
    std::string name() const { return address().toString(); }
    // What it has said of its work.
    std::string stop() {
        agent_.reset();
        return log_.str();
    }

  private:
    std::ostringstream log_;
    std::optional<load::Agent> agent_;
};

// Says to an agent, or to a coordinator, what the test wants it to hear.
class Talker {
  public:
    explicit Talker(const nio::SocketAddress& agent) : peer_(connect(agent, {})) {}
    Talker(const nio::SocketAddress& agent, const nio::SocketAddress& from)
        : peer_(connect(agent, from)) {}
    explicit Talker(nio::UniqueFd fd) : peer_(std::move(fd)) {}

    void sayBytes(const std::string& bytes) { peer_.send(bytes); }
    void say(const std::string& message) {
        std::string length;
        for (int shift = 24; shift >= 0; shift -= 8) {
            length += static_cast<char>(message.size() >> shift & 0xff);
        }
        sayBytes(length + message);
    }
    template <class Message>
    void say(const Message& message) {
        say(load::wire::write(message));
    }
    // The next message; nothing at the end.
    std::string hear() {
        std::size_t length = 0;
        for (const char c : peer_.receive(4)) length = length << 8 | static_cast<unsigned char>(c);
        return peer_.receive(length);
    }
    template <class Message>
    Message hearA() {
        auto message = load::wire::readFromAgent(nio::asBytes(hear())).orThrow();
        return std::get<Message>(std::move(message));
    }
    template <class Message>
    Message hearOrder() {
        return std::get<Message>(load::wire::readToAgent(nio::asBytes(hear())).orThrow());
    }
    // What it is refused for; the end comes behind it.
    std::string hearRefusal() {
        const std::string reason = hearA<load::wire::Refused>().reason;
        EXPECT_EQ(hear(), "");
        return reason;
    }
    void greet(const std::string& with = token) {
        say(load::wire::Hello{load::wire::version, with});
    }
    void close() { peer_.close(); }

  private:
    static nio::UniqueFd connect(const nio::SocketAddress& address,
                                 const std::optional<nio::SocketAddress>& from) {
        auto fd = nio::kernel::openStreamSocket(address.family()).orThrow();
        if (from) nio::kernel::bind(fd.get(), *from).orThrow();
        (void)nio::kernel::connect(fd.get(), address);
        EXPECT_TRUE(nio::kerneltest::waitFor(fd.get(), POLLOUT));
        // A slow test may find a connection that the agent has reset already.
        const nio::IoResult outcome = nio::kernel::connectOutcome(fd.get());
        EXPECT_TRUE(outcome.isDone() || outcome.code == std::errc::connection_reset);
        return fd;
    }

    support::Peer peer_;
};

class EchoServer {
  public:
    std::string port() const { return server_.port(); }
    std::size_t bytes() const { return bytes_.load(); }

  private:
    std::atomic<std::size_t> bytes_{0};
    echoclient::OddServer server_{[this](echoclient::OddConnection& to, nio::ByteView bytes) {
        nio::onDispatcher.assertCurrent();
        bytes_ += bytes.size();
        to.send(bytes);
    }};
};

// Gathers what workers say.
class Director final : public load::LoadWorkerListener {
  public:
    struct Heard {
        std::size_t made = 0;
        std::size_t timesConnected = 0;
        std::size_t timesFinished = 0;
        std::size_t reports = 0;
        LoadFigures figures;
    };

    void workerConnected(std::size_t worker, std::size_t made) override {
        note(worker, [made](Heard& heard) {
            heard.made += made;
            ++heard.timesConnected;
        });
    }
    void workerReported(std::size_t worker, std::unique_ptr<LoadFigures> figures) override {
        note(worker, [&figures](Heard& heard) {
            heard.figures.merge(*figures);
            ++heard.reports;
        });
    }
    void workerFinished(std::size_t worker) override {
        note(worker, [](Heard& heard) { ++heard.timesFinished; });
    }

    // What it has heard of each worker once `done` holds for all of the first `count`.
    std::vector<Heard> await(std::size_t count, const std::function<bool(const Heard&)>& done) {
        std::unique_lock lock(mutex_);
        const bool came = changed_.wait_for(lock, nio::kerneltest::patience, [&] {
            std::size_t ready = 0;
            for (std::size_t i = 0; i < count; ++i) ready += done(heard_[i]) ? 1 : 0;
            return ready == count;
        });
        EXPECT_TRUE(came);
        std::vector<Heard> all;
        for (std::size_t i = 0; i < count; ++i) all.push_back(heard_[i]);
        return all;
    }
    Heard awaitOne(std::size_t worker, const std::function<bool(const Heard&)>& done) {
        std::unique_lock lock(mutex_);
        EXPECT_TRUE(changed_.wait_for(lock, nio::kerneltest::patience,
                                      [&] { return done(heard_[worker]); }));
        return heard_[worker];
    }

  private:
    void note(std::size_t worker, const std::function<void(Heard&)>& what) {
        const std::lock_guard lock(mutex_);
        what(heard_[worker]);
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::size_t, Heard> heard_;
};

// For these agents; `more` may say more of the load.
inline load::LoadOptions optionsFor(const std::vector<std::string>& agents, const std::string& port,
                                    const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{"--port", port, "--token", token};
    for (const std::string& agent : agents) words.insert(words.end(), {"--agents", agent});
    words.insert(words.end(), more.begin(), more.end());
    return load::readLoadOptions(words).orThrow();
}

inline load::LoadSchedule scheduleIn(nio::Clock::duration notice, nio::Clock::duration length) {
    const nio::TimePoint begin = nio::Clock::now() + notice;
    return {begin, begin, begin + length};
}

}  // namespace agenttest
