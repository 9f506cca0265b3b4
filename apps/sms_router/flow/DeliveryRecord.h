// The line of the access log that a PDU of an SMSC begins.
//
// Thread: any; pure.
#pragma once

#include <memory>

#include <smpp/pdu/Pdu.h>

#include "sms_router/records/MessageRecord.h"

namespace router {

std::unique_ptr<MessageRecord> deliveryRecord(const smpp::Pdu& pdu, MessageRecord::Kind kind);

}  // namespace router
