// The webhooks of the accounts whose home is one dispatcher: each is a bind at its account's desk,
// which gives it a few receipts and messages at a time, repeats what is not taken with growing
// pauses, and keeps it in the store meanwhile. So each is posted at least once, and a webhook that
// does not answer holds up nothing but its own account's.
//
// The receipt of a message goes to the URL that the message has named, if it has. Where the host of
// such a URL does not answer, what is for it is not tried for a while, so that it does not fill the
// window of the account.
//
// Any answer 2xx takes it, of Jasmin's format with its body; any other, and none within the time
// limit, does not. Redirects are not followed.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: the router's.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/http/HttpClient.h"
#include "sms_router/config/RouterConfig.h"
#include "sms_router/http/Callback.h"
#include "sms_router/http/FailingHosts.h"
#include "sms_router/http/Notice.h"
#include "sms_router/model/Ingress.h"
#include "sms_router/model/Snapshot.h"
#include "sms_router/routing/Shard.h"

namespace router {

class Webhooks {
  public:
    // `ingress` gives what is for a bind to deliverNow().
    Webhooks(Shard& shard, Ingress& ingress, std::shared_ptr<nio::Resolver> resolver)
        : shard_(shard), ingress_(ingress), resolver_(std::move(resolver)) {}

    // Thread: any.
    nio::SelectorThread& dispatcher() const { return shard_.thread(); }
    // Those of the shard's configuration.
    void useNow() NIO_REQUIRES(nio::onDispatcher);
    void endNow() NIO_REQUIRES(nio::onDispatcher);
    void deliverNow(nio::ChannelHandle bind, std::uint64_t number, const nio::Bytes& pdu)
        NIO_REQUIRES(nio::onDispatcher);
    // How they are, by account.
    using Rows = std::vector<std::pair<std::string, WebhookRow>>;
    Rows rowsNow() const NIO_REQUIRES(nio::onDispatcher);

  private:
    // Of one account.
    struct Hook {
        Account* account = nullptr;
        WebhookConfig config{};
        unsigned failures = 0;  // in a row
        nio::TimePoint failsSince{};
        std::string lastError{};
        std::size_t posts = 0;   // in flight
        FailingHosts failing{};  // of the URLs of messages
    };

    // One at a bind, and in which format it is told.
    struct Told {
        nio::ChannelHandle bind;
        std::uint64_t number = 0;
        WebhookFormat format = WebhookFormat::json;
        std::string host{};  // of the message's URL; empty: the account's
    };

    void add(Account& account, const WebhookConfig& config) NIO_REQUIRES(nio::onDispatcher);
    void sentFound(nio::ChannelHandle bind, std::uint64_t number, const nio::Bytes& pdu,
                   const std::optional<SentRecord>& sent) NIO_REQUIRES(nio::onDispatcher);
    void tellAs(Hook& hook, Notice notice, Told told, const Callback& callback)
        NIO_REQUIRES(nio::onDispatcher);
    void answered(const Told& told, const nio::Result<apps::HttpAnswer>& answer)
        NIO_REQUIRES(nio::onDispatcher);
    // Which an id was made for; empty: none.
    std::string connectorOf(std::string_view id) const;
    apps::HttpClient& clientFor(bool allowsPrivate);
    static void note(Hook& hook, const std::string& failure);
    nio::ChannelHandle bindOf(std::uint32_t hook) const;

    Shard& shard_;
    Ingress& ingress_;
    const std::shared_ptr<nio::Resolver> resolver_;
    // Made when needed. The second is for URLs of applications: without private addresses.
    std::optional<apps::HttpClient> client_;
    std::optional<apps::HttpClient> guarded_;
    std::uint32_t last_ = 0;
    std::map<std::uint32_t, Hook> hooks_;  // by the slot of their bind
};

}  // namespace router
