#include "sms_router/routing/ExplainRequest.h"

#include <charconv>

namespace router {

MessageFacts ExplainRequest::facts() const {
    MessageFacts facts;
    facts.account = account;
    facts.source = source;
    facts.destination = destination;
    facts.serviceType = serviceType;
    facts.dataCoding = dataCoding;
    facts.time = std::chrono::system_clock::now();
    return facts;
}

nio::Result<std::uint8_t> parseDataCoding(std::string_view text) {
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    const std::string_view digits = hexadecimal ? text.substr(2) : text;
    std::uint8_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, value, hexadecimal ? 16 : 10);
    if (parsed.ec == std::errc() && parsed.ptr == end) return value;
    return nio::Error(std::errc::invalid_argument,
                      "'" + std::string(text) + "' is out of range: 0 to 255");
}

}  // namespace router
