// What a webhook is told: a receipt, or a message from a telephone.
//
// Thread: any; a value. Lifetime: as long as the PDU's bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <smpp/pdu/Pdu.h>
#include <smpp/text/Receipt.h>

namespace router {

struct Notice {
    const smpp::Pdu& pdu;
    std::optional<smpp::Receipt> receipt{};
    std::uint64_t delivery = 0;  // the number by which a repetition is known
    std::string account{};       // system_id
    std::string connector{};     // that the message of the receipt was sent by; empty: not known
    std::int64_t time = 0;       // now, in seconds since 1970
};

}  // namespace router
