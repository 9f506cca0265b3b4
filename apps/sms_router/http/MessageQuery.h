// A request about one message: its state, or that it be cancelled. What the store remembers of it
// is looked up first; a message that was not sent by HTTP is the SMSC's alone to know.
//
// Thread: the dispatcher's own.
// Lifetime: its own: it ends with the last answer.
#pragma once

#include <memory>
#include <optional>

#include "common/http/HttpResponder.h"
#include "sms_router/http/HttpSubmits.h"
#include "sms_router/http/Problem.h"
#include "sms_router/http/SentMessage.h"

namespace router {

class MessageQuery {
  public:
    using Shared = std::shared_ptr<MessageQuery>;
    // `then` is askNow or cancelNow. `account`: its index in the configuration.
    static void beginNow(const apps::HttpRequest& request, HttpSubmits& submits,
                         std::size_t account, apps::HttpResponder to, void (*then)(const Shared&))
        NIO_REQUIRES(nio::onDispatcher);

    // Answers with the state and the history.
    static void askNow(const Shared& query);
    // Cancels all parts that were not cancelled before.
    static void cancelNow(const Shared& query);

    MessageQuery(const apps::HttpRequest& request, HttpSubmits& submits, std::size_t account,
                 apps::HttpResponder to);

  private:
    void stateAnswered(smpp::Status status, const smpp::Pdu* answer);
    void partCancelled(const std::string& id, smpp::Status status);
    void answerCancelled();

    HttpSubmits& submits_;
    std::size_t account_;
    const std::string id_;
    // Without a record: as far as the request says.
    SentMessage message_;
    bool isRemembered_ = false;
    std::size_t waits_ = 0;  // parts that are being cancelled
    std::optional<Problem> problem_;
    std::vector<std::string> notCancelled_;  // parts
    apps::HttpResponder to_;
};

}  // namespace router
