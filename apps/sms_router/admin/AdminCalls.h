// What the admin interface asks of the router.
//
// Thread: that of the admin interface's dispatcher, on which each answer runs, once.
// Errors: timed_out, with the name of a dispatcher that does not answer; health, a snapshot and a
// reload name it themselves.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nio/base/Result.h>
#include <nio/base/UniqueFunction.h>
#include <nio/sys/SocketAddress.h>

#include "sms_router/model/Snapshot.h"
#include "sms_router/routing/Explain.h"

namespace router {

// One line each.
struct Reloaded {
    std::vector<std::string> mistakes{};  // then nothing has changed
    std::vector<std::string> warnings{};  // what takes effect later, and who does not answer, too
    std::string refusal{};                // why the configuration was not even read

    bool isInForce() const { return mistakes.empty() && refusal.empty(); }
};

struct Health {
    std::string silent;  // a dispatcher that hangs in a callback, or has stopped; empty: none
    bool draining = false;
    bool storeAlarm = false;
};

struct AdminCalls {
    template <class T>
    using Answer = nio::UniqueFunction<void(T)>;
    using Lines = std::vector<std::string>;

    // Costs little, however much there is: anybody may ask for it.
    std::function<void(Answer<Health>)> health;
    std::function<void(Answer<std::shared_ptr<const Snapshot>>)> snapshot;
    // Reads the configuration anew. The answer comes once it is in force for everybody, but for a
    // dispatcher that hangs, which is named in a warning.
    std::function<void(Answer<Reloaded>)> reload;
    // False: there is no such connector.
    std::function<void(const std::string& name, bool on, Answer<nio::Result<bool>>)>
        switchConnector;
    std::function<void(const ExplainRequest&, Answer<nio::Result<Lines>>)> explain;
    // How long what shows a token waits before it is checked: guessing is slowed down. Absent: it
    // is refused without a check.
    std::function<std::optional<std::chrono::milliseconds>(const nio::SocketAddress&)> loginDelay;
    std::function<void(const nio::SocketAddress&)> tokenRefused;
};

}  // namespace router
