// How many octets the value of each optional parameter may take. Private to this room.
//
// As in the specification, but as 5.0 has it where that is wider (ms_validity,
// alert_on_message_delivery), and 1 or 2 octets for both telematics ids, which are easily mistaken
// for one another. Any length is right for a tag without a name.
//
// Thread: any.
// Source: SMPP 3.4, 5.3.2; SMPP 5.0, 4.8.4.
#pragma once

#include <cstddef>

#include <smpp/pdu/Tag.h>

namespace smpp {

// What the length of an optional parameter can say.
inline constexpr std::size_t longestTlv = 0xFFFF;

bool lengthFits(Tag tag, std::size_t octets);

}  // namespace smpp
