// An application of an account that sends messages by HTTP, each when the one before is answered,
// and writes into the ledger which were accepted. Their receipts come to the account's binds.
//
// Thread: one at a time. Lifetime: the ledger outlives it.
#pragma once

#include <string>

#include "apps/sms_router/durability/Ledger.h"
#include "apps/sms_router/durability/Wire.h"

namespace router::scenarios {

class LoadPoster {
  public:
    // `key`: the account's.
    LoadPoster(const nio::SocketAddress& door, const std::string& account, const std::string& key,
               Ledger& ledger);

    pollfd interest() const { return wire_.interest(); }
    // False: the connection is over.
    bool pump();
    std::size_t answered() const { return answered_; }

  private:
    void post();
    std::size_t take(nio::ByteView unread);

    const std::string account_;
    const std::string key_;
    Ledger& ledger_;
    Wire wire_;
    std::string name_;  // of the message that waits for its answer
    std::size_t answered_ = 0;
};

}  // namespace router::scenarios
