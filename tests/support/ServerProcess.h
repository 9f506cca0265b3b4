// echo-server as a child process that is ready: its address is known.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <nio/sys/SocketAddress.h>

#include "support/Process.h"

namespace support {

class ServerProcess {
  public:
    // `prefix` comes before the program, e.g. a shell that sets a limit and then runs "$@".
    explicit ServerProcess(const std::vector<std::string>& options,
                           const std::vector<std::string>& prefix = {})
        : process_(command(options, prefix)),
          readyLine_(process_.readLine()),
          address_(nio::SocketAddress::parse(addressIn(readyLine_)).orThrow()) {}

    const std::string& readyLine() const { return readyLine_; }
    const nio::SocketAddress& address() const { return address_; }
    Process& process() { return process_; }
    // With --metrics; the next line says it.
    nio::SocketAddress metricsAddress() {
        const std::string line = process_.readLine();
        const std::string before = "echo-server metrics at http://";
        EXPECT_TRUE(line.starts_with(before) && line.ends_with("/metrics")) << line;
        const std::size_t end = line.size() - std::string("/metrics").size();
        return nio::SocketAddress::parse(line.substr(before.size(), end - before.size())).orThrow();
    }

    // SIGTERM, then its exit code; the last line is in stoppedLine().
    int stop() {
        process_.signal(15);
        stoppedLine_ = process_.readLine();
        return process_.wait();
    }
    const std::string& stoppedLine() const { return stoppedLine_; }

  private:
    static std::vector<std::string> command(const std::vector<std::string>& options,
                                            std::vector<std::string> all) {
        all.push_back(bin("echo-server"));
        all.insert(all.end(), options.begin(), options.end());
        return all;
    }

    static std::string addressIn(const std::string& line) {
        const std::string before = "listening on ";
        const std::size_t start = line.find(before) + before.size();
        return line.substr(start, line.find(' ', start) - start);
    }

    Process process_;
    std::string readyLine_;
    nio::SocketAddress address_;
    std::string stoppedLine_;
};

}  // namespace support
