// A record of the access log with every field set.
#pragma once

#include <string>

#include "sms_router/model/MessageRecord.h"

namespace router {

inline MessageRecord someRecord(const std::string& messageId = "17f00a") {
    MessageRecord record;
    record.time = std::chrono::system_clock::time_point(std::chrono::seconds(1'709'251'199) +
                                                        std::chrono::microseconds(125));
    record.account = "esme1";
    record.connector = "north";
    record.route = "de";
    record.source = "INFO";
    record.destination = "491701234567";
    record.messageId = messageId;
    record.smscMessageId = "99";
    record.took = std::chrono::microseconds(730);
    record.octets = 42;
    record.dataCoding = 8;
    return record;
}

}  // namespace router
