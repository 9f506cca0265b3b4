// What the body of each command holds: its mandatory fields in their order, and whether optional
// parameters may follow. Private to this room.
//
// Sizes are the specification's, a NUL counted, and more lenient where that harms nobody:
//  - message_id of deliver_sm_resp, which 3.4 leaves empty, may be as long as any other;
//  - schedule_delivery_time and validity_period of deliver_sm, which are empty, may be times;
//  - submit_sm_resp, submit_multi_resp, deliver_sm_resp and replace_sm may have TLVs, as in 5.0.
//
// Thread: any; constants.
// Source: SMPP 3.4, 4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include <smpp/pdu/Command.h>
#include <smpp/pdu/Field.h>
#include <smpp/pdu/Status.h>

namespace smpp {

// A field whose size or number is counted directly follows its count octet.
enum class Kind : std::uint8_t {
    text,  // a C-octet string
    time,  // a C-octet string of 0 or 16 characters: timeSize with its NUL
    integer,
    octetCount,
    octets,
    destinationCount,
    destinations,
    unsuccessCount,
    unsuccess,
};

inline constexpr std::size_t timeSize = 17;

constexpr bool isText(Kind kind) {
    return kind == Kind::text || kind == Kind::time;
}

struct FieldRule {
    Field field = Field::count;
    Kind kind = Kind::integer;
    std::uint8_t maximum = 1;            // octets, of a C-octet string with its NUL
    Status problem = Status::invCmdLen;  // the answer to a C-octet string that breaks its rule
};

struct Layout {
    static constexpr std::size_t maxFields = 18;
    static constexpr std::size_t nowhere = 0xFF;

    bool hasTlvs = false;
    std::uint8_t count = 0;
    // Octets of a C-octet string in a tolerant reading, with the NUL; a message_id may have more.
    std::uint16_t longestText = 65;  // the longest that an address has anywhere
    std::array<FieldRule, maxFields> rules{};
    // Where in `rules` each field is.
    std::array<std::uint8_t, static_cast<std::size_t>(Field::count)> positions{};

    std::size_t positionOf(Field field) const { return positions[static_cast<std::size_t>(field)]; }
};

inline constexpr std::size_t longestId = 1024;  // a message_id's, in a tolerant reading
inline constexpr std::uint8_t maxShortMessage = 254;
inline constexpr std::uint8_t maxDestinations = 254;
inline constexpr std::uint8_t maxAddress = 21;  // octets with the NUL, in submit_multi's lists too

// Null for an unknown command.
const Layout* layoutOf(Command command);

}  // namespace smpp
