// A random script of calls to nio::kernel, and the trace of what they said: the same on whatever
// kernel it runs. Buffer sizes and the order of things that are under way at the same time are not
// compared: those no program may rely on. With tight buffers it sends until nothing more is taken
// and receives until nothing more comes, and says no figures.
//
// Thread: the main one.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <nio/sys/Kernel.h>

#include "simulation/Random.h"
#include "simulation/differential/Ground.h"

namespace simulation {

class Script {
  public:
    Script(std::uint64_t seed, Buffers buffers);

    // One line per call.
    std::string run();

  private:
    struct End {
        nio::UniqueFd fd{};
        bool watched = false;
        std::optional<std::size_t> peer{};  // once it is accepted
        std::uint64_t sent = 0;             // what its kernel took
        std::uint64_t received = 0;
        // Since it was filled: an acknowledgement that is late makes room at any time.
        bool isCrowded = false;
        bool isFinished = false;
        bool isBroken = false;  // how much of what was sent an RST overtook depends on the buffers
    };

    void open();
    void step();
    void connect();
    void connectToNobody();
    void accept();
    void sendTo(std::size_t index);
    void receiveFrom(std::size_t index);
    void send(std::size_t index);
    void receive(std::size_t index);
    void fill(std::size_t index);
    void drain(std::size_t index);
    bool isWhole(std::size_t index) const;
    bool hasRoom(std::size_t index) const;
    bool somethingComes(std::size_t index);
    void askForRoom(std::size_t index);
    std::uint32_t eventsOf(std::size_t index, short asked, std::chrono::milliseconds wait) const;
    void noteEvents(const char* call, std::size_t index, std::uint32_t events);
    void shutdown(std::size_t index);
    bool isFinBehindTheCrowd(std::size_t index) const;
    std::uint32_t comparable(std::size_t index, std::uint32_t events) const;
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

    const Buffers buffers_;
    const nio::SocketAddress anyPort_;
    Random random_;
    Random sizes_;  // of calls whose number depends on the kernel
    Ground ground_;
    std::string trace_;
    nio::UniqueFd listener_;
    nio::SocketAddress address_;
    nio::UniqueFd epoll_;
    nio::UniqueFd event_;
    std::vector<End> ends_;
    std::deque<std::size_t> backlog_;
};

}  // namespace simulation
