// One line of the access log, a JSON object with a newline at its end:
//
//     {"time":"2024-05-06T07:08:09.000125Z","kind":"submit","account":"esme1","connector":"north",
//      "route":"de","source":"INFO","destination":"491701234567","message_id":"17f00a",
//      "smsc_message_id":"99","status":"ESME_ROK","outcome":"accepted","took_us":730,"octets":42,
//      "data_coding":0}
//
// (here broken). Text that is empty is left out.
//
// Thread: any.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "sms_router/model/MessageRecord.h"

namespace router {

void appendRecordLine(std::string& out, const MessageRecord& record, bool maskAddresses);

// {"time":…,"kind":"dropped","count":…}: so many records are missing here.
void appendDroppedLine(std::string& out, std::chrono::system_clock::time_point time,
                       std::uint64_t count);

// Every digit but the last three becomes an x; what is no digit stays.
std::string maskedAddress(std::string_view address);

// JSON text, in quotes. Bytes that are no UTF-8 become U+FFFD.
void appendJsonText(std::string& out, std::string_view text);

// RFC 3339: "2024-02-29T23:59:59.000125Z". UTC, whole microseconds. Years 0 to 9999.
void appendTime(std::string& out, std::chrono::system_clock::time_point time);

}  // namespace router
