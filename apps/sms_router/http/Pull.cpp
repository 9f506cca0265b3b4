#include "sms_router/http/Pull.h"

#include <charconv>

#include "sms_router/http/Problem.h"
#include "sms_router/http/WebhookEvent.h"
#include "sms_router/model/Post.h"

namespace router {

namespace {

constexpr std::uint64_t usually = 100;
constexpr std::uint64_t most = 1000;

// Throws Problem.
std::uint64_t numberIn(const apps::HttpRequest& request, const char* name, std::uint64_t fallback) {
    const auto text = request.queryParameter(name);
    if (!text) return fallback;
    std::uint64_t number = 0;
    const char* const end = text->data() + text->size();
    const auto [stopped, error] = std::from_chars(text->data(), end, number);
    if (error != std::errc() || stopped != end) {
        throw Problem{422, std::string(name) + ": must be a whole number"};
    }
    return number;
}

apps::HttpResponse responseOf(const AccountDesk::Pulled& pulled) {
    std::string events;
    for (const auto& [number, pdu] : pulled.deliveries) {
        const smpp::Scanned scanned = smpp::scan(*pdu, smpp::Reading::tolerant);
        // What tells nothing is acknowledged with the rest.
        const auto event = scanned.pdu ? webhookEvent(*scanned.pdu, number) : std::nullopt;
        if (event) events += (events.empty() ? "" : ",") + *event;
    }
    return apps::HttpResponse::json(200, "{\"messages\":[" + events + "],\"since\":\"" +
                                             std::to_string(pulled.since) + "\"}\n");
}

}  // namespace

void answerPull(const apps::HttpRequest& request, AccountDesk& desk, apps::HttpResponder to) try {
    const std::uint64_t since = numberIn(request, "since", 0);
    const std::uint64_t limit = numberIn(request, "limit", usually);
    if (limit < 1 || limit > most) throw Problem{422, "limit: must be from 1 to 1000"};
    auto pull = [&desk, since, limit, to = std::move(to)]() mutable {
        nio::onDispatcher.assertCurrent();
        to.answer(responseOf(desk.pulledNow(since, limit)));
    };
    // A dispatcher that has stopped answers with status 500: `to` goes unanswered.
    (void)post(desk.dispatcher(), std::move(pull));
} catch (const Problem& problem) {
    to.answer(responseOf(problem));
}

}  // namespace router
