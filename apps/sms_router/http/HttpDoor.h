// Where accounts send by HTTP: JSON requests on every dispatcher of the router, each of which goes
// the way of a submit_sm.
//
//   POST   /v1/messages          one message, or {"messages": […]}
//   GET    /v1/messages          fetches receipts and messages for the account
//   GET    /v1/messages/ID       its state and history; where no receipt tells, the SMSC is asked
//   DELETE /v1/messages/ID       cancels it
//   GET    /v1/segments          how a text would be sent
//   GET    /v1/account
//   GET    /v1/openapi.json      all of this for programs
//
// And, where the configuration wants them, the doors of other gateways: see FormDoor.
//
// Receipts and messages for an account go to its webhook, too, which is one more bind of it.
//
// Thread: open(), start() and close() any, one at a time.
// Lifetime: the router's: connectors answer to it.
// Source: docs/http-api.md.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/http/HttpServer.h"
#include "sms_router/config/RouterConfig.h"
#include "sms_router/http/FormDoor.h"
#include "sms_router/http/HttpLogin.h"
#include "sms_router/http/HttpSubmits.h"
#include "sms_router/http/Webhooks.h"

namespace router {

class HttpDoor final : public Ingress {
  public:
    explicit HttpDoor(const ShardSet& shards);

    // On a channel that listens; connections wait until start().
    nio::Result<void> open(const HttpConfig& config, nio::ServerSocketChannel channel);
    // For connections from now on; null: they are plain.
    void useTls(std::shared_ptr<const nio::TlsContext> tls) { tls_->set(std::move(tls)); }
    // Absent: it is not open.
    std::optional<nio::SocketAddress> address() const;
    // "https://127.0.0.1:8776"; empty: it is not open.
    std::string url() const;
    // False: a dispatcher has stopped. Later errors go to onError.
    [[nodiscard]] bool start(nio::SelectorThreadGroup& group, nio::CallbackErrorHandler onError);
    void close();

    // Open now, also of listeners that were closed. Thread: any.
    std::size_t connections() const { return gate_->open(); }
    // By account, of the shard with that index, whose dispatcher this is.
    Webhooks::Rows webhooksNow(std::size_t shard) const NIO_REQUIRES(nio::onDispatcher) {
        return desks_[shard]->webhooks.rowsNow();
    }

    // The accounts' webhooks, as the configuration of each shard has them by then.
    void useWebhooks();
    // They get nothing more.
    void endWebhooks();

    void answer(const Origin& origin, nio::Bytes response) override;
    void deliver(nio::ChannelHandle bind, std::uint64_t number, const nio::Bytes& pdu) override;
    bool hasOutput(nio::ChannelHandle) override { return false; }

  private:
    // Of one dispatcher.
    struct Desk {
        Desk(Shard& shard, Ingress& ingress, IdempotencyKeys& keys,
             const std::shared_ptr<nio::Resolver>& resolver)
            : submits(shard, ingress, keys), login(shard), webhooks(shard, ingress, resolver) {}

        HttpSubmits submits;
        HttpLogin login;
        Webhooks webhooks;
    };
    // A request, and its account once that is known.
    struct Call {
        const apps::HttpRequest& request;
        HttpSubmits& submits;
        std::size_t account;
        apps::HttpResponder to;
    };
    using Handler = void (*)(Call call);

    apps::HttpRoutes routes();
    void addRoute(apps::HttpRoutes& routes, const char* method, const char* path, Handler handler,
                  HttpLogin::Use use = HttpLogin::Use::send);
    void addDoor(apps::HttpRoutes& routes, const FormDoor& door);
    void knock(const FormDoor& door, const apps::HttpRequest& request, apps::HttpResponder to);
    Desk& deskOf(const nio::ChannelHandle& connection) const;

    static void countAnswer(const HttpSubmits& submits, std::size_t account,
                            apps::HttpResponder& to);
    static void serve(Call call, const HttpLogin::Outcome& outcome, Handler handler);
    static void enter(const FormDoor& door, const FormFields& fields, HttpSubmits& submits,
                      const HttpLogin::Outcome& outcome, apps::HttpResponder to);
    static void send(Call call);
    static void fetch(Call call);
    static void query(Call call);
    static void cancel(Call call);
    static void showSegments(Call call);
    static void showAccount(Call call);

    const ShardSet& shards_;
    IdempotencyKeys keys_;
    std::vector<std::unique_ptr<Desk>> desks_;  // by shard
    const std::shared_ptr<nio::TlsSlot> tls_ = std::make_shared<nio::TlsSlot>();
    const std::shared_ptr<nio::ConnectionGate> gate_ = std::make_shared<nio::ConnectionGate>(1);
    std::optional<apps::HttpServer> server_;
};

}  // namespace router
