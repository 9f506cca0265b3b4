// A bind of an account that submits as fast as its window allows, and writes into the ledger what
// it is told and given. Sometimes it does not acknowledge what it gets: then it has not got it.
//
// Thread: one at a time. Lifetime: the ledger and the generator outlive it.
#pragma once

#include <map>
#include <random>
#include <string>

#include "apps/sms_router/durability/Ledger.h"
#include "apps/sms_router/durability/Wire.h"

namespace router::scenarios {

class LoadEsme {
  public:
    LoadEsme(const nio::SocketAddress& router, const std::string& account, Command kind,
             std::mt19937& random, Ledger& ledger);

    pollfd interest() const { return wire_.interest(); }
    // False: the connection is over.
    bool pump();
    bool isBound() const { return bound_; }
    // Submits from now on; until then everything is acknowledged.
    void submit() { submitting_ = true; }
    std::size_t answered() const { return answered_; }

  private:
    void arrived(const OwnedPdu& pdu);
    void answered(const OwnedPdu& pdu);
    void delivered(const OwnedPdu& pdu);
    void submitMore();

    const std::string account_;
    std::mt19937& random_;
    Ledger& ledger_;
    Wire wire_;
    bool bound_ = false;
    bool submitting_ = false;
    std::uint32_t sequence_ = 0;
    std::map<std::uint32_t, std::string> unanswered_;
    std::size_t answered_ = 0;
    int unacknowledged_ = 0;
};

}  // namespace router::scenarios
