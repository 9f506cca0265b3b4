#include "sms_router/http/MessageBatch.h"

#include <algorithm>
#include <cctype>

namespace router {

namespace {

using Json = nlohmann::ordered_json;
using nlohmann::json;

bool isJson(const apps::HttpRequest& request) {
    const std::string_view header = request.header("content-type");
    std::string type(header.substr(0, header.find_first_of("; \t")));
    for (char& c : type) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return type.empty() || type == "application/json";
}

// Throws Problem.
json bodyOf(const apps::HttpRequest& request) try {
    if (!isJson(request)) throw Problem{415, "the body must be application/json"};
    return json::parse(request.body);
} catch (const json::exception&) {
    throw Problem{400, "the body is not JSON"};
}

}  // namespace

std::vector<const json*> messagesOf(const json& body) {
    if (!body.is_object()) throw Problem{400, "the body must be a JSON object"};
    const auto several = body.find("messages");
    if (several == body.end()) return {&body};
    if (body.size() != 1) throw Problem{400, "beside \"messages\" there may be no other member"};
    if (!several->is_array() || several->empty()) {
        throw Problem{400, "\"messages\" must be an array of one message at least"};
    }
    if (several->size() > MessageRequest::most) {
        throw Problem{413, "\"messages\" has " + std::to_string(several->size()) +
                               " messages; the maximum is " + std::to_string(MessageRequest::most)};
    }
    std::vector<const json*> messages;
    for (const json& message : *several) messages.push_back(&message);
    return messages;
}

void MessageBatch::sendNow(const apps::HttpRequest& request, HttpSubmits& submits,
                           std::size_t account, apps::HttpResponder to) try {
    const json body = bodyOf(request);
    const std::vector<const json*> messages = messagesOf(body);
    const bool isOne = messages.front() == &body;
    const auto batch = std::make_shared<MessageBatch>(isOne, messages.size(), std::move(to));
    for (std::size_t i = 0; i < messages.size(); ++i) {
        auto message = messageRequestOf(*messages[i], submits.nextReference());
        if (auto* problem = std::get_if<Problem>(&message)) {
            batch->refused(i, std::move(*problem));
        } else {
            sendParts(batch, i, std::get<MessageRequest>(message), submits, account);
        }
    }
} catch (const Problem& problem) {
    to.answer(responseOf(problem));
}

void MessageBatch::sendParts(const std::shared_ptr<MessageBatch>& batch, std::size_t index,
                             const MessageRequest& message, HttpSubmits& submits,
                             std::size_t account) {
    const auto& parts = message.segments.parts;
    Result& result = batch->results_[index];
    result.to = message.to.address;
    result.encoding = nameOf(message.segments.alphabet);
    result.ids.resize(parts.size());
    result.waits = parts.size();
    const nio::ChannelHandle connection = batch->to_.connection();
    for (std::size_t part = 0; part < parts.size(); ++part) {
        auto answered = [batch, index, part](smpp::Status status, const smpp::Pdu* answer) {
            batch->partAnswered(index, part, status, answer);
        };
        submits.takeNow(account, connection, message.submitSm(parts[part], submits.nextSequence()),
                        std::move(answered));
    }
}

void MessageBatch::partAnswered(std::size_t index, std::size_t part, smpp::Status status,
                                const smpp::Pdu* answer) {
    Result& result = results_[index];
    if (status == smpp::Status::ok && answer != nullptr) {
        result.ids[part] = answer->text(smpp::Field::messageId);
    } else if (!result.problem) {
        result.problem = problemOf(status);
    }
    if (--result.waits == 0) messageEnded();
}

void MessageBatch::refused(std::size_t index, Problem problem) {
    results_[index].problem = std::move(problem);
    messageEnded();
}

void MessageBatch::messageEnded() {
    if (--waits_ > 0) return;
    if (isOne_) {
        const Result& result = results_.front();
        const bool isNothing = result.problem && std::all_of(result.ids.begin(), result.ids.end(),
                                                             [](auto& id) { return id.empty(); });
        if (isNothing) return to_.answer(responseOf(*result.problem));
        return to_.answer(jsonResponse(result.problem ? 207 : 202, jsonOf(result)));
    }
    Json all = Json::array();
    bool isAccepted = true;
    for (const Result& result : results_) {
        isAccepted = isAccepted && !result.problem;
        all.push_back(jsonOf(result));
    }
    to_.answer(jsonResponse(isAccepted ? 202 : 207, {{"messages", std::move(all)}}));
}

Json MessageBatch::jsonOf(const Result& result) const {
    Json json;
    std::vector<std::string> ids;
    for (const std::string& id : result.ids) {
        if (!id.empty()) ids.push_back(id);
    }
    if (!ids.empty()) {
        json = {{"id", ids.front()}, {"to", result.to}, {"encoding", result.encoding}};
        json["parts"] = result.ids.size();
        if (result.ids.size() > 1) json["ids"] = ids;
    }
    if (result.problem) json["error"] = router::jsonOf(*result.problem);
    return json;
}

}  // namespace router
