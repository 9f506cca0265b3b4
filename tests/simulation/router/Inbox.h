// What is delivered by one connection of an ESME: it is checked, counted, and acknowledged, now or
// later, or refused for now.
//
// Thread: the one of the run.
#pragma once

#include <smpp/pdu/Pdu.h>

#include "simulation/router/Ledger.h"
#include "simulation/router/SmppWire.h"

namespace simulation {

class Inbox {
  public:
    using Fail = std::function<void(const std::string& what)>;

    Inbox(std::size_t account, Ledger& ledger, Random& random, Fail fail);

    void deliveryArrived(const smpp::Pdu& request, SmppWire& wire);
    void alertArrived(const smpp::Pdu& alert);
    void acknowledgeDue(SmppWire& wire);
    std::optional<nio::TimePoint> wakesAt() const;
    // Long enough for what comes again, though it should not.
    bool hasWaited() const;
    std::size_t deliveries() const { return deliveries_; }
    // The connection is over; there may be another.
    void clear();

  private:
    struct Acknowledgement {
        nio::TimePoint at{};
        nio::Bytes pdu;
    };

    bool acknowledgeLater(nio::Bytes pdu);
    void receiptArrived(SentMessage& message, const std::string& body, bool late);
    void originalArrived(std::string_view name, const std::string& body, bool late);
    bool isTooMany(const std::string& name, bool late);

    const std::size_t account_;
    Ledger& ledger_;
    Random& random_;
    const Fail fail_;
    std::map<std::string, std::size_t, std::less<>> copies_;  // by their names
    std::size_t deliveries_ = 0;
    std::vector<Acknowledgement> owed_;
    nio::TimePoint staysUntil_{};
};

}  // namespace simulation
