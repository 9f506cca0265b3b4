// --metrics: what the dispatchers count, for Prometheus. It has a dispatcher of its own: who asks
// keeps no connection waiting, and its connections and limits are not those of the echo service.
//
// Thread: construction and destruction any one.
// Lifetime: `group` must outlive it.
// Errors: the constructor throws std::system_error where its dispatcher refuses the listener.
#pragma once

#include <memory>
#include <string>

#include <nio/channel/ServerSocketChannel.h>
#include <nio/group/SelectorThreadGroup.h>
#include <nio/memory/MemoryBudget.h>

namespace echo {

class MetricsServer {
  public:
    // `budget` may be null. `options`: of its dispatcher, which has a name of its own.
    MetricsServer(nio::ServerSocketChannel listening, const nio::SelectorThreadGroup& group,
                  std::shared_ptr<const nio::MemoryBudget> budget,
                  nio::SelectorThreadOptions options = {});

    const std::string& url() const { return url_; }

  private:
    nio::SelectorThread thread_;
    std::string url_;
};

}  // namespace echo
