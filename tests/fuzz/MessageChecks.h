// What must hold of each message that goes out: its parts are submit_sm that are valid and have its
// addresses, times and octets.
#pragma once

#include <algorithm>

#include <smpp/pdu/Pdu.h>

#include "sms_router/http/MessageRequest.h"

#include "fuzz/FuzzTarget.h"

namespace fuzz {

inline void requirePart(const router::MessageRequest& message, const smpp::Segment& part) {
    const nio::Bytes pdu = message.submitSm(part, 7);
    const smpp::Scanned scanned = smpp::scan(pdu);
    require(scanned.pdu.has_value(), "a part is a valid PDU");
    const auto has = [&](smpp::Field field, std::string_view text) {
        return scanned.pdu->text(field) == text;
    };
    require(has(smpp::Field::sourceAddress, message.from.address), "it is from the sender");
    require(has(smpp::Field::destinationAddress, message.to.address), "it is to the receiver");
    require(!message.to.address.empty(), "there is a receiver");
    require(has(smpp::Field::scheduleTime, message.schedule), "it is sent at its time");
    require(has(smpp::Field::validityPeriod, message.validity), "it is valid as long");
    const nio::ByteView octets = scanned.pdu->message();
    require(std::equal(octets.begin(), octets.end(), part.message.begin(), part.message.end()),
            "it has the octets of the part");
}

inline void requireParts(const router::MessageRequest& message) {
    require(!message.segments.parts.empty(), "there is a part");
    for (const smpp::Segment& part : message.segments.parts) requirePart(message, part);
}

}  // namespace fuzz
