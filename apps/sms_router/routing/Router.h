// Which way a message takes, and why. One Router per dispatcher: it keeps where round-robin stands,
// and which connector the parts of a long message took.
//
// Routers of different dispatchers do not talk, and still send the parts of one message the same
// way: within a group, parts are not balanced in turn but chosen by a hash of what they have in
// common. The table of parts only matters where a connector comes or goes in between: those that
// a Router has sent on keep their connector as long as it is live.
//
// What accounts are permitted to send is not checked here.
//
// Thread: one at a time.
// Lifetime: the board must outlive it; the configuration is shared. A decision's `route` is of the
// configuration in use.
// Limits: some 16,000 long messages under way, the oldest out; after ten minutes each is forgotten.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <smpp/text/UserDataHeader.h>

#include "sms_router/config/RouterConfig.h"
#include "sms_router/model/Rerouting.h"
#include "sms_router/routing/ConnectorBoard.h"
#include "sms_router/routing/GroupChooser.h"
#include "sms_router/routing/LocalTime.h"
#include "sms_router/routing/NumberIndex.h"
#include "sms_router/routing/PartTable.h"

namespace router {

// What rules look at. Views: valid during the call.
struct MessageFacts {
    std::string_view account;
    std::string_view source;
    std::string_view destination;
    std::uint8_t destinationTon = 0;
    std::string_view serviceType;
    std::uint8_t dataCoding = 0;
    std::optional<smpp::Concatenation> part;  // of a long message
    std::chrono::system_clock::time_point time{};
};

struct RouteDecision {
    // The connector, or the status that refuses.
    std::optional<std::size_t> connector;
    smpp::Status status = smpp::Status::ok;
    const RouteConfig* route = nullptr;  // that decided; null: none matched
    Rerouting rerouting{};
};

class Router {
  public:
    Router(SharedConfig config, const ConnectorBoard& board);

    // No allocation for numbers of up to 15 digits. A connector that is live may still refuse.
    // With `why`, each step is told in one line, and nothing moves on: it is what the next such
    // message would take.
    RouteDecision route(const MessageFacts& facts, std::vector<std::string>* why = nullptr);
    // Another live connector for what waits where it cannot be sent.
    std::optional<std::size_t> another(const Rerouting& rerouting);
    // The same for what has waited too long at `connector` (GroupConfig::overflowAfter): one that
    // has not too much waiting. Parts of long messages stay with the others.
    std::optional<std::size_t> overflow(const Rerouting& rerouting, std::size_t connector,
                                        nio::Clock::duration waited);
    // The shortest overflowAfter of a group that `connector` is in; 0: none.
    std::chrono::milliseconds overflowAfter(std::size_t connector) const;
    // The account (by its index) of an MO message, if there is one: whose number it is (however it
    // is spelled; those given in full first, then patterns, by the order of accounts), then by the
    // [[mo]] rules.
    std::optional<std::size_t> routeMo(std::size_t connector, std::string_view source,
                                       std::string_view destination,
                                       std::vector<std::string>* why = nullptr) const;

    // From now on. Parts under way keep their connector if it still exists under its name.
    void use(SharedConfig config);
    // With the board of the new configuration's connectors, where they are others.
    void use(SharedConfig config, const ConnectorBoard& board);
    const RouterConfig& config() const { return *config_; }

  private:
    // `number`: that of the destination, which has a price.
    RouteDecision decide(const RouteConfig& route, const MessageFacts& facts,
                         std::string_view number, std::vector<std::string>* why);
    std::optional<std::size_t> chooseFrom(std::size_t group, const MessageFacts& facts,
                                          std::string_view number, std::vector<std::string>* why);
    Rerouting reroutingOf(const RouteConfig& route, const MessageFacts& facts,
                          std::string_view number) const;
    std::optional<std::size_t> chooseForPart(std::size_t group, const MessageFacts& facts,
                                             std::string_view number,
                                             std::vector<std::string>* why);
    bool isLive(std::size_t connector) const;
    bool takes(std::size_t connector) const;

    SharedConfig config_;
    const ConnectorBoard* board_;
    GroupChooser chooser_;
    PartTable parts_;
    NumberIndex numbers_;
    LocalClock clock_;
};

}  // namespace router
