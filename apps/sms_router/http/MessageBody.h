// The body of POST /v1/messages: one message, or {"messages": […]}.
//
// Thread: one at a time.
// Source: docs/http-api.md; RFC 8259 (JSON).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <variant>

#include "sms_router/http/MessageRequest.h"

namespace router {

class MessageBody {
  public:
    MessageBody();
    ~MessageBody();

    // Forgets what it has read before, and keeps its memory for the next. Throws Problem: it is not
    // JSON, or has no messages, or too many.
    void read(std::string_view json);

    // Not in an array.
    bool isOne() const;
    std::size_t size() const;
    std::variant<MessageRequest, Problem> messageAt(std::size_t index,
                                                    std::uint16_t reference) const;

  private:
    struct Parsed;

    std::unique_ptr<Parsed> parsed_;
};

}  // namespace router
