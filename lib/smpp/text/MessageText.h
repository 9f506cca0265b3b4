// The text of a message, as it is or escaped for a line of a log.
//
// Thread: any; pure.
// Source: SMPP 3.4, 5.2.19 (data_coding); 3GPP TS 23.038, 4; 3GPP TS 23.040, 9.2.3.24.15 (national
// single shift).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <smpp/pdu/Pdu.h>
#include <smpp/text/Alphabets.h>

namespace smpp {

Alphabet alphabetOf(std::uint8_t dataCoding);

// The user data without its header, in the national single shift table that the header names, as
// UTF-8. Nothing: it is no text.
std::optional<std::string> plainText(const Pdu& pdu);

// The user data without its header, in the national single shift table that the header names, as
// UTF-8 on one line: what cannot be printed, and the backslash, are escaped ("\n", "\\", "\x07",
// "\u202e"). ASCII and binary data show octets over 126 as "\xNN". Beyond the maximum the rest is
// replaced by "…".
std::string messageText(const Pdu& pdu, std::size_t maximumOctets = 2048);

// The same escaping for any UTF-8.
std::string escaped(std::string_view utf8);

}  // namespace smpp
