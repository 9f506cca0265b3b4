// The messages of one POST: all of them go out, and once each is answered the request is.
//
//     one message       202 and its result, or a problem
//     {"messages": […]} 202 where all were accepted, else 207: the results in their order
//
// A message is accepted once every part of it is; of one that is not, what was accepted is in
// "ids". What was accepted is in the store before the request is answered.
//
// Thread: the dispatcher's own.
// Lifetime: its own: it ends with the last answer.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "common/http/HttpResponder.h"
#include "sms_router/http/FormDoor.h"
#include "sms_router/http/HttpSubmits.h"
#include "sms_router/http/SentMessage.h"

namespace router {

class MessageBatch {
  public:
    // Sends what the request says. `account`: its index in the configuration.
    static void sendNow(const apps::HttpRequest& request, HttpSubmits& submits, std::size_t account,
                        apps::HttpResponder to, std::optional<Once> once)
        NIO_REQUIRES(nio::onDispatcher);
    // Sends these, and answers as that door does.
    static void sendNow(std::vector<MessageRequest> messages, const FormDoor& door,
                        HttpSubmits& submits, std::size_t account, apps::HttpResponder to)
        NIO_REQUIRES(nio::onDispatcher);

    MessageBatch(bool isOne, std::size_t messages, HttpSubmits& submits, std::string account,
                 apps::HttpResponder to, std::optional<Once> once)
        : isOne_(isOne),
          results_(messages),
          submits_(submits),
          account_(std::move(account)),
          to_(std::move(to)),
          once_(std::move(once)),
          waits_(messages) {}

  private:
    struct Result {
        // Once all parts are answered, its ids are those of the parts that were accepted.
        SentMessage message{};
        std::size_t parts = 0;
        std::size_t waits = 0;  // parts, for their answers
        std::optional<Problem> problem{};

        bool isAccepted() const { return !message.ids.empty(); }  // in part at least
        std::string id() const;                                   // empty: it is not
    };

    static void sendParts(const std::shared_ptr<MessageBatch>& batch, std::size_t index,
                          MessageRequest& message, std::size_t account)
        NIO_REQUIRES(nio::onDispatcher);
    static std::optional<Problem> markParts(const MessageBatch& batch, MessageRequest& message,
                                            MessageId id, std::size_t account)
        NIO_REQUIRES(nio::onDispatcher);
    void partAnswered(std::size_t index, std::size_t part, smpp::Status status,
                      const smpp::Pdu* answer);
    void refused(std::size_t index, Problem problem);
    void leaveParts(Result& result);
    void messageEnded();
    apps::HttpResponse answer() const;
    std::vector<MessageResult> resultsForDoor() const;
    void remember(Result& result);
    static void write(std::string& out, const Result& result);

    const bool isOne_;
    const FormDoor* door_ = nullptr;  // null: the answer is JSON
    std::vector<Result> results_;
    HttpSubmits& submits_;
    const std::string account_;  // system_id
    apps::HttpResponder to_;
    std::optional<Once> once_;
    bool isRemembered_ = false;  // something was accepted
    bool isInDoubt_ = false;     // an SMSC may have accepted something
    std::size_t waits_;          // messages
};

}  // namespace router
