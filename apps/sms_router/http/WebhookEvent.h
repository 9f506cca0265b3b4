// A receipt or a message from an SMSC, as JSON for a webhook.
//
//     {"event": "receipt", "delivery": "17", "id": "0016B0…", "state": "delivered",
//      "error": "000", "done_date": "2411281405", "from": "Shop", "to": "41791234567"}
//     {"event": "message", "delivery": "18", "from": "41791234567", "to": "1234", "text": "STOP"}
//
// Thread: any; pure.
// Source: docs/http-api.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <smpp/pdu/Pdu.h>
#include <smpp/text/Receipt.h>

namespace router {

// "delivered", "undeliverable"; of a state that SMPP does not name "unknown".
std::string_view wordFor(smpp::MessageState state);

// `delivery`: the number by which a repetition is known. A receipt has the addresses of its
// message. Nothing: there is nothing to tell (alert_notification).
std::optional<std::string> webhookEvent(const smpp::Pdu& pdu, std::uint64_t delivery);

// "t=SECONDS,v1=HEX": the HMAC-SHA-256 of "SECONDS.BODY".
std::string webhookSignature(std::string_view secret, std::int64_t seconds, std::string_view body);

}  // namespace router
