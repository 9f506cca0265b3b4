// Somebody who sends messages through the router: binds, submits, takes deliveries, unbinds. It
// checks that each message is answered once, and as its SMSC has answered it.
//
// Thread: the one of the run.
#pragma once

#include "simulation/router/Inbox.h"

namespace simulation {

class EsmePeer final : public Actor {
  public:
    EsmePeer(std::size_t index, Ledger& ledger);

    void step(bool eager) override;
    std::optional<nio::TimePoint> wakesAt() const override;
    std::string toString() const override;
    bool isDone() const { return state_ == State::done; }
    std::size_t index() const { return index_; }

  private:
    enum class State { away, binding, bound, unbinding, done };

    void connect();
    void arrived(const nio::Bytes& octets);
    void answered(const smpp::Pdu& answer);
    void bindAnswered(smpp::Status status);
    void bindRefused(smpp::Status status);
    void checkStatus(const SentMessage& message, const smpp::Pdu& answer);
    void accepted(SentMessage& message, const smpp::Pdu& answer);
    void toldToUnbind(const smpp::Pdu& request);
    void submit();
    void abandonOpen();
    bool hasAll() const;
    void goOn(bool eager);
    void goEarly();
    void unbind();
    void unbindAnswered();
    void lost();
    void comeBack();
    std::uint8_t version() const { return ledger_.scenario.versions[index_]; }
    bool mayLackAccount() const { return ledger_.mayLackAccount(index_, since_); }
    void leave(bool reset);
    void fail(const std::string& what) { ledger_.fail(toString() + " " + what); }

    const std::size_t index_;
    Ledger& ledger_;
    Random random_;
    Inbox inbox_;
    State state_ = State::away;
    std::optional<SmppWire> wire_;
    std::vector<SentMessage*> sent_;  // by their sequence number, which begins with 2
    std::size_t answers_ = 0;
    std::size_t goesAfter_ = SIZE_MAX;  // answers
    smpp::Status bindRefusal_{};        // what its bind is to be answered with
    bool wasUnbound_ = false;
    bool comesBack_ = false;  // when this connection is over: its account may be there again
    std::size_t tries_ = 0;
    std::size_t since_ = 0;  // the edition in force when it connected
    std::optional<nio::TimePoint> wakesAt_;
};

}  // namespace simulation
