// What the doors of other gateways make of parameters.
//
// Thread: one at a time.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "apps/sms_router/scenarios/Pdus.h"
#include "sms_router/http/Callback.h"
#include "sms_router/http/FormDoor.h"

namespace router::doortesting {

inline std::vector<MessageRequest> allOf(const FormDoor& door, const std::string& query) {
    apps::HttpRequest request;
    request.query = query;
    return door.messagesOf(door.fieldsOf(request), 0x0102);
}
// Of what must be right.
inline MessageRequest oneOf(const FormDoor& door, const std::string& query) {
    try {
        return allOf(door, query).front();
    } catch (const Problem& problem) {
        ADD_FAILURE() << query << "\n" << problem.detail;
        return {};
    }
}
inline scenarios::OwnedPdu pduOf(const FormDoor& door, const std::string& query) {
    const MessageRequest message = oneOf(door, query);
    EXPECT_EQ(message.segments.parts.size(), 1u) << query;
    return scenarios::OwnedPdu(message.submitSm(message.segments.parts.front(), 1));
}
// "STATUS BODY" of the answer to what is wrong.
inline std::string textOf(const apps::HttpResponse& answer) {
    return std::to_string(answer.status) + " " + answer.body;
}
inline std::string refusalOf(const FormDoor& door, const std::string& query) {
    try {
        allOf(door, query);
    } catch (const Problem& problem) {
        return textOf(door.refusalOf(problem));
    }
    return "(nothing)";
}

}  // namespace router::doortesting
