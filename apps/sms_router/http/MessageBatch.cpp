#include "sms_router/http/MessageBatch.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sms_router/delivery/AccountDesk.h"
#include "sms_router/http/Callback.h"
#include "sms_router/model/Post.h"
#include "sms_router/records/RecordLine.h"

namespace router {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t usualResult = 96;  // octets

// Throws Problem.
void checkType(const apps::HttpRequest& request) {
    if (hasMediaType(request, "application/json") || hasMediaType(request, "")) return;
    throw Problem{415, "the body must be application/json"};
}

}  // namespace

void MessageBatch::sendNow(const apps::HttpRequest& request, HttpSubmits& submits,
                           std::size_t account, apps::HttpResponder to,
                           std::optional<Once> once) try {
    checkType(request);
    MessageBody& body = submits.body();
    body.read(request.body);
    const std::string& name = submits.shard().config().accounts[account].systemId;
    const auto batch = std::make_shared<MessageBatch>(body.isOne(), body.size(), submits, name,
                                                      std::move(to), std::move(once));
    for (std::size_t i = 0; i < body.size(); ++i) {
        auto message = body.messageAt(i, submits.nextReference());
        if (auto* problem = std::get_if<Problem>(&message)) {
            batch->refused(i, std::move(*problem));
        } else {
            sendParts(batch, i, std::get<MessageRequest>(message), account);
        }
    }
} catch (const Problem& problem) {
    to.answer(responseOf(problem));
}

void MessageBatch::sendNow(std::vector<MessageRequest> messages, const FormDoor& door,
                           HttpSubmits& submits, std::size_t account, apps::HttpResponder to) {
    const std::string& name = submits.shard().config().accounts[account].systemId;
    const auto batch = std::make_shared<MessageBatch>(false, messages.size(), submits, name,
                                                      std::move(to), std::nullopt);
    batch->door_ = &door;
    for (std::size_t i = 0; i < messages.size(); ++i) sendParts(batch, i, messages[i], account);
}

std::string MessageBatch::Result::id() const {
    if (!isAccepted()) return {};
    return parts > 1 ? std::string(textOf(message.id).view()) : message.ids.front();
}

// As it is configured for the connector that will take them.
std::optional<Problem> MessageBatch::markParts(const MessageBatch& batch, MessageRequest& message,
                                               MessageId id, std::size_t account) {
    if (!message.cutAs) return std::nullopt;
    const auto& parts = message.segments.parts;
    const HttpSubmits::Request part{account,
                                    batch.to_.connection(),
                                    message.submitSm(parts.front(), 1),
                                    {id, static_cast<std::uint8_t>(parts.size())}};
    const smpp::Marking marking = batch.submits_.markingFor(part);
    if (marking == smpp::Marking::header8) return std::nullopt;
    auto cut = message.cutAs(marking);
    if (!cut) return Problem{422, "concatenation: " + cut.error().context()};
    cut.value().dataCoding = message.segments.dataCoding;
    message.segments = std::move(cut).value();
    return std::nullopt;
}

void MessageBatch::sendParts(const std::shared_ptr<MessageBatch>& batch, std::size_t index,
                             MessageRequest& message, std::size_t account) {
    HttpSubmits& submits = batch->submits_;
    Shard& shard = submits.shard();
    const WebhookConfig& webhook = shard.config().accounts[account].http.webhook;
    const bool isDurable = shard.services().store.isDurable();
    if (auto problem = callbackProblem(message.callback, webhook, isDurable)) {
        return batch->refused(index, *std::move(problem));
    }
    const MessageId id = message.segments.parts.size() > 1 ? shard.ids().make() : 0;
    if (auto problem = markParts(*batch, message, id, account)) {
        return batch->refused(index, *std::move(problem));
    }
    Result& result = batch->results_[index];
    SentMessage& sent = result.message;
    const auto& parts = message.segments.parts;
    sent.id = id;
    sent.from = message.from;
    sent.to = message.to;
    sent.encoding = nameOf(message.segments.alphabet);
    sent.callback = std::move(message.callback);
    sent.ids.resize(parts.size());
    result.parts = parts.size();
    result.waits = parts.size();
    HttpSubmits::Request request{account, batch->to_.connection()};
    request.whole = {sent.id, static_cast<std::uint8_t>(parts.size())};
    request.charge = static_cast<unsigned>(parts.size());
    for (std::size_t part = 0; part < parts.size(); ++part) {
        auto answered = [batch, index, part](smpp::Status status, const smpp::Pdu* answer) {
            batch->partAnswered(index, part, status, answer);
        };
        request.pdu = message.submitSm(parts[part], submits.nextSequence());
        submits.takeNow(request, std::move(answered));
        // Without its first part the message is of no use: the other parts are not sent.
        if (part == 0 && result.problem) return batch->leaveParts(result);
        request.charge = 0;
    }
}

