#include "sms_router/http/HttpDoor.h"

#include <nlohmann/json.hpp>

#include <smpp/pdu/PduWriter.h>

#include "Assets.h"
#include "sms_router/http/MessageBatch.h"
#include "sms_router/http/MessageRequest.h"
#include "sms_router/http/WebhookEvent.h"
#include "sms_router/model/Post.h"

namespace router {

namespace {

using apps::HttpRequest;
using apps::HttpResponder;
using apps::HttpResponse;
using apps::HttpRoutes;
using Json = nlohmann::ordered_json;

apps::HttpServerOptions serverOptions(const HttpConfig& config,
                                      std::shared_ptr<const nio::TlsSlot> tls) {
    apps::HttpServerOptions options;
    options.tls = std::move(tls);
    options.maxConnections = config.maxConnections;
    options.limits.bodyBytes = config.maxBody;
    return options;
}

// Of a request about a message: its id and, where the SMSC asks for it, from whom it was sent.
struct About {
    std::string id;
    SourceAddress from;
};

About aboutOf(const HttpRequest& request) {
    return {request.pathParameter("id"), addressOf(request.queryParameter("from").value_or(""))};
}

void addSource(smpp::PduWriter& writer, const SourceAddress& from) {
    writer.number(from.ton).number(from.npi).text(from.address);
}

}  // namespace

HttpDoor::HttpDoor(const ShardSet& shards) : shards_(shards) {
    const auto resolver = std::make_shared<nio::Resolver>();
    for (std::size_t i = 0; i < shards.size(); ++i) {
        desks_.push_back(std::make_unique<Desk>(shards[i], *this, resolver));
    }
}

nio::Result<void> HttpDoor::open(const HttpConfig& config) {
    const auto address = nio::SocketAddress::numeric(config.host, config.port);
    if (!address) return address.error();
    auto server = apps::HttpServer::open(address.value(), routes(), serverOptions(config, tls_));
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
    routes.addHeader("Cache-Control", "no-store");
    routes.addHeader("X-Content-Type-Options", "nosniff");
    return routes;
}

void HttpDoor::addRoute(HttpRoutes& routes, const char* method, const char* path, Handler handler) {
    routes.add(method, path, [this, handler](const HttpRequest& request, HttpResponder to) {
        nio::onDispatcher.assertCurrent();
        Desk& desk = deskOf(to.connection());
        if (const auto known = desk.login.byKey(request)) {
            return serve({request, desk.submits, 0, std::move(to)}, *known, handler);
        }
        // The request outlives this call only here.
        auto checked = [handler, request, &desk,
                        to = std::move(to)](const HttpLogin::Outcome& outcome) mutable {
            serve({request, desk.submits, 0, std::move(to)}, outcome, handler);
        };
        desk.login.byPasswordNow(request, std::move(checked));
    });
}

void HttpDoor::serve(Call call, const HttpLogin::Outcome& outcome, Handler handler) {
    if (const Problem* problem = std::get_if<Problem>(&outcome)) {
        return call.to.answer(responseOf(*problem));
    }
    call.account = std::get<std::size_t>(outcome);
    handler(std::move(call));
}

// --- what there is --------------------------------------------------------------------------

void HttpDoor::send(Call call) {
    nio::onDispatcher.assertCurrent();
    MessageBatch::sendNow(call.request, call.submits, call.account, std::move(call.to));
}

void HttpDoor::query(Call call) {
    nio::onDispatcher.assertCurrent();
    const About about = aboutOf(call.request);
    smpp::PduWriter writer(smpp::Command::querySm, smpp::Status::ok, call.submits.nextSequence());
    addSource(writer.text(about.id), about.from);
    const nio::ChannelHandle connection = call.to.connection();
    auto answered = [about, to = std::move(call.to)](smpp::Status status,
                                                     const smpp::Pdu* answer) mutable {
        using smpp::Field;
        if (status != smpp::Status::ok || answer == nullptr) {
            return to.answer(responseOf(problemOf(status)));
        }
        Json state{{"id", about.id},
                   {"state", wordFor(smpp::MessageState{answer->number(Field::messageState)})}};
        if (!answer->text(Field::finalDate).empty()) {
            state["final_date"] = answer->text(Field::finalDate);
        }
        if (const auto code = answer->number(Field::errorCode)) state["error"] = code;
        to.answer(jsonResponse(200, state));
    };
    call.submits.takeNow(call.account, connection, writer.finish(), std::move(answered));
}

void HttpDoor::cancel(Call call) {
    nio::onDispatcher.assertCurrent();
    const About about = aboutOf(call.request);
    const SourceAddress to = addressOf(call.request.queryParameter("to").value_or(""));
    smpp::PduWriter writer(smpp::Command::cancelSm, smpp::Status::ok, call.submits.nextSequence());
    addSource(writer.text("").text(about.id), about.from);
    addSource(writer, to);
    const nio::ChannelHandle connection = call.to.connection();
    auto answered = [about, to = std::move(call.to)](smpp::Status status,
                                                     const smpp::Pdu*) mutable {
        if (status != smpp::Status::ok) return to.answer(responseOf(problemOf(status)));
        to.answer(jsonResponse(200, {{"id", about.id}, {"state", "deleted"}}));
    };
    call.submits.takeNow(call.account, connection, writer.finish(), std::move(answered));
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
