// A receipt as an SMSC sends it, in one of the forms that are in use, and as its ESME is to get it.
//
// Thread: a value.
#pragma once

#include <string_view>

#include <nio/base/Bytes.h>
#include <nio/sys/Clock.h>

#include "simulation/Random.h"

namespace simulation {

struct ReceiptForm;
struct SentMessage;

struct SentReceipt {
    enum class Coding : std::uint8_t { octets, ucs2, ucs2LittleEndian };

    SentReceipt(SentMessage& about, std::size_t ofMeaning, bool odd, Random& random);

    nio::Bytes sent(std::uint32_t sequence) const { return pdu(sequence, true); }
    nio::Bytes expected() const { return pdu(0, false); }

    // Without one the router knows no repetition of it.
    bool hasState() const;

    SentMessage& message;
    std::size_t meaning;  // those of one message have others
    bool isOdd;
    const ReceiptForm* form;
    Coding coding = Coding::octets;
    std::size_t idParameter = 0;
    bool isMarked = true;
    Random oddity;             // decides what else is odd
    std::size_t open = 0;      // the SMSC does not know yet what became of so many
    bool accepted = false;     // the router has said so
    nio::TimePoint sentAt{};   // last
    std::size_t received = 0;  // by the ESME
    bool late = false;         // its acknowledgement of one of them

  private:
    nio::Bytes pdu(std::uint32_t sequence, bool asSent) const;
    std::string textWith(std::string_view id, bool asSent) const;
};

}  // namespace simulation
