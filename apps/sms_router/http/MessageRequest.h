// A message as an application sends it by HTTP, and the submit_sm that carry it.
//
//     {"from": "Shop", "to": "+41791234567", "text": "Your code is 1234", "receipt": true}
//
// Thread: any; pure.
// Source: docs/http-api.md; SMPP 3.4, 4.4 (submit_sm) and 7.1.1 (times).
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <smpp/text/Segments.h>

#include "sms_router/http/Problem.h"
#include "sms_router/model/SourceAddress.h"

namespace router {

struct MessageRequest {
    static constexpr std::size_t most = 1000;  // of one HTTP request

    SourceAddress from;
    SourceAddress to;
    std::string serviceType;
    std::string schedule;  // as SMPP writes it, as is the next
    std::string validity;
    std::uint8_t priority = 0;
    std::uint8_t registeredDelivery = 0;
    smpp::Segments segments;
    // Where its receipt goes, a JSON object as text; empty: as the account's receipts.
    std::string callback;

    // Of one part.
    nio::Bytes submitSm(const smpp::Segment& part, std::uint32_t sequence) const;
};

// `reference`: of the parts of a long message. The detail of a problem names the member.
std::variant<MessageRequest, Problem> messageRequestOf(const nlohmann::json& json,
                                                       std::uint16_t reference);

// A relative time, as SMPP writes it: days, hours, minutes, seconds. At most 99 days.
std::string relativeTime(std::int64_t seconds);

// "+41791234567" is international, other digits are a number of an unknown kind, the rest is a name
// ("Shop").
SourceAddress addressOf(std::string_view text);

// By the names of the API: "gsm", "ucs2"; one, or several in the order of preference. Throws
// Problem.
std::vector<smpp::Alphabet> alphabetsNamed(const std::vector<std::string>& names);
std::string_view nameOf(smpp::Alphabet alphabet);

}  // namespace router
