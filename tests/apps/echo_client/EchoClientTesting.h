// What tests of the program echo-client share: how it is called, and servers that do wrong.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <mutex>
#include <set>

#include <nlohmann/json.hpp>

#include "support/Process.h"

#include <nio/net/Server.h>

namespace echoclient {

using nlohmann::json;
using support::bin;
using support::Process;

using Arguments = std::vector<std::string>;

inline Arguments operator+(Arguments all, const Arguments& more) {
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

// A short, quiet load.
inline Arguments client(const Arguments& more) {
    Arguments all = Arguments{bin("echo-client"), "--quiet"} + more;
    const auto standard = [&all](const std::string& option, const std::string& value) {
        const bool there = std::find(all.begin(), all.end(), option) != all.end();
        if (!there) all.insert(all.end(), {option, value});
    };
    standard("--connections", "10");
    // Who counts its messages takes the time that it needs.
    if (std::find(all.begin(), all.end(), "--messages") != all.end()) return all;
    standard("--warmup", "0.05");
    standard("--duration", "0.5");
    return all;
}

inline std::string portOf(const std::string& readyLine) {
    const std::size_t colon = readyLine.find("127.0.0.1:") + 9;
    return readyLine.substr(colon + 1, readyLine.find(' ', colon) - colon - 1);
}

class EchoServerProcess {
  public:
    explicit EchoServerProcess(const Arguments& more = {})
        : process_(Arguments{bin("echo-server"), "--port", "0", "--threads", "2"} + more),
          port_(portOf(process_.readLine())) {}

    const std::string& port() const { return port_; }
    std::string pid() const { return std::to_string(process_.pid()); }

  private:
    Process process_;
    std::string port_;
};

// Does with what arrives as the test says.
class OddConnection final : public nio::StreamHandler {
  public:
    using Behaviour = std::function<void(OddConnection&, nio::ByteView)>;

    OddConnection(nio::SocketChannel channel, Behaviour behaviour, std::size_t place = 0)
        : StreamHandler(std::move(channel), std::make_shared<nio::StreamOptions>()),
          number(place),
          behaviour_(std::move(behaviour)) {}

    const std::size_t number;  // in the order in which they came, from 1
    std::size_t calls = 0;

  protected:
    void bytesArrived(nio::ByteView bytes) override NIO_REQUIRES(nio::onDispatcher) {
        ++calls;
        behaviour_(*this, bytes);
    }

  private:
    Behaviour behaviour_;
};

class OddServer {
  public:
    explicit OddServer(OddConnection::Behaviour behaviour)
        : server_(options(), [this, behaviour](nio::AcceptedConnection connection) {
              note(connection.channel);
              return std::make_unique<OddConnection>(std::move(connection.channel), behaviour,
                                                     peers().size());
          }) {
        server_.start();
    }

    std::string port() const { return std::to_string(server_.address().port()); }
    std::multiset<std::string> peers() {
        std::lock_guard lock(mutex_);
        return peers_;
    }

  private:
    static nio::ServerOptions options() {
        nio::ServerOptions options;
        options.group.threads = 1;
        return options;
    }
    void note(const nio::SocketChannel& channel) {
        std::lock_guard lock(mutex_);
        peers_.insert(channel.peerAddress().orThrow().host());
    }

    std::mutex mutex_;
    std::multiset<std::string> peers_;
    nio::Server server_;
};

inline void echo(OddConnection& connection, nio::ByteView bytes) {
    nio::onDispatcher.assertCurrent();
    connection.send(bytes);
}

}  // namespace echoclient
