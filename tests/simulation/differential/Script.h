// A random script of calls to nio::kernel, and the trace of what they said: the same on whatever
// kernel it runs. Buffer sizes and the order of things that are under way at the same time are not
// compared: those no program may rely on.
//
// Thread: the main one.
#pragma once

#include <array>
#include <string>
#include <vector>

#include <nio/sys/Kernel.h>

#include "simulation/Random.h"
#include "simulation/differential/Ground.h"

namespace simulation {

class Script {
  public:
    explicit Script(std::uint64_t seed);

    // One line per call.
    std::string run();

  private:
    struct End {
        nio::UniqueFd fd{};
        bool watched = false;
    };

    void open();
    void step();
    void connect();
    void connectToNobody();
    void accept();
    void send(std::size_t index);
    void receive(std::size_t index);
    void close(std::size_t index, bool reset);
    void closeListener();
    void ask(std::size_t index);
    void watch(std::size_t index);
    void waitEpoll();
    void signal();
    void settle();
    void note(const std::string& line) { trace_ += line + "\n"; }
    void note(const char* call, std::size_t index, const nio::IoResult& result);
    void note(const char* call, std::size_t index, const nio::Result<void>& result);

    Random random_;
    Ground ground_;
    std::string trace_;
    nio::UniqueFd listener_;
    nio::SocketAddress address_;
    nio::UniqueFd epoll_;
    nio::UniqueFd event_;
    std::vector<End> ends_;
};

}  // namespace simulation