void MessageBatch::leaveParts(Result& result) {
    if (result.waits == 0) return;
    result.waits = 0;
    result.message.ids.clear();
    messageEnded();
}

void MessageBatch::partAnswered(std::size_t index, std::size_t part, smpp::Status status,
                                const smpp::Pdu* answer) {
    Result& result = results_[index];
    if (status == smpp::Status::ok && answer != nullptr) {
        result.message.ids[part] = answer->text(smpp::Field::messageId);
    } else {
        if (!result.problem) result.problem = problemOf(status);
        isInDoubt_ = isInDoubt_ || status == submits_.shard().config().router.linkLost;
    }
    if (--result.waits > 0) return;
    remember(result);
    messageEnded();
}

void MessageBatch::refused(std::size_t index, Problem problem) {
    results_[index].problem = std::move(problem);
    messageEnded();
}

// What was accepted. Where not all of it was, no receipt tells of the message.
void MessageBatch::remember(Result& result) {
    SentMessage& message = result.message;
    std::erase(message.ids, "");
    if (!result.isAccepted()) return;
    isRemembered_ = true;
    Shard& shard = submits_.shard();
    if (message.id == 0) message.id = messageIdOf(message.ids.front()).value_or(0);
    message.time = wallSeconds();
    if (shard.services().store.isDurable()) {
        std::vector<SentRecord> sent;
        sent.push_back(recordOf(message, account_));
        shard.services().store.addSent(std::move(sent), std::nullopt, shard.thread(), {});
    }
    if (!result.problem) return;
    const auto& accounts = shard.config().accountByName;
    const auto account = accounts.find(account_);
    if (account == accounts.end()) return;
    AccountDesk& desk = shard.topology().accounts[account->second]->desk();
    tell<&AccountDesk::giveUpNow>(desk, message.id);
}

// Behind the commit of what was accepted. Where nothing was, and nothing is in doubt, the key may
// be used again.
void MessageBatch::messageEnded() {
    if (--waits_ > 0) return;
    Store& store = submits_.shard().services().store;
    apps::HttpResponse said = answer();
    if (!store.isDurable() || !(isRemembered_ || isInDoubt_)) return to_.answer(std::move(said));
    std::optional<AnswerRecord> kept;
    if (once_) kept = once_->answer(said);
    auto done = [said = std::move(said), to = std::move(to_),
                 once = std::move(once_)](bool) mutable { to.answer(std::move(said)); };
    store.addSent({}, std::move(kept), submits_.shard().thread(), std::move(done));
}

std::vector<MessageResult> MessageBatch::resultsForDoor() const {
    std::vector<MessageResult> results;
    for (const Result& each : results_) {
        results.push_back({each.message.to.address, each.id(), each.problem});
    }
    return results;
}

// As text at once: the values of a JSON library would cost more than all else about an answer.
apps::HttpResponse MessageBatch::answer() const {
    if (door_ != nullptr) return door_->answerOf(resultsForDoor());
    const Result& first = results_.front();
    if (isOne_ && !first.isAccepted()) return responseOf(*first.problem);
    const bool isAccepted = std::none_of(results_.begin(), results_.end(), [](const Result& each) {
        return each.problem.has_value();
    });
    std::string body = isOne_ ? "" : "{\"messages\":[";
    body.reserve(results_.size() * usualResult);
    for (const Result& result : results_) {
        if (&result != &first) body += ',';
        write(body, result);
    }
    body += isOne_ ? "\n" : "]}\n";
    return apps::HttpResponse::json(isAccepted ? 202 : 207, std::move(body));
}

void MessageBatch::write(std::string& out, const Result& result) {
    const SentMessage& message = result.message;
    out += '{';
    if (result.isAccepted()) {
        appendJsonText(out += "\"id\":"sv, result.id());
        appendJsonText(out += ",\"to\":"sv, message.to.address);
        appendJsonText(out += ",\"encoding\":"sv, message.encoding);
        (out += ",\"parts\":"sv) += std::to_string(result.parts);
    }
    if (result.isAccepted() && result.parts > 1) {
        out += ",\"ids\":";
        char before = '[';
        for (const std::string& id : message.ids) {
            appendJsonText(out += std::exchange(before, ','), id);
        }
        out += ']';
    }
    if (result.problem) {
        out += result.isAccepted() ? ",\"error\":" : "\"error\":";
        constexpr auto replaced = nlohmann::ordered_json::error_handler_t::replace;
        out += jsonOf(*result.problem).dump(-1, ' ', false, replaced);
    }
    out += '}';
}

}  // namespace router
