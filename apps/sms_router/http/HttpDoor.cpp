#include "sms_router/http/HttpDoor.h"

#include <nlohmann/json.hpp>

#include "Assets.h"
#include "sms_router/http/MessageBatch.h"
#include "sms_router/http/MessageQuery.h"
#include "sms_router/http/Pull.h"
#include "sms_router/model/Post.h"

namespace router {

namespace {

using apps::HttpRequest;
using apps::HttpResponder;
using apps::HttpResponse;
using apps::HttpRoutes;
using Json = nlohmann::ordered_json;

}  // namespace

HttpDoor::HttpDoor(const ShardSet& shards) : shards_(shards) {
    const auto resolver = std::make_shared<nio::Resolver>();
    for (std::size_t i = 0; i < shards.size(); ++i) {
        desks_.push_back(std::make_unique<Desk>(shards[i], *this, keys_, resolver));
    }
}

nio::Result<void> HttpDoor::open(const HttpConfig& config, nio::ServerSocketChannel channel) {
    gate_->setMaximum(config.maxConnections);
    apps::HttpServerOptions options;
    options.tls = tls_;
    options.gate = gate_;
    options.limits.bodyBytes = config.maxBody;
    HttpRoutes all = routes();
    if (config.kannel) addDoor(all, kannelDoor);
    if (config.jasmin) addDoor(all, jasminDoor);
    auto server = apps::HttpServer::open(std::move(channel), std::move(all), options);
    if (!server) return server.error();
    server_ = std::move(server).value();
    return {};
}

std::optional<nio::SocketAddress> HttpDoor::address() const {
    if (!server_) return std::nullopt;
    return server_->address();
}

std::string HttpDoor::url() const {
    if (!server_) return {};
    return (tls_->get() == nullptr ? "http://" : "https://") + server_->address().toString();
}

bool HttpDoor::start(nio::SelectorThreadGroup& group, nio::CallbackErrorHandler onError) {
    return !server_ || server_->start(group, std::move(onError));
}

void HttpDoor::close() {
    if (server_) server_->close();
    server_.reset();
}

HttpDoor::Desk& HttpDoor::deskOf(const nio::ChannelHandle& connection) const {
    return *desks_[shards_.indexOf(shards_.of(*connection.dispatcher()))];
}

void HttpDoor::answer(const Origin& origin, nio::Bytes response) {
    auto tell = [&submits = deskOf(origin.link).submits, sequence = origin.sequence,
                 response = std::move(response)] {
        nio::onDispatcher.assertCurrent();
        submits.answeredNow(sequence, response);
    };
    (void)post(*origin.link.dispatcher(), std::move(tell));
}

// --- webhooks -------------------------------------------------------------------------------

void HttpDoor::useWebhooks() {
    for (const auto& desk : desks_) tell<&Webhooks::useNow>(desk->webhooks);
}

void HttpDoor::endWebhooks() {
    for (const auto& desk : desks_) tell<&Webhooks::endNow>(desk->webhooks);
}

void HttpDoor::deliver(nio::ChannelHandle bind, std::uint64_t number, const nio::Bytes& pdu) {
    nio::onDispatcher.assertCurrent();
    deskOf(bind).webhooks.deliverNow(bind, number, pdu);
}

// --- who asks, and for what -----------------------------------------------------------------

HttpRoutes HttpDoor::routes() {
    HttpRoutes routes;
    addRoute(routes, "POST", "/v1/messages", &send);
    addRoute(routes, "GET", "/v1/messages", &fetch, HttpLogin::Use::receive);
    addRoute(routes, "GET", "/v1/messages/{id}", &query);
    addRoute(routes, "DELETE", "/v1/messages/{id}", &cancel);
    addRoute(routes, "GET", "/v1/segments", &showSegments);
    addRoute(routes, "GET", "/v1/account", &showAccount);
    routes.add("GET", "/v1/openapi.json", [](const HttpRequest&, HttpResponder to) {
        to.answer(HttpResponse::json(200, std::string(assets::openapi_json)));
    });
    routes.delayBy([this](const HttpRequest& request) {
        return HttpLogin::delayOf(request, shards_[0].services().logins);
    });
    routes.refuseWith([](int status) { return responseOf(httpProblem(status)); });
    routes.addHeader("Cache-Control", "no-store");
    routes.addHeader("X-Content-Type-Options", "nosniff");
    return routes;
}

void HttpDoor::addRoute(HttpRoutes& routes, const char* method, const char* path, Handler handler,
                        HttpLogin::Use use) {
    routes.add(method, path, [this, handler, use](const HttpRequest& request, HttpResponder to) {
        nio::onDispatcher.assertCurrent();
        Desk& desk = deskOf(to.connection());
        if (const auto known = desk.login.byKey(request, use)) {
            return serve({request, desk.submits, 0, std::move(to)}, *known, handler);
        }
        // The request outlives this call only here.
        auto checked = [handler, request, &desk,
                        to = std::move(to)](const HttpLogin::Outcome& outcome) mutable {
            serve({request, desk.submits, 0, std::move(to)}, outcome, handler);
        };
        desk.login.byPasswordNow(request.peer, apps::basicCredentialsOf(request), use,
                                 std::move(checked));
    });
}

void HttpDoor::addDoor(HttpRoutes& routes, const FormDoor& door) {
    const auto handle = [this, &door](const HttpRequest& request, HttpResponder to) {
        nio::onDispatcher.assertCurrent();
        knock(door, request, std::move(to));
    };
    routes.add("GET", door.path, handle);
    routes.add("POST", door.path, handle);
}

void HttpDoor::knock(const FormDoor& door, const HttpRequest& request, HttpResponder to) try {
    nio::onDispatcher.assertCurrent();
    // A GET sends here, and what only looks for changes must not.
    if (request.method == "HEAD") {
        return to.answer(HttpResponse{405}.with("Allow", "GET, POST"));
    }
    const FormFields fields = door.fieldsOf(request);
    Desk& desk = deskOf(to.connection());
    auto checked = [&door, &submits = desk.submits, fields,
                    to = std::move(to)](const HttpLogin::Outcome& outcome) mutable {
        enter(door, fields, submits, outcome, std::move(to));
    };
    desk.login.byPasswordNow(request.peer, door.credentialsOf(fields), HttpLogin::Use::send,
                             std::move(checked));
} catch (const Problem& problem) {
    to.answer(door.refusalOf(problem));
}

void HttpDoor::enter(const FormDoor& door, const FormFields& fields, HttpSubmits& submits,
                     const HttpLogin::Outcome& outcome, HttpResponder to) try {
    nio::onDispatcher.assertCurrent();
    if (const Problem* problem = std::get_if<Problem>(&outcome)) throw *problem;
    countAnswer(submits, std::get<std::size_t>(outcome), to);
    std::vector<MessageRequest> messages = door.messagesOf(fields, submits.nextReference());
    MessageBatch::sendNow(std::move(messages), door, submits, std::get<std::size_t>(outcome),
                          std::move(to));
} catch (const Problem& problem) {
    to.answer(door.refusalOf(problem));
}

void HttpDoor::serve(Call call, const HttpLogin::Outcome& outcome, Handler handler) {
    if (const Problem* problem = std::get_if<Problem>(&outcome)) {
        return call.to.answer(responseOf(*problem));
    }
    call.account = std::get<std::size_t>(outcome);
    countAnswer(call.submits, call.account, call.to);
    handler(std::move(call));
}

// Accounts outlive what answers them.
void HttpDoor::countAnswer(const HttpSubmits& submits, std::size_t account, HttpResponder& to) {
    auto& answers = submits.shard().topology().accounts[account]->figures().httpAnswers;
    to.watch([&answers](int status) {
        answers[static_cast<std::size_t>(status / 100)].fetch_add(1, std::memory_order_relaxed);
    });
}

// --- what there is --------------------------------------------------------------------------

void HttpDoor::send(Call call) {
    nio::onDispatcher.assertCurrent();
    HttpSubmits& submits = call.submits;
    Shard& shard = submits.shard();
    const std::string& name = shard.config().accounts[call.account].systemId;
    auto carryOut = [&submits](const HttpRequest& request, const std::string& account,
                               HttpResponder to, std::optional<Once> once) {
        nio::onDispatcher.assertCurrent();
        const auto& accounts = submits.shard().config().accountByName;
        const auto found = accounts.find(account);
        if (found == accounts.end()) {
            return to.answer(responseOf(Problem{401, "the account is not known any more"}));
        }
        MessageBatch::sendNow(request, submits, found->second, std::move(to), std::move(once));
    };
    carryOutOnce(call.request, name, submits.keys(), shard.services().store, shard.thread(),
                 std::move(call.to), std::move(carryOut));
}

void HttpDoor::fetch(Call call) {
    AccountDesk& desk = call.submits.shard().topology().accounts[call.account]->desk();
    answerPull(call.request, desk, std::move(call.to));
}

void HttpDoor::query(Call call) {
    nio::onDispatcher.assertCurrent();
    MessageQuery::beginNow(call.request, call.submits, call.account, std::move(call.to),
                           &MessageQuery::askNow);
}

void HttpDoor::cancel(Call call) {
    nio::onDispatcher.assertCurrent();
    MessageQuery::beginNow(call.request, call.submits, call.account, std::move(call.to),
                           &MessageQuery::cancelNow);
}

void HttpDoor::showSegments(Call call) try {
    const std::string text = call.request.queryParameter("text").value_or("");
    const auto alphabets = alphabetsNamed(call.request.queryParameters("encoding"));
    const auto cut = smpp::segmentsOf(text, alphabets, smpp::Marking::header8, 0);
    if (!cut) throw Problem{422, "text: " + cut.error().context()};
    const smpp::Segments& segments = cut.value();
    call.to.answer(jsonResponse(200, {{"encoding", nameOf(segments.alphabet)},
                                      {"parts", segments.parts.size()},
                                      {"characters", segments.characters},
                                      {"units", segments.units},
                                      {"units_left", segments.left}}));
} catch (const Problem& problem) {
    call.to.answer(responseOf(problem));
}

void HttpDoor::showAccount(Call call) {
    const AccountConfig& config = call.submits.shard().config().accounts[call.account];
    const AccountFigures& figures =
        call.submits.shard().topology().accounts[call.account]->figures();
    Json account{{"account", config.systemId}};
    if (config.messagesPerSecond > 0) account["messages_per_second"] = config.messagesPerSecond;
    account["submitted"] = figures.submitted.load(std::memory_order_relaxed);
    account["accepted"] = figures.accepted.load(std::memory_order_relaxed);
    account["refused"] = figures.refused.load(std::memory_order_relaxed);
    account["throttled"] = figures.throttled.load(std::memory_order_relaxed);
    call.to.answer(jsonResponse(200, account));
}

}  // namespace router
