// The answer to a request that an SMSC has accepted, and what is remembered of it.
//
// Thread: any; pure.
#pragma once

#include <cstdint>

#include <smpp/pdu/Pdu.h>

#include "sms_router/flow/MessageId.h"

namespace router {

// The SMSC's answer, octet by octet, with our id and the ESME's sequence number. One without a body
// (some SMSCs leave it out) gets one.
nio::Bytes answerWith(const smpp::Pdu& answer, std::uint32_t sequence, MessageId shown);

// IdRecord::flags.
constexpr std::uint32_t severalDestinationsFlag = 1;
constexpr std::uint32_t wantsReceiptFlag = 2;

constexpr unsigned destinationShift = 16;  // numberMark

constexpr std::uint32_t flagsOf(bool severalDestinations, bool wantsReceipt,
                                std::uint16_t destination) {
    return (severalDestinations ? severalDestinationsFlag : 0) |
           (wantsReceipt ? wantsReceiptFlag : 0) |
           (static_cast<std::uint32_t>(destination) << destinationShift);
}

}  // namespace router
