// Looks at the router every few seconds, and says when an alarm begins and when it ends: in the
// log, and to the webhook.
//
//     warning: alarm: Connector north has more than 1000 requests in its queue.
//     info: alarm is over: Connector north has more than 1000 requests in its queue.
//
//     {"alarm": "queue", "name": "north", "state": "begins", "text": "…", "time": "2026-…Z",
//      "router": SYSTEM_ID}
//
// What begins and ends between two looks is not said. Nothing is said while the router drains.
//
// Thread: the dispatcher's own, except construction and lost().
// Lifetime: as Webhook's.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "sms_router/admin/Alarms.h"
#include "sms_router/admin/Webhook.h"

namespace router {

class AlarmWatch {
  public:
    static constexpr std::chrono::seconds period{5};

    // Asks for a snapshot, which comes by notedNow().
    using Look = std::function<void()>;

    AlarmWatch(nio::SelectorThread& thread, std::shared_ptr<nio::Resolver> resolver,
               const RouterConfig& config, Look look);

    // With a URL where there was none, the alarms that are on are posted to it.
    void useNow(const AlarmConfig& config, const std::string& systemId)
        NIO_REQUIRES(nio::onDispatcher);
    void startNow() NIO_REQUIRES(nio::onDispatcher);
    void endNow() NIO_REQUIRES(nio::onDispatcher);

    // For any snapshot: a page shows its alarms at once.
    std::vector<Alarm> judgeNow(const Snapshot& snapshot) NIO_REQUIRES(nio::onDispatcher);
    // Says what has begun and what has ended since the last one.
    void notedNow(const Snapshot& snapshot) NIO_REQUIRES(nio::onDispatcher);
    // Notices that the webhook did not get. Thread: any.
    std::uint64_t lost() const { return webhook_.lost(); }

  private:
    using Key = std::pair<Alarm::Kind, std::string>;

    void say(const Alarm& alarm, bool begins) NIO_REQUIRES(nio::onDispatcher);

    const Look look_;
    Alarms alarms_;
    Webhook webhook_;
    std::string systemId_;
    bool posts_;
    std::map<Key, Alarm> known_;
    nio::Deadline next_;
    bool isOver_ = false;
};

}  // namespace router
