// The webhook of an account: takes what the router posts, refuses it, is late with its answer,
// answers in pieces, a part or nothing, or goes away. It checks that each post is signed, that none
// comes again once it was taken, and that a good one does not wait for others.
//
// Thread: the one of the run.
#pragma once

#include <list>
#include <nlohmann/json_fwd.hpp>

#include "simulation/router/HttpWire.h"
#include "simulation/router/Ledger.h"

namespace simulation {

class HookPeer final : public Actor {
  public:
    HookPeer(std::size_t account, Ledger& ledger);

    void step(bool eager) override;
    std::optional<nio::TimePoint> wakesAt() const override;
    std::string toString() const override;
    bool isDone() const {
        return links_.empty() && (listener_ == nullptr || listener_->waiting.empty());
    }

  private:
    enum class Mood { takes, takesAndGoes, isSlow, refuses, isTooLate, isSilent, stops, resets };
    struct Link {
        std::shared_ptr<Connection> connection;
        HttpWire wire;
        std::string answer{};
        std::optional<nio::TimePoint> answersAt{};
        bool goes = false;  // once that is sent
    };

    void step(Link& link, bool eager);
    void arrived(Link& link, const HttpText& post);
    void checkSignature(const HttpText& post);
    void receiptArrived(const nlohmann::json& event, bool isTaken);
    void originalArrived(const nlohmann::json& event, bool isTaken);
    void checkPatience(const std::string& to);
    Mood drawMood();
    void answer(Link& link, Mood mood);
    void fail(const std::string& what) { ledger_.fail(toString() + " " + what); }

    const std::size_t account_;
    Ledger& ledger_;
    Random random_;
    const RouterScenario::Hook kind_;
    Listener* const listener_;  // null: nothing listens
    std::list<Link> links_;
    std::size_t moods_;                                         // that are left
    std::map<std::string, std::shared_ptr<Connection>> taken_;  // by which, by delivery
    std::size_t posts_ = 0;
};

}  // namespace simulation
