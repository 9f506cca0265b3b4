#include "sms_router/http/WebhookCall.h"

#include "sms_router/http/FormFields.h"
#include "sms_router/http/JasminNotice.h"
#include "sms_router/http/KannelNotice.h"
#include "sms_router/http/WebhookEvent.h"

namespace router {

namespace {

std::optional<apps::HttpCall> jsonCall(const Notice& notice, const Callback& callback,
                                       const WebhookConfig& webhook) {
    const auto event = webhookEvent(notice.pdu, notice.delivery);
    if (!event) return std::nullopt;
    apps::HttpCall call{.method = "POST", .url = callback.url, .body = *event};
    call.headers = {
        {"Content-Type", "application/json"},
        {"Sms-Router-Signature", webhookSignature(webhook.secret, notice.time, call.body)}};
    return call;
}

std::optional<apps::HttpCall> kannelCall(const Notice& notice, const Callback& callback) {
    const bool isWanted = !notice.receipt || (kannelKindOf(*notice.receipt) & callback.wanted) != 0;
    if (!isWanted) return std::nullopt;
    return apps::HttpCall{.url = kannelUrl(callback.url, notice)};
}

apps::HttpCall jasminCall(const Notice& notice, const Callback& callback) {
    const std::string form = formEncoded(jasminFields(notice, callback.wanted));
    if (callback.isGet) {
        const char* const separator = callback.url.find('?') == std::string::npos ? "?" : "&";
        return {.url = callback.url + separator + form};
    }
    return {.method = "POST",
            .url = callback.url,
            .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
            .body = form};
}

std::optional<apps::HttpCall> callIn(const Notice& notice, const Callback& callback,
                                     const WebhookConfig& webhook) {
    switch (callback.format) {
        case WebhookFormat::kannel: return kannelCall(notice, callback);
        case WebhookFormat::jasmin: return jasminCall(notice, callback);
        case WebhookFormat::json: break;
    }
    return jsonCall(notice, callback, webhook);
}

}  // namespace

Callback callbackOf(const WebhookConfig& webhook) {
    constexpr unsigned every = 63, terminal = 2;
    const unsigned wanted = webhook.format == WebhookFormat::kannel ? every : terminal;
    return {webhook.format, webhook.url.text(), wanted};
}

std::optional<apps::HttpCall> webhookCall(const Notice& notice, const Callback& callback,
                                          const WebhookConfig& webhook) {
    if (notice.pdu.command() == smpp::Command::alertNotification) return std::nullopt;
    auto call = callIn(notice, callback, webhook);
    if (call) {
        call->headers.emplace_back("User-Agent", "sms-router");
        call->timeLimit = webhook.timeout;
    }
    return call;
}

bool isTaken(const apps::HttpAnswer& answer, WebhookFormat format) {
    if (answer.status / 100 != 2) return false;
    if (format != WebhookFormat::jasmin) return true;
    constexpr std::string_view blanks = " \t\r\n", taken = "ACK/Jasmin";
    const std::string_view body = answer.body;
    const std::size_t begin = std::min(body.find_first_not_of(blanks), body.size());
    const std::size_t end = body.find_last_not_of(blanks) + 1;
    return begin < end && body.substr(begin, end - begin) == taken;
}

}  // namespace router
