// What a coordinator and an agent say to each other: one JSON object per packet, behind a length of
// four bytes (AgentFraming). Its "message" says which one it is.
//
//     coordinator                      agent
//     hello {version, token}        →
//                                   ←  welcome {version}, or refused {reason} and the end
//     ping {number}                 →  (several: how far the clocks are apart)
//                                   ←  pong {number, clock}
//     prepare {arguments, crew,     →
//              crews}
//                                   ←  ready {workers, selector}, or refused {reason} and the end
//     connect {worker}              →
//                                   ←  connected {worker, made}
//     send {worker, begin, from,    →
//           to}
//     report, stop, giveUp {worker} →
//                                   ←  figures {worker, figures}, finished {worker}
//
// The coordinator closes the connection when the run is over, or given up. Nothing that comes from
// the other side is trusted: whatever is missing, of another type or out of its bounds is an error.
//
// Thread: any; values. Times are nanoseconds of the agent's monotonic clock.
// Errors: read…(): invalid_argument; context() says what is wrong with the message.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <nio/base/Bytes.h>
#include <nio/base/Result.h>

#include "echo_client/load/LoadWorker.h"

namespace load::wire {

constexpr std::uint64_t version = 4;
constexpr std::size_t largestMessage = 8 * 1024 * 1024;
constexpr std::size_t largestHello = 1024;
constexpr std::size_t mostCrews = 1000;
constexpr std::size_t mostWorkers = 1024;

// --- to an agent ----------------------------------------------------------------------------

struct Hello {
    std::uint64_t version = wire::version;
    std::string token;
};
struct Ping {
    std::uint64_t number = 0;
};
struct Prepare {
    std::vector<std::string> arguments;  // of a command line, see loadArguments()
    std::size_t crew = 0;                // of so many
    std::size_t crews = 1;
};
struct Order {
    enum class What { connect, report, stop, giveUp };
    What what = What::connect;
    std::size_t worker = 0;
};
struct Send {
    std::size_t worker = 0;
    LoadSchedule schedule;
};
using ToAgent = std::variant<Hello, Ping, Prepare, Order, Send>;

// --- from an agent --------------------------------------------------------------------------

struct Welcome {
    std::uint64_t version = wire::version;
};
struct Refused {
    std::string reason;  // one line
};
struct Pong {
    std::uint64_t number = 0;
    nio::TimePoint clock{};
};
struct Ready {
    std::vector<std::string> workers;  // their names
    std::string selector;
};
struct Connected {
    std::size_t worker = 0;
    std::size_t made = 0;
};
struct Reported {
    std::size_t worker = 0;
    std::unique_ptr<LoadFigures> figures;  // never null
};
struct Finished {
    std::size_t worker = 0;
};
using FromAgent = std::variant<Welcome, Refused, Pong, Ready, Connected, Reported, Finished>;

// --- as they travel -------------------------------------------------------------------------

std::string write(const Hello& hello);
std::string write(const Ping& ping);
std::string write(const Prepare& prepare);
std::string write(const Order& order);
std::string write(const Send& send);
std::string write(const Welcome& welcome);
std::string write(const Refused& refused);
std::string write(const Pong& pong);
std::string write(const Ready& ready);
std::string write(const Connected& connected);
std::string write(const Reported& reported);
std::string write(const Finished& finished);

nio::Result<ToAgent> readToAgent(nio::ByteView packet);
nio::Result<FromAgent> readFromAgent(nio::ByteView packet);

}  // namespace load::wire
