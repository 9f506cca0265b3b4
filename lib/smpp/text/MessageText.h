// The text of a message, escaped for a line of a log.
//
// Thread: any; pure.
// Source: SMPP 3.4, 5.2.19 (data_coding); 3GPP TS 23.038, 4.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <smpp/pdu/Pdu.h>

namespace smpp {

enum class Alphabet { gsm, ascii, latin1, ucs2, octets };

// octets: binary, or an alphabet that is not read here.
Alphabet alphabetOf(std::uint8_t dataCoding);

// The user data without its header, as UTF-8 on one line: what cannot be printed, and the
// backslash, are escaped ("\n", "\\", "\x07", "\u202e"). ASCII and binary data show octets over
// 126 as "\xNN". Beyond the maximum the rest is replaced by "…".
std::string messageText(const Pdu& pdu, std::size_t maximumOctets = 2048);

// The same escaping for any UTF-8.
std::string escaped(std::string_view utf8);

}  // namespace smpp
