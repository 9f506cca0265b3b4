// The server of a load: echoes, closes, resets, falls silent, refuses, as its scenario says.
//
// Thread: the one of the run.
#pragma once

#include <list>

#include "simulation/load/LoadScenario.h"
#include "simulation/threads/Scheduler.h"

namespace simulation {

class ServerPeer final : public Actor {
  public:
    ServerPeer(const LoadScenario& scenario, Machine& machine);

    void step(bool eager) override;
    std::optional<nio::TimePoint> wakesAt() const override;
    std::string toString() const override;

    // Its `dialled` are all connections that there were.
    const Listener& listener() const { return listener_; }

  private:
    struct Link {
        std::shared_ptr<Connection> connection;
        Treatment treatment = Treatment::echo;
        nio::TimePoint actsAt{};                        // not before
        nio::TimePoint endsAt = nio::TimePoint::max();  // the latest
        std::size_t budget = SIZE_MAX;                  // it ends after so many octets
        nio::Bytes out{};
        bool clientFinished = false;
        bool isOver = false;
    };

    void follow(const Outage* outage);
    const Outage* outageNow() const;
    void accept();
    Link welcome(std::shared_ptr<Connection> connection);
    Treatment drawTreatment();
    void step(Link& link, bool eager);
    void echo(Link& link, bool eager);
    void read(Link& link, std::size_t most);
    void write(Link& link, std::size_t most);
    void end(Link& link);
    nio::TimePoint soon();

    const LoadScenario& scenario_;
    Machine& machine_;
    const nio::TimePoint began_;
    Random random_;
    Listener& listener_;
    std::size_t accepted_ = 0;
    const Outage* outage_ = nullptr;
    std::list<Link> links_;
};

}  // namespace simulation
