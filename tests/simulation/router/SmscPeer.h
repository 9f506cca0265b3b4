// Somebody to whom the router binds: takes messages, answers them in any order and at any time,
// sends receipts. It checks that each message comes once, and as it was sent.
//
// Thread: the one of the run.
#pragma once

#include <list>

#include <smpp/pdu/Pdu.h>

#include "simulation/router/Ledger.h"
#include "simulation/router/SmppWire.h"

namespace simulation {

class SmscPeer final : public Actor {
  public:
    SmscPeer(std::size_t index, Ledger& ledger);

    void step(bool eager) override;
    std::optional<nio::TimePoint> wakesAt() const override;
    std::string toString() const override;
    bool isDone() const { return links_.empty() && listener_.waiting.empty(); }

  private:
    enum class What { answer, receipt, original };
    struct Due {
        nio::TimePoint at;
        What what;
        std::uint32_t sequence = 0;
        SentMessage* message = nullptr;
        SentReceipt* receipt = nullptr;
        std::string text{};  // of a message of its own
    };
    struct Link {
        SmppWire wire;
        bool isBound = false;
        bool carriedMessages = false;
        bool refusedReceipt = false;  // for now: it is about to leave
        bool wasUnbound = false;
        bool unbinds = false;   // it has asked for it
        bool mayLeave = false;  // and that was answered
        bool broken = false;
        std::uint32_t nextSequence = 1;
        std::vector<Due> due{};
        std::map<std::uint32_t, SentReceipt*> receipts{};  // not acknowledged, by sequence number
        std::map<std::uint32_t, OriginatedMessage*> originated{};  // likewise
    };

    void step(Link& link, bool eager);
    void arrived(Link& link, const nio::Bytes& octets);
    void bindArrived(Link& link, std::uint32_t sequence);
    void submitted(Link& link, const smpp::Pdu& request, const nio::Bytes& octets);
    void checkWindows(const Link& link, std::size_t esme);
    void deliveryAnswered(Link& link, const smpp::Pdu& answer);
    void receiptAnswered(Link& link, SentReceipt& receipt, smpp::Status status);
    void originalAnswered(Link& link, OriginatedMessage& message, smpp::Status status);
    void speak(Link& link);
    void say(Link& link, const Due& due);
    void answer(Link& link, const Due& due);
    void refuse(Link& link, const Due& due);
    void drawReceipts(const Link& link, SentMessage& message);
    void giveReceipt(Link& link, SentReceipt& receipt);
    void takeStrays();
    void sendReceipt(Link& link, SentReceipt& receipt);
    void send(Link& link, Place place, const nio::Bytes& pdu) {
        link.wire.send(ledger_.sentBy(random_, place, pdu).sent);
    }
    void later(Link& link, Due due);
    std::string newOriginal();
    void originate(Link& link);
    void sendOriginal(Link& link, const std::string& text);
    void sendAlert(Link& link);
    void unbound(Link& link, const smpp::Pdu& request);
    void unbind(Link& link);
    void unbindAnswered(Link& link);
    bool hasOpen(const Link& link) const;
    void ended(Link& link);
    void fail(const std::string& what) { ledger_.fail(toString() + " " + what); }

    const std::size_t index_;
    Ledger& ledger_;
    Random random_;
    Listener& listener_;
    std::list<Link> links_;
    std::size_t ids_ = 0;
    std::size_t originals_ = 0;
    std::size_t alerts_ = 0;
};

}  // namespace simulation
