#include "sms_router/http/MessageQuery.h"

#include <nlohmann/json.hpp>

#include <smpp/pdu/PduWriter.h>

#include "sms_router/http/WebhookEvent.h"

namespace router {

namespace {

using Json = nlohmann::ordered_json;
using smpp::Status;

void addAddress(smpp::PduWriter& writer, const SourceAddress& address) {
    writer.number(address.ton).number(address.npi).text(address.address);
}

}  // namespace

MessageQuery::MessageQuery(const apps::HttpRequest& request, HttpSubmits& submits,
                           std::size_t account, apps::HttpResponder to)
    : submits_(submits), account_(account), id_(request.pathParameter("id")), to_(std::move(to)) {
    message_.from = addressOf(request.queryParameter("from").value_or(""));
    message_.to = addressOf(request.queryParameter("to").value_or(""));
    message_.ids = {id_};
}

void MessageQuery::beginNow(const apps::HttpRequest& request, HttpSubmits& submits,
                            std::size_t account, apps::HttpResponder to,
                            void (*then)(const Shared&)) {
    const auto query = std::make_shared<MessageQuery>(request, submits, account, std::move(to));
    Shard& shard = submits.shard();
    const std::optional<MessageId> id = messageIdOf(query->id_);
    if (!id) return query->to_.answer(responseOf(problemOf(Status::invMsgId)));
    const std::string& name = shard.config().accounts[account].systemId;
    auto found = [query, then, name](bool isRead, const std::optional<SentRecord>& record) {
        nio::onDispatcher.assertCurrent();
        // The configuration may be another one by now.
        const auto& accounts = query->submits_.shard().config().accountByName;
        const auto still = accounts.find(name);
        if (!isRead || still == accounts.end()) {
            return query->to_.answer(responseOf(Problem{503, "the message cannot be looked up"}));
        }
        query->account_ = still->second;
        if (record && record->account == name) {
            query->message_ = sentMessageFrom(*record);
            query->isRemembered_ = true;
        }
        then(query);
    };
    shard.services().store.findSent(*id, shard.thread(), std::move(found));
}

void MessageQuery::askNow(const Shared& query) {
    nio::onDispatcher.assertCurrent();
    const SentMessage& message = query->message_;
    const smpp::MessageState known = message.state();
    if (query->isRemembered_ && smpp::isFinal(known)) {
        return query->to_.answer(jsonResponse(200, jsonOf(message, known)));
    }
    HttpSubmits& submits = query->submits_;
    smpp::PduWriter writer(smpp::Command::querySm, Status::ok, submits.nextSequence());
    addAddress(writer.text(message.notCancelled().front()), message.from);
    auto answered = [query](Status status, const smpp::Pdu* answer) {
        query->stateAnswered(status, answer);
    };
    submits.takeNow({query->account_, query->to_.connection(), writer.finish()},
                    std::move(answered));
}

void MessageQuery::stateAnswered(Status status, const smpp::Pdu* answer) {
    using smpp::Field;
    const bool isAnswered = status == Status::ok && answer != nullptr;
    if (!isAnswered && !isRemembered_) return to_.answer(responseOf(problemOf(status)));
    const auto state =
        isAnswered ? smpp::MessageState{answer->number(Field::messageState)} : message_.state();
    Json json{{"id", id_}, {"state", wordFor(state)}};
    if (isRemembered_) json = jsonOf(message_, state);
    if (isAnswered && !answer->text(Field::finalDate).empty()) {
        json["final_date"] = answer->text(Field::finalDate);
    }
    if (isAnswered && answer->number(Field::errorCode) != 0) {
        json["error"] = answer->number(Field::errorCode);
    }
    to_.answer(jsonResponse(200, json));
}

void MessageQuery::cancelNow(const Shared& query) {
    nio::onDispatcher.assertCurrent();
    const std::vector<std::string> ids = query->message_.notCancelled();
    if (ids.empty()) return query->answerCancelled();
    HttpSubmits& submits = query->submits_;
    query->waits_ = ids.size();
    for (const std::string& id : ids) {
        smpp::PduWriter writer(smpp::Command::cancelSm, Status::ok, submits.nextSequence());
        addAddress(writer.text("").text(id), query->message_.from);
        addAddress(writer, query->message_.to);
        auto answered = [query, id](Status status, const smpp::Pdu*) {
            query->partCancelled(id, status);
        };
        submits.takeNow({query->account_, query->to_.connection(), writer.finish()},
                        std::move(answered));
    }
}

void MessageQuery::partCancelled(const std::string& id, Status status) {
    if (status != Status::ok) {
        if (!problem_) problem_ = problemOf(status);
        notCancelled_.push_back(id);
    } else if (isRemembered_) {
        const std::string part = std::to_string(messageIdOf(id).value_or(0));
        submits_.shard().services().store.addEvent(
            message_.id, std::to_string(wallSeconds()) + " cancelled 0 " + part,
            submits_.shard().thread());
    }
    if (--waits_ == 0) answerCancelled();
}

void MessageQuery::answerCancelled() {
    if (!problem_) return to_.answer(jsonResponse(200, {{"id", id_}, {"state", "deleted"}}));
    if (notCancelled_.size() == message_.ids.size()) return to_.answer(responseOf(*problem_));
    to_.answer(jsonResponse(
        207, {{"id", id_}, {"not_cancelled", notCancelled_}, {"error", jsonOf(*problem_)}}));
}

}  // namespace router
