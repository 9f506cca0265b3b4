// The options of echo-client, as a value. LoadOptionsParser makes it from a command line and checks
// that the options fit each other.
//
// Thread: any; a value.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nio/selector/Selector.h>
#include <nio/sys/Clock.h>

#include <nio-tls/TlsContext.h>

#include "common/Endpoint.h"
#include "common/Framing.h"
#include "echo_client/figures/LoadResult.h"
#include "echo_client/options/Requirement.h"
#include "echo_client/payload/Dialogue.h"
#include "echo_client/plan/Lifetime.h"
#include "echo_client/plan/RateCurve.h"
#include "echo_client/plan/SendPlan.h"
#include "echo_client/plan/SizeDistribution.h"

namespace load {

using Duration = nio::Clock::duration;

// How clients misbehave, to test servers.
enum class Misbehaviour {
    slowloris,    // one byte of an endless message now and then
    neverRead,    // sends as fast as it can and never reads an answer
    rstStorm,     // connects and resets, again and again
    oneByte,      // honest, but every byte in a segment of its own
    halfMessage,  // half a message, then silence: neither sends, reads nor closes
};

// By their names on the command line.
const std::map<std::string, Misbehaviour>& misbehaviours();
std::string nameOf(Misbehaviour misbehaviour);

// Bad clients that are connected while there is a load.
struct Beside {
    Misbehaviour how;
    std::size_t connections;

    // As it was written: "slowloris:200".
    std::string toString() const;
};

// Where the results go. Empty: nowhere; "-": standard output, instead of the text.
struct OutputOptions {
    bool quiet = false;
    std::string json;
    std::string jsonLines;
    std::string csv;
    std::string html;
    std::vector<std::string> compare;  // earlier runs' JSON
    std::string histogram;             // .hgrm
    std::string badFrame;              // the first wrong answer, as a hex dump
};

// What a load counts, in the words of its mode.
struct ModeWords {
    std::string one;   // "echo"
    std::string many;  // "echoes"
    std::string ways;  // of the bytes: "each way"; empty: none are counted
    std::string all;   // "Every answer was right."
    std::string none;  // "no echo was received"
};

struct LoadOptions {
    apps::Endpoint endpoint;
    std::vector<nio::SocketAddress> sources;  // dealt out to the connections in turn
    apps::Framing framing = apps::Framing::raw;

    std::optional<nio::TlsTrust> tls;
    std::string sni;                   // the name in the server's certificate; empty: its host
    std::optional<Dialogue> dialogue;  // absent: the messages of an echo
    bool isOneWay = false;             // no answer is awaited
    bool connectOnly = false;          // each connection ends as soon as it is made

    std::size_t connections = 50;
    SizeDistribution size;
    std::size_t pipeline = 1;       // messages in flight per connection; 0: connectOnly
    std::optional<RateCurve> rate;  // absent: a closed loop; of a search: the first one
    Arrivals arrivals = Arrivals::constant;
    Duration think{0};  // closed loop only
    Duration duration = std::chrono::seconds(5);
    std::uint64_t messages = 0;  // over all connections, then the load ends; 0: no limit
    Duration warmup = std::chrono::milliseconds(500);
    Duration answerTimeout = std::chrono::seconds(2);
    Duration spin{0};  // open loop: before a message is due; closed: before a dispatcher sleeps
    std::uint64_t seed = 1;

    double connectRate = 0;  // per second; 0: as fast as it goes
    std::chrono::milliseconds connectTimeout{10'000};
    bool reconnects = false;            // open loop: a connection that was lost is made anew
    std::chrono::seconds keepAlive{0};  // 0: none
    Lifetime lifetime;
    CloseMix closing;

    std::size_t threads = 0;  // 0: one per CPU; never more than connections
    nio::SelectorKind selector = nio::SelectorKind::automatic;

    std::vector<Requirement> requirements;
    std::optional<Requirement> findMax;
    MaxLateness maxLateness;
    std::size_t repeat = 1;
    std::optional<int> serverPid;  // whose CPU time and memory are reported

    std::optional<Misbehaviour> misbehave;
    std::optional<Beside> beside;
    Duration every = std::chrono::seconds(5);  // slowloris: between two bytes
    std::size_t count = 10'000;                // rst-storm: connects in all

    // The JSON of a run that is over, which is compared instead of a new one. Empty: there is a
    // run.
    std::string finishedRun;

    std::vector<apps::Endpoint> agents;
    std::string token;

    OutputOptions output;
    // The words of the command line, behind the program's name; "***" instead of the token.
    std::vector<std::string> arguments;

    bool isOpenLoop() const { return rate.has_value(); }
    // Whether a connection that ends during the load is followed by another one.
    bool renewsConnections() const { return lifetime.isLimited() || reconnects; }
    std::size_t dispatchers() const;
    ModeWords words() const;
    // In bytes, without the framing.
    std::size_t largestMessage() const {
        return dialogue ? dialogue->largestMessage() : size.largest();
    }
    // All the time that is planned to be under load.
    Duration loadTime() const { return warmup + duration; }
};

// Those of the misbehaviour that options.beside, which is there, asks for.
LoadOptions besideOptions(const LoadOptions& options);

// What the framing can carry, or what a raw message may have.
std::size_t largestMessage(apps::Framing framing);

// Absent if the process may open enough descriptors for `options`; else how many connections it
// may.
std::optional<std::string> lacksDescriptors(const LoadOptions& options);

}  // namespace load
