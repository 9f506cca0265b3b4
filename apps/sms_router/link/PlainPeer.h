// For peers that speak SMPP 3.3: a PDU without its optional parameters.
//
// Thread: any.
// Source: SMPP 3.4, 3.4 (compatibility): a 3.3 peer is sent no optional parameters.
#pragma once

#include <nio/base/Bytes.h>

namespace router {

// A whole PDU. One that carries its text in message_payload stays as it is: a peer that does not
// know the parameter loses no more than one that is not sent it.
nio::Bytes withoutTlvs(nio::ByteView pdu);

}  // namespace router
