// What a new configuration has for the connectors. They hear of it once every shard routes by it:
// one that was retired before would refuse what the others still send it. Each shard hears of one
// configuration after the other, so a later one's news overtakes no earlier one's.
//
// Thread: any.
// Lifetime: the connectors must outlive it.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "sms_router/egress/SmscConnector.h"

namespace router {

class ConnectorNews {
  public:
    struct Entry {
        SmscConnector* connector;
        std::shared_ptr<const SmscDialing> dialing;  // null: it is retired
    };

    ConnectorNews(std::size_t shards, std::vector<Entry> entries)
        : left_(shards), entries_(std::move(entries)) {}

    // One more shard routes by the configuration, or has stopped.
    void heard() noexcept;

    // heard() when it ends, however it ends.
    class Hearing {
      public:
        explicit Hearing(ConnectorNews& news) : news_(news) {}
        Hearing(const Hearing&) = delete;
        Hearing& operator=(const Hearing&) = delete;
        ~Hearing() { news_.heard(); }

      private:
        ConnectorNews& news_;
    };

  private:
    std::atomic<std::size_t> left_;
    const std::vector<Entry> entries_;
};

}  // namespace router
