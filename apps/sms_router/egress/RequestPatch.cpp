#include "sms_router/egress/RequestPatch.h"

#include <smpp/pdu/PduPatch.h>

namespace router {

using smpp::Command;
using smpp::Field;

namespace {

bool clearDestination(smpp::PduPatch& patch) {
    return patch.number(Field::destinationTon, 0) && patch.number(Field::destinationNpi, 0) &&
           patch.text(Field::destinationAddress, "");
}

}  // namespace

// A destination that the SMSC does not know says nothing: with an id none need be given (SMPP 3.4,
// 4.9.1).
bool nameToSmsc(Submission& submission, const IdEntry& entry) {
    // Without an id a cancel_sm would be about all messages from its source to its destination.
    if (entry.smscId.empty()) return false;
    const smpp::Scanned scanned = smpp::scan(submission.pdu, smpp::Reading::tolerant);
    smpp::PduPatch patch(*scanned.pdu);
    // As it came, even if it is longer than its field may be.
    const std::string idOctets = entry.smscId + '\0';
    const std::size_t size = scanned.pdu->sizeOf(Field::messageId);
    const std::size_t offset = scanned.pdu->offsetOf(Field::messageId);
    if (!patch.octets(offset, size, nio::asBytes(idOctets))) return false;
    if (!setSource(patch, entry.source)) return false;
    if (entry.otherDestination && scanned.pdu->command() == Command::cancelSm) {
        if (!clearDestination(patch)) return false;
    }
    submission.pdu = patch.bytes();
    return true;
}

}  // namespace router
