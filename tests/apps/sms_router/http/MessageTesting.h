// Messages as an application writes them, and what becomes of them.
//
// Thread: one at a time.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "apps/sms_router/scenarios/Pdus.h"
#include "sms_router/http/MessageBody.h"

namespace router::messagetesting {

inline std::variant<MessageRequest, Problem> firstOf(const std::string& json,
                                                     std::uint16_t reference) {
    MessageBody body;
    body.read(json);
    return body.messageAt(0, reference);
}

// What must be right.
inline MessageRequest written(const std::string& json) {
    auto message = firstOf(json, 0x0102);
    const Problem* problem = std::get_if<Problem>(&message);
    EXPECT_EQ(problem, nullptr) << json << "\n" << (problem ? problem->detail : "");
    return problem ? MessageRequest() : std::get<MessageRequest>(std::move(message));
}
// `members` are those besides "to" and "text".
inline MessageRequest withMembers(const std::string& members) {
    return written(R"({"to": "1", "text": "x", )" + members + "}");
}

// What is wrong with it; "(nothing)".
inline std::string wrongIn(const std::string& json) {
    const auto message = firstOf(json, 1);
    const Problem* problem = std::get_if<Problem>(&message);
    if (problem == nullptr) return "(nothing)";
    EXPECT_EQ(problem->status, 422) << json;
    EXPECT_FALSE(problem->smpp) << json;
    return problem->detail;
}
inline std::string wrongWith(const std::string& members) {
    return wrongIn(R"({"to": "1", "text": "x", )" + members + "}");
}

// Its parts, as they go out.
inline std::vector<scenarios::OwnedPdu> pdusOf(const MessageRequest& message) {
    std::vector<scenarios::OwnedPdu> pdus;
    for (const smpp::Segment& part : message.segments.parts) {
        pdus.emplace_back(message.submitSm(part, static_cast<std::uint32_t>(pdus.size() + 1)));
    }
    return pdus;
}
inline scenarios::OwnedPdu onlyPdu(const MessageRequest& message) {
    EXPECT_EQ(message.segments.parts.size(), 1u);
    return pdusOf(message).front();
}

inline std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump();
}

}  // namespace router::messagetesting
