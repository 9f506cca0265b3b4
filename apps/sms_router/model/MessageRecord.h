// What became of one message: a line of the access log (CDR).
//
// Thread: any; a value.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include <smpp/pdu/Status.h>

namespace router {

struct MessageRecord {
    enum class Kind { submit, receipt, mo, alert };

    Kind kind = Kind::submit;
    std::chrono::system_clock::time_point time{};  // when it arrived
    std::string account;
    std::string connector;
    std::string route;
    std::string source;
    std::string destination;
    std::string messageId;  // ours
    std::string smscMessageId;
    smpp::Status status = smpp::Status::ok;
    std::string_view outcome = "accepted";  // a literal: accepted, refused, lost, delivered,
                                            // expired, dropped, unmatched, duplicate
    std::chrono::microseconds took{0};
    std::uint32_t octets = 0;  // of the user data
    std::uint8_t dataCoding = 0;
};

}  // namespace router
