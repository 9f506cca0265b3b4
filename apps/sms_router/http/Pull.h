// GET /v1/messages: an account fetches its receipts and messages, and acknowledges those that it
// has fetched before.
//
//     GET /v1/messages?since=1795876064363452&limit=100
//     {"messages": [EVENT, …], "since": "1795876064363460"}
//
// Thread: any dispatcher.
// Source: docs/http-api.md; events as in WebhookEvent.h.
#pragma once

#include "common/http/HttpRequest.h"
#include "common/http/HttpResponder.h"
#include "sms_router/delivery/AccountDesk.h"

namespace router {

// `desk` lives as long as the router. `to` is answered in a turn of the desk's dispatcher.
void answerPull(const apps::HttpRequest& request, AccountDesk& desk, apps::HttpResponder to);

}  // namespace router
