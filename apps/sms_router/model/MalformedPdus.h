// The malformed PDUs of one account or connector: counted by what is wrong, and logged, one line a
// second at most. So are those that are well-formed and out of place: "unexpected submit_sm".
//
//     connector 'smsc': malformed deliver_sm from 10.1.2.3:2775: ESME_RINVPARLEN; first 64 of 123
//     octets: 0000007b00000005...
//
// The body of a bind or an outbind is never logged: it may hold a password.
//
// Thread: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include <nio/base/Bytes.h>
#include <nio/sys/LogLimiter.h>

#include <smpp/pdu/Status.h>

#include "sms_router/model/LastError.h"

namespace router {

class MalformedPdus {
  public:
    using Counts = std::map<smpp::Status, std::uint64_t>;
    static constexpr std::size_t mostOctets = 64;

    // `whose` begins the line: "connector 'smsc'". Of a peer that has not bound, the octets are
    // left out: they may be a part of a bind.
    void note(std::string_view whose, std::string_view peer, bool isBound, smpp::Status problem,
              nio::ByteView octets);
    const Counts& counts() const { return counts_; }
    // "malformed deliver_sm from 10.1.2.3:2775: ESME_RINVPARLEN"
    const LastError& last() const { return last_; }

    static std::string line(std::string_view whose, std::string_view peer, bool isBound,
                            smpp::Status problem, nio::ByteView octets);

  private:
    Counts counts_;
    LastError last_;
    nio::LogLimiter limit_;
};

}  // namespace router
