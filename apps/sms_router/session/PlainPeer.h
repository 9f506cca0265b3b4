// For peers that speak SMPP 3.3: PDUs without optional parameters, and without data_sm. A text in
// message_payload becomes the short_message, if it has no more than 254 octets.
//
// Whole PDUs. What cannot be read stays as it is.
//
// Thread: any.
// Source: SMPP 3.4, 3.4 (compatibility): a 3.3 peer is sent no optional parameters.
#pragma once

#include <optional>

#include <nio/base/Bytes.h>

namespace router {

// One that has what matters in its parameters alone, a longer text or a receipt's, stays as it is:
// a peer that does not know them loses no more than one that is not sent them.
nio::Bytes withoutTlvs(nio::ByteView pdu);

// To an SMSC. Nothing: a submit_sm or submit_multi with a longer text.
std::optional<nio::Bytes> plainSubmission(nio::ByteView pdu);

// To an ESME: a data_sm becomes a deliver_sm. Nothing: its text or one of its addresses is too long
// for that.
std::optional<nio::Bytes> plainDelivery(nio::ByteView pdu);

}  // namespace router
