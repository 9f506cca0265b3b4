// The messages of one POST: all of them go out, and once each is answered the request is.
//
//     one message       202 and its result, or a problem
//     {"messages": […]} 202 where all were accepted, else 207: the results in their order
//
// A message is accepted once every part of it is; of one that is not, what was accepted is in
// "ids".
//
// Thread: the dispatcher's own.
// Lifetime: its own: it ends with the last answer.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "common/http/HttpResponder.h"
#include "sms_router/http/HttpSubmits.h"
#include "sms_router/http/MessageRequest.h"

namespace router {

// The messages of a body: the body itself, or its "messages". Throws Problem.
// Lifetime: that of the body.
std::vector<const nlohmann::json*> messagesOf(const nlohmann::json& body);

class MessageBatch {
  public:
    // Sends what the request says. `account`: its index in the configuration.
    static void sendNow(const apps::HttpRequest& request, HttpSubmits& submits, std::size_t account,
                        apps::HttpResponder to) NIO_REQUIRES(nio::onDispatcher);

    MessageBatch(bool isOne, std::size_t messages, apps::HttpResponder to)
        : isOne_(isOne), results_(messages), to_(std::move(to)), waits_(messages) {}

  private:
    struct Result {
        std::string to{};
        std::string encoding{};
        std::vector<std::string> ids{};  // of its parts
        std::size_t waits = 0;           // parts, for their answers
        std::optional<Problem> problem{};
    };

    static void sendParts(const std::shared_ptr<MessageBatch>& batch, std::size_t index,
                          const MessageRequest& message, HttpSubmits& submits, std::size_t account)
        NIO_REQUIRES(nio::onDispatcher);
    void partAnswered(std::size_t index, std::size_t part, smpp::Status status,
                      const smpp::Pdu* answer);
    void refused(std::size_t index, Problem problem);
    void messageEnded();
    nlohmann::ordered_json jsonOf(const Result& result) const;

    const bool isOne_;
    std::vector<Result> results_;
    apps::HttpResponder to_;
    std::size_t waits_;  // messages
};

}  // namespace router
