// The webhooks of the accounts whose home is one dispatcher: each is a bind at its account's desk,
// which gives it a few receipts and messages at a time, repeats what is not taken with growing
// pauses, and keeps it in the store meanwhile. So each is posted at least once, and a webhook that
// does not answer holds up nothing but its own account's.
//
// Any answer 2xx takes it; any other, and none within the time limit, does not. Redirects are not
// followed.
//
// Thread: the dispatcher's own, except construction.
// Lifetime: the router's.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "common/http/HttpClient.h"
#include "sms_router/config/RouterConfig.h"
#include "sms_router/model/Ingress.h"
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

  private:
    // Of one account.
    struct Hook {
        Account* account = nullptr;
        WebhookConfig config{};
        unsigned failures = 0;  // in a row
    };

    void add(Account& account, const WebhookConfig& config) NIO_REQUIRES(nio::onDispatcher);
    void answered(nio::ChannelHandle bind, std::uint64_t number,
                  const nio::Result<apps::HttpAnswer>& answer) NIO_REQUIRES(nio::onDispatcher);
    static void note(Hook& hook, const std::string& failure);
    nio::ChannelHandle bindOf(std::uint32_t hook) const;

    Shard& shard_;
    Ingress& ingress_;
    const std::shared_ptr<nio::Resolver> resolver_;
    std::optional<apps::HttpClient> client_;  // once there is a webhook
    std::uint32_t last_ = 0;
    std::map<std::uint32_t, Hook> hooks_;  // by the slot of their bind
};

}  // namespace router
