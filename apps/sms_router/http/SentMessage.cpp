#include "sms_router/http/SentMessage.h"

#include <ctime>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "sms_router/http/WebhookEvent.h"

namespace router {

namespace {

using Json = nlohmann::ordered_json;
using smpp::MessageState;

Json jsonOf(const SourceAddress& address) {
    return Json::array({address.ton, address.npi, address.address});
}

SourceAddress addressFrom(const Json& parts) {
    return {parts.at(0), parts.at(1), parts.at(2)};
}

// "SECONDS receipt STATE PART ERROR", "SECONDS told", "SECONDS cancelled 0 PART"
struct Event {
    std::int64_t time = 0;
    std::string kind{};
    int state = 0;
    MessageId part = 0;
    std::string error{};
};

std::vector<Event> eventsOf(const std::string& lines) {
    std::vector<Event> events;
    std::istringstream all(lines);
    for (std::string line; std::getline(all, line);) {
        std::istringstream words(line);
        Event event;
        if (!(words >> event.time >> event.kind)) continue;
        words >> event.state >> event.part >> event.error;
        events.push_back(std::move(event));
    }
    return events;
}

std::string timeText(std::int64_t seconds) {
    const std::time_t time = seconds;
    std::tm parts{};
    gmtime_r(&time, &parts);
    char text[32];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

}  // namespace

MessageState SentMessage::state() const {
    MessageState last = MessageState::accepted;
    std::set<MessageId> delivered;  // parts
    if (notCancelled().empty()) return MessageState::deleted;
    for (const Event& event : eventsOf(events)) {
        if (event.kind != "receipt") continue;
        const MessageState state{static_cast<std::uint8_t>(event.state)};
        if (state == MessageState::delivered) {
            delivered.insert(event.part);
            if (delivered.size() >= ids.size()) return state;
        } else if (smpp::isFinal(state)) {
            return state;
        } else {
            last = state;
        }
    }
    return last;
}

std::vector<std::string> SentMessage::notCancelled() const {
    std::vector<std::string> left = ids;
    for (const Event& event : eventsOf(events)) {
        if (event.kind != "cancelled") continue;
        if (event.part == 0) return {};  // of a router that knew all or nothing
        std::erase(left, textOf(event.part).view());
    }
    return left;
}

SentRecord recordOf(const SentMessage& message, const std::string& account) {
    Json about{{"from", jsonOf(message.from)},
               {"to", jsonOf(message.to)},
               {"encoding", message.encoding},
               {"ids", message.ids}};
    if (!message.callback.empty()) about["callback"] = message.callback;
    return {message.id,
            account,
            message.time,
            about.dump(-1, ' ', false, Json::error_handler_t::replace),
            {}};
}

SentMessage sentMessageFrom(const SentRecord& record) {
    SentMessage message;
    message.id = record.id;
    message.time = record.time;
    message.events = record.events;
    const Json about = Json::parse(record.about);
    message.from = addressFrom(about.at("from"));
    message.to = addressFrom(about.at("to"));
    message.encoding = about.at("encoding");
    message.ids = about.at("ids").get<std::vector<std::string>>();
    message.callback = about.value("callback", "");
    return message;
}

Json jsonOf(const SentMessage& message, MessageState state) {
    Json shown{{"id", textOf(message.id).view()}, {"state", wordFor(state)},
               {"from", message.from.address},    {"to", message.to.address},
               {"encoding", message.encoding},    {"parts", message.ids.size()}};
    Json history = Json::array({{{"at", timeText(message.time)}, {"event", "accepted"}}});
    for (const Event& event : eventsOf(message.events)) {
        Json entry{{"at", timeText(event.time)}, {"event", event.kind}};
        if (event.kind == "receipt") {
            entry["state"] = wordFor(MessageState{static_cast<std::uint8_t>(event.state)});
            if (!event.error.empty()) entry["error"] = event.error;
        }
        if (event.kind == "cancelled") entry["id"] = textOf(event.part).view();
        history.push_back(std::move(entry));
    }
    shown["history"] = std::move(history);
    return shown;
}

}  // namespace router
