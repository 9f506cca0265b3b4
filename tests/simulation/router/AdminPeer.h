// Somebody who looks after the router while it works: asks its admin interface one thing after the
// other, reloads among them. It checks that each question is answered, once and as it must be.
//
// Thread: the one of the run.
#pragma once

#include <string>

#include "simulation/router/Ledger.h"
#include "sms_router/config/ConfigReader.h"

namespace simulation {

class AdminPeer final : public Actor {
  public:
    explicit AdminPeer(Ledger& ledger);

    void step(bool eager) override;
    std::optional<nio::TimePoint> wakesAt() const override { return wakesAt_; }
    std::string toString() const override;
    bool isDone() const { return done_; }

    // What the router finds when it reads its configuration again: the next edition, or a mistake.
    router::ConfigReading readConfig();

  private:
    enum class Question { health, metrics, status, explain, reload, stop, start };

    Question drawQuestion();
    std::string requestLine();
    void connect();
    void write(bool eager);
    void read(bool eager);
    void ended();
    void check(int status, std::string_view body);
    void checkReload(int status, std::string_view body);
    bool mayLackSomeConnector() const;
    void next();
    bool isExcused() const;
    void fail(const std::string& what) { ledger_.fail(toString() + " " + what); }

    Ledger& ledger_;
    Random random_;
    std::shared_ptr<Connection> connection_;  // of the question that is under way
    Question question_ = Question::health;
    std::string out_;
    std::string in_;
    std::size_t asked_ = 0;
    std::optional<nio::TimePoint> wakesAt_;
    bool wasWrong_ = false;            // what the router has read last
    std::optional<std::size_t> read_;  // the edition, since it has asked
    bool done_;
};

}  // namespace simulation
