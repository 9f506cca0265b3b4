// What the admin interface asks of the router.
//
// Thread: any. Each answer runs once, in a turn of `asker`.
// Errors: timed_out, with the name of a dispatcher that does not answer; health, a snapshot and a
// reload name it themselves.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nio/base/Result.h>
#include <nio/loop/SelectorThread.h>
#include <nio/sys/SocketAddress.h>

#include "sms_router/admin/Snapshot.h"
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

class AdminBackend {
  public:
    virtual ~AdminBackend() = default;

    // Costs little, however much there is: anybody may ask for it.
    virtual void health(nio::SelectorThread& asker,
                        nio::UniqueFunction<void(Health health)> answer) = 0;
    virtual void snapshot(nio::SelectorThread& asker,
                          nio::UniqueFunction<void(std::shared_ptr<const Snapshot>)> answer) = 0;
    // Reads the configuration anew. The answer comes once it is in force for everybody, but for a
    // dispatcher that hangs, which is named in a warning.
    virtual void reload(nio::SelectorThread& asker,
                        nio::UniqueFunction<void(Reloaded reloaded)> answer) = 0;
    // False: there is no such connector.
    virtual void switchConnector(const std::string& name, bool on, nio::SelectorThread& asker,
                                 nio::UniqueFunction<void(nio::Result<bool> known)> answer) = 0;
    // How long what shows a token waits before it is checked: guessing is slowed down. Absent: it
    // is refused without a check.
    virtual std::optional<std::chrono::milliseconds> loginDelay(const nio::SocketAddress&) {
        return std::chrono::milliseconds(0);
    }
    virtual void tokenRefused(const nio::SocketAddress&) {}
    using Lines = std::vector<std::string>;
    virtual void explain(const ExplainRequest& request, nio::SelectorThread& asker,
                         nio::UniqueFunction<void(nio::Result<Lines> lines)> answer) = 0;
};

}  // namespace router
