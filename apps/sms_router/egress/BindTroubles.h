// Why the binds of a connector fail: the last reason for the status page, and each reason once in
// the log until a bind is up.
//
// Thread: one at a time.
// Limit: `most` reasons are logged; further ones are only remembered as the last.
#pragma once

#include <set>
#include <string>

#include "sms_router/config/RouterConfig.h"
#include "sms_router/model/LastError.h"

namespace router {

class BindTroubles {
  public:
    static constexpr std::size_t most = 16;

    // `what` stands between the connector and the reason. Not logged unless `isLogged`.
    void note(const ConnectorConfig& config, const std::string& what, const std::string& why,
              bool isLogged);
    // Logged if a trouble was.
    void bound(const ConnectorConfig& config);
    const LastError& last() const { return last_; }

  private:
    LastError last_;
    std::set<std::string> logged_;  // since a bind was up
};

}  // namespace router
