// The second connection of an ESME, for deliveries only. It goes when it likes, in good order or
// not, and at the latest with the ESME: what it has not acknowledged goes to that one then.
//
// Thread: the one of the run.
#pragma once

#include "simulation/router/EsmePeer.h"
#include "simulation/router/Inbox.h"

namespace simulation {

class ReceiverPeer final : public Actor {
  public:
    ReceiverPeer(const EsmePeer& esme, Ledger& ledger);

    void step(bool eager) override;
    std::optional<nio::TimePoint> wakesAt() const override { return inbox_.wakesAt(); }
    std::string toString() const override;
    bool isDone() const { return state_ == State::done; }
    // One is left that it will never acknowledge: the router waits for that as long as it may.
    bool leftOneUnread() const { return leftOneUnread_; }

  private:
    enum class State { away, binding, bound, unbinding, done };

    void connect();
    void arrived(const nio::Bytes& octets);
    void deliveryArrived(const smpp::Pdu& request);
    void bindAnswered(smpp::Status status);
    void toldToUnbind(const smpp::Pdu& request);
    void goOn();
    void goEarly();
    void unbind();
    void lost();
    void leave(bool reset);
    bool mayBeSentAway() const;
    void fail(const std::string& what) { ledger_.fail(toString() + " " + what); }

    const EsmePeer& esme_;
    const std::size_t account_;
    Ledger& ledger_;
    Random random_;
    Inbox inbox_;
    State state_ = State::away;
    std::optional<SmppWire> wire_;
    std::size_t goesAfter_ = SIZE_MAX;  // deliveries
    std::size_t since_ = 0;             // the edition in force when it connected
    bool mayGo_ = false;                // it was told so
    bool leftOneUnread_ = false;
};

}  // namespace simulation
