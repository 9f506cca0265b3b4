// A text, or octets, as the short messages that carry it. What is too long for one message is split
// into parts, each of which says which part of which message it is.
//
//     const auto segments = smpp::segmentsOf(
//         text, {Alphabet::gsm, Alphabet::gsmTurkish, Alphabet::ucs2}, Marking::header8,
//         reference);
//     if (!segments) return refuse(segments.error().context());
//
// Thread: any; pure.
// Source: 3GPP TS 23.038, 6.2.1 and 6.2.3; 3GPP TS 23.040, 9.2.3.24, 9.2.3.24.1 and 9.2.3.24.8
// (concatenation), 9.2.3.24.15 (national single shift); SMPP 3.4, 5.3.2.22 to 5.3.2.24 (sar_*).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <nio/base/Bytes.h>
#include <nio/base/Result.h>
#include <smpp/text/Alphabets.h>
#include <smpp/text/UserDataHeader.h>

namespace smpp {

// Where the parts of a long message say which they are.
// header8, header16: in an element of the user data header, with a reference of 8 or 16 bits.
// sar: in the sar_* parameters of the PDU. SMPP names no size for such a part. GSM knows parts by
// their header only (23.040, 9.2.3.24.1), so an SMSC of GSM must write one: a part has the same
// room as with header8.
enum class Marking { header8, header16, sar };

struct Segment {
    nio::Bytes message;  // the short_message; up to 140 octets, GSM up to 160, a septet in each
    std::optional<Concatenation> sar;  // sar_msg_ref_num, sar_total_segments, sar_segment_seqnum
};

// Units: septets of GSM, UTF-16 units of UCS2, octets otherwise. Headers are not counted.
struct Segments {
    Alphabet alphabet = Alphabet::gsm;
    std::uint8_t dataCoding = 0;
    bool haveHeader = false;     // each part begins with a header: esm_class needs its UDHI bit
    std::vector<Segment> parts;  // 1 to 255
    std::size_t characters = 0;
    std::size_t units = 0;
    std::size_t left = 0;  // units that still fit before another part begins
};

// In the first of the alphabets that has all characters of the text. An escape sequence or a
// surrogate pair is never divided. `reference` is the same in all parts of a message, and another
// one in the next message from the same sender to the same receiver; header8 takes its low octet.
// Time: linear in the text, for each alphabet.
// Errors: those of encoded(), of the last alphabet; std::errc::message_size: more than 255 parts;
// std::errc::invalid_argument: no alphabet.
nio::Result<Segments> segmentsOf(std::string_view utf8, const std::vector<Alphabet>& alphabets,
                                 Marking marking, std::uint16_t reference);

// Octets of that data_coding. Of 0 an escape sequence is not divided, of 8 neither a pair of octets
// nor of surrogates, unless the header leaves no room for them. A user data header that is not
// empty, its length octet first, begins each message; the concatenation of parts is added to it.
// Errors: std::errc::invalid_argument: the length octet or an element contradicts the size of the
// header, or parts are necessary and the header has concatenation already; std::errc::message_size:
// more than 255 parts, or the header leaves no room.
nio::Result<Segments> binarySegmentsOf(nio::ByteView octets, nio::ByteView header, Marking marking,
                                       std::uint16_t reference, std::uint8_t dataCoding = 4);

}  // namespace smpp
