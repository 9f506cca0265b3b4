// A message that was sent by HTTP: what the store remembers of it, and what its application sees.
//
// Thread: any; values.
// Source: docs/http-api.md.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include <smpp/text/Receipt.h>

#include "sms_router/http/MessageRequest.h"
#include "sms_router/model/MessageId.h"
#include "sms_router/store/Store.h"

namespace router {

struct SentMessage {
    MessageId id = 0;
    std::int64_t time = 0;  // seconds since 1970
    SourceAddress from{};
    SourceAddress to{};
    std::string encoding{};
    std::vector<std::string> ids{};  // of its parts
    std::string callback{};          // as MessageRequest has it
    std::string events{};            // as the store has them

    // What came of its receipts: failed as soon as one part has, delivered once all are.
    smpp::MessageState state() const;
    // Of its ids.
    std::vector<std::string> notCancelled() const;
};

SentRecord recordOf(const SentMessage& message, const std::string& account);
SentMessage sentMessageFrom(const SentRecord& record);

// {"id", "state", "from", "to", "encoding", "parts", "history": [{"at", "event", …}]}
nlohmann::ordered_json jsonOf(const SentMessage& message, smpp::MessageState state);

}  // namespace router
