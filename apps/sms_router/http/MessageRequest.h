// A message as an application sends it by HTTP, and the submit_sm that carry it.
//
//     {"from": "Shop", "to": "+41791234567", "text": "Your code is 1234", "receipt": true}
//
// Thread: any; values.
// Source: docs/http-api.md; SMPP 3.4, 4.4 (submit_sm) and 7.1.1 (times).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <smpp/text/Segments.h>

#include "sms_router/http/Problem.h"
#include "sms_router/model/SourceAddress.h"

namespace router {

// The members of a message, in the order of memberNames.
enum class Member : std::uint8_t {
    from,
    fromTon,
    fromNpi,
    to,
    toTon,
    toNpi,
    text,
    encoding,
    data,
    udh,
    concatenation,
    dataCoding,
    serviceType,
    sendAt,
    validity,
    receipt,
    priority,
    webhook
};
constexpr std::array<std::string_view, 18> memberNames{
    "from",         "from_ton", "from_npi", "to",      "to_ton",        "to_npi",
    "text",         "encoding", "data",     "udh",     "concatenation", "data_coding",
    "service_type", "send_at",  "validity", "receipt", "priority",      "webhook"};

// What a message has of these.
class MessageMembers {
  public:
    // Of a kind that no member has: a number with a fraction, an object.
    struct Unfit {};
    using Value = std::variant<std::monostate, bool, std::int64_t, std::string,
                               std::vector<std::string>, Unfit>;

    // The last one counts.
    void set(Member member, Value value) { values_[at(member)] = std::move(value); }

    bool has(Member member) const { return value(member).index() != 0; }
    const Value& value(Member member) const { return values_[at(member)]; }
    // These throw Problem where the value is of another kind, or not in the range. Absent: empty.
    std::string_view text(Member member) const;
    // Several, or one.
    std::vector<std::string> texts(Member member) const;
    std::int64_t number(Member member, std::int64_t least, std::int64_t most,
                        std::int64_t otherwise) const;

  private:
    static constexpr std::size_t at(Member member) { return static_cast<std::size_t>(member); }

    std::array<Value, memberNames.size()> values_{};
};
// Throws Problem: there is no such member.
Member memberNamed(std::string_view name);

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
    // Cuts it again, with another marking; empty: it has one part, or says its marking itself.
    std::function<nio::Result<smpp::Segments>(smpp::Marking)> cutAs;
    // Where its receipt goes, a JSON object as text; empty: as the account's receipts.
    std::string callback;

    // Of one part.
    nio::Bytes submitSm(const smpp::Segment& part, std::uint32_t sequence) const;
};

// `reference`: of the parts of a long message. The detail of a problem names the member.
std::variant<MessageRequest, Problem> messageRequestOf(const MessageMembers& members,
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
