// Brings a configuration into force, the first and each one after it: listeners and how many
// connections they may have, HTTP, accounts, connectors, TLS. All of it, or nothing.
//
// Thread: one at a time: before the dispatchers start, later on a dispatcher of its own, since
// files are read and passwords hashed.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sms_router/app/Directory.h"
#include "sms_router/app/ListeningSockets.h"
#include "sms_router/config/RouterConfig.h"
#include "sms_router/http/HttpDoor.h"
#include "sms_router/ingress/EsmeListener.h"

namespace router {

class Deployment {
  public:
    Deployment(Directory& directory, nio::SelectorThreadGroup& group, const ShardSet& shards,
               ListeningSockets sockets)
        : directory_(directory),
          group_(group),
          shards_(shards),
          sockets_(std::move(sockets)),
          http_(shards) {}

    // What stands in the way, a line each; none: it is in force. `refused` hears of a listener that
    // its dispatcher could not take afterwards.
    std::vector<std::string> apply(const SharedConfig& config, EsmeListener::Refused refused = {});
    // HTTP, too; and webhooks get nothing more.
    void closeListeners();
    // What listeners and connectors use now.
    std::vector<CertificateRow> certificates() const;

    const HttpDoor& http() const { return http_; }
    ListeningSockets& sockets() { return sockets_; }

    const std::vector<std::unique_ptr<EsmeListener>>& listeners() const { return listeners_; }
    // What cannot change while it runs, and would; a line each.
    static std::vector<std::string> fixedChanges(const RouterConfig& next,
                                                 const RouterConfig& running);
    // What changes, but not for connections that are there.
    static std::vector<std::string> laterChanges(const RouterConfig& next,
                                                 const RouterConfig& before);

  private:
    using Dialings = std::vector<std::shared_ptr<const SmscDialing>>;
    struct Opened {
        std::unique_ptr<EsmeListener> fresh;  // or
        EsmeListener* kept = nullptr;
        EsmeListener::Tls tls;
    };

    Dialings makeDialings(const RouterConfig& config, std::vector<std::string>& mistakes);
    std::vector<Opened> openListeners(const RouterConfig& config,
                                      std::vector<std::string>& mistakes);
    nio::Result<std::unique_ptr<EsmeListener>> openListener(const ListenerConfig& config,
                                                            const EsmeListener::Tls& tls);
    // True: it was not open before.
    bool openHttp(const RouterConfig& config, std::vector<std::string>& mistakes);
    void startHttp(EsmeListener::Refused refused);
    void rememberPlaces(const RouterConfig& config);
    EsmeListener* listenerAt(const ListenerConfig& config) const;
    void drop(const std::vector<Opened>& opened, bool isHttpNew);
    void closeHttp();
    void takeListeners(const RouterConfig& config, std::vector<Opened> opened,
                       const EsmeListener::Refused& refused);

    Directory& directory_;
    nio::SelectorThreadGroup& group_;
    const ShardSet& shards_;
    ListeningSockets sockets_;
    const std::shared_ptr<nio::Resolver> resolver_ = std::make_shared<nio::Resolver>();
    Dialings dialings_;  // those in force; by connector, null: it is gone
    HttpDoor http_;
    EsmeListener::Tls httpTls_;  // null: it has none
    RouterConfig places_;        // the names of all connectors that there have been
    std::vector<std::unique_ptr<EsmeListener>> listeners_;
};

// `next` in the terms of the running configuration: connectors keep their index, so that requests
// in flight still mean the same one. A connector that is gone keeps an empty place, without a name.
// Thread: any; pure.
std::shared_ptr<const RouterConfig> withRunningIndices(const RouterConfig& next,
                                                       const RouterConfig& running);

// How many connections each listener may have, so that strangers cannot take the descriptors that
// the router needs for its own side. Thread: any; pure.
//
// One for each listener: its max_connections; where that is 0 an equal part of what is left of
// `descriptors` by the router itself, the binds of the connectors, the admin interface, the
// `dispatchers`, and the listeners that say a number. Where that is little: of a quarter of
// `descriptors`. At least 1.
std::vector<std::size_t> connectionLimits(const RouterConfig& config, std::size_t descriptors,
                                          std::size_t dispatchers);

}  // namespace router
