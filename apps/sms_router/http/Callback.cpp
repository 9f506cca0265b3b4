#include "sms_router/http/Callback.h"

#include <nlohmann/json.hpp>

#include "common/http/PrivateAddress.h"

namespace router {

NLOHMANN_JSON_SERIALIZE_ENUM(WebhookFormat, {{WebhookFormat::json, "json"},
                                             {WebhookFormat::kannel, "kannel"},
                                             {WebhookFormat::jasmin, "jasmin"}})

namespace {

using nlohmann::json;

constexpr std::size_t longestUrl = 2048;  // it is kept with each message

// A name is looked up when the receipt comes; then its address is judged again.
bool isPrivate(const HttpUrl& url) {
    const auto address = nio::SocketAddress::numeric(url.host, url.port);
    return url.host == "localhost" || (address && apps::isPrivateAddress(address.value()));
}

}  // namespace

std::string Callback::toJson() const {
    const json object{{"format", format}, {"url", url}, {"wanted", wanted}, {"get", isGet}};
    return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<Callback> Callback::fromJson(std::string_view text) try {
    if (text.empty()) return std::nullopt;
    const json object = json::parse(text);
    return Callback{object.at("format").get<WebhookFormat>(), object.at("url").get<std::string>(),
                    object.at("wanted").get<unsigned>(), object.at("get").get<bool>()};
} catch (const json::exception&) {
    return std::nullopt;
}

std::optional<Problem> callbackProblem(std::string_view callback, const WebhookConfig& webhook,
                                       bool isDurable) {
    const auto wanted = Callback::fromJson(callback);
    if (!wanted) return std::nullopt;
    const std::string name = wanted->format == WebhookFormat::json ? "webhook: " : "dlr-url: ";
    if (!webhook.isOn() || !webhook.perMessage) {
        return Problem{422, name + "the account has no webhook with per_message = true"};
    }
    if (!isDurable) {
        return Problem{422, name + "the router's store is in memory, and would forget it"};
    }
    if (wanted->url.size() > longestUrl) {
        return Problem{422, name + "is longer than 2048 octets"};
    }
    if (wanted->url.find('#') != wanted->url.npos) {
        return Problem{422, name + "must not have a fragment"};
    }
    const auto url = HttpUrl::parse(wanted->url);
    if (!url) return Problem{422, name + url.error().context()};
    if (!webhook.privateAddresses && isPrivate(url.value())) {
        return Problem{422, name + url.value().host + " is a private address"};
    }
    return std::nullopt;
}

}  // namespace router
