// How a webhook is called, in the format of its account or of its message.
//
// Thread: any; pure.
// Source: docs/http-api.md, docs/kannel-and-jasmin.md.
#pragma once

#include <optional>

#include "common/http/HttpClient.h"
#include "sms_router/config/RouterConfig.h"
#include "sms_router/http/Callback.h"
#include "sms_router/http/Notice.h"

namespace router {

// Where the account's receipts and messages go.
Callback callbackOf(const WebhookConfig& webhook);

// Nothing: the message did not ask for this kind of receipt, or there is nothing to tell
// (alert_notification).
std::optional<apps::HttpCall> webhookCall(const Notice& notice, const Callback& callback,
                                          const WebhookConfig& webhook);

// Whether that answer takes it.
bool isTaken(const apps::HttpAnswer& answer, WebhookFormat format);

}  // namespace router
