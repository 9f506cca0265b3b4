// The answer to a request that an SMSC has accepted, and what is remembered of it.
//
// Thread: any; pure.
#pragma once

#include <cstdint>

#include <smpp/pdu/Pdu.h>

#include "sms_router/delivery/IdMap.h"
#include "sms_router/model/MessageId.h"

namespace router {

// The SMSC's answer, octet by octet, with our id and the ESME's sequence number. One without a body
// (some SMSCs leave it out) gets one.
nio::Bytes answerWith(const smpp::Pdu& answer, std::uint32_t sequence, MessageId shown);

// IdRecord::flags.
constexpr std::uint32_t severalDestinationsFlag = 1;
constexpr std::uint32_t wantsReceiptFlag = 2;
constexpr std::uint32_t otherDestinationFlag = 4;
constexpr std::uint32_t partFlag = 8;
constexpr unsigned partsShift = 8;  // of the eight bits of Whole::parts

// What a store before version 3 has of the destination, see AddressMark::ofTail.
constexpr unsigned destinationTailShift = 16;

std::uint32_t flagsOf(const IdEntry& entry);

}  // namespace router
