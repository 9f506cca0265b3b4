// A message that nobody has sent: which way would it take?
//
// Thread: any; a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nio/base/Result.h>

#include "sms_router/routing/Router.h"

namespace router {

struct ExplainRequest {
    std::string account;
    // That it comes from, as a message of an SMSC; with it, who sends it, its service_type and its
    // data_coding mean nothing.
    std::string connector;
    std::string source;
    std::string destination;
    std::string serviceType;
    std::uint8_t dataCoding = 0;

    // Sent now. They look into the request.
    MessageFacts facts() const;
};

// As it is written in PDUs' descriptions: 8, 0xF5. Errors: invalid_argument; the context is a
// sentence that quotes the text.
nio::Result<std::uint8_t> parseDataCoding(std::string_view text);

}  // namespace router
