// Which way a message would take, and why, in words: for `sms-router --explain` and the admin
// interface. Nothing is sent, and no turn is taken.
//
//     account "esme1" may send it
//     route "swiss" (line 12): no: destination "4917…" does not match 417*
//     route "rest" (line 20): matches
//     group "world", round robin; tier 1: a (not live), b (live)
//     connector "b": its turn
//     destination becomes "004917…"
//     => connector "b"
//
// The last line has the outcome: "=> connector …" or "=> refused …"; of a message from an SMSC
// "=> account …", "=> no account: refused with …" or "=> no such connector".
//
// Thread: that of the Router.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nio/base/Result.h>

#include "sms_router/routing/Router.h"

namespace router {

// A message to explain.
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

// An account that is unknown, or not permitted to send this, is told; the rules are told all the
// same.
std::vector<std::string> explain(Router& router, const MessageFacts& facts);

// The same, sent now.
std::vector<std::string> explain(Router& router, const ExplainRequest& request);

}  // namespace router
