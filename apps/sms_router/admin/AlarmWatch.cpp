#include "sms_router/admin/AlarmWatch.h"

#include <nio/base/Log.h>
#include <nlohmann/json.hpp>

#include "common/Printable.h"
#include "sms_router/records/RecordLine.h"

namespace router {

namespace {

using Json = nlohmann::ordered_json;

std::string documentOf(const Alarm& alarm, bool begins, const std::string& systemId) {
    std::string time;
    appendTime(time, std::chrono::system_clock::now());
    const Json document{
        {"alarm", nameOf(alarm.kind)}, {"name", alarm.name}, {"state", begins ? "begins" : "ends"},
        {"text", alarm.text},          {"time", time},       {"router", systemId}};
    return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

AlarmWatch::AlarmWatch(nio::SelectorThread& thread, std::shared_ptr<nio::Resolver> resolver,
                       const RouterConfig& config, Look look)
    : look_(std::move(look)),
      alarms_(config.alarms),
      webhook_(thread, std::move(resolver), config.alarms),
      systemId_(config.router.systemId),
      posts_(!config.alarms.url.host.empty()),
      next_(thread.deadlines(), [this] {
          nio::onDispatcher.assertCurrent();
          next_.wakeAfter(period);  // first: what follows may throw
          look_();
      }) {}

void AlarmWatch::useNow(const AlarmConfig& config, const std::string& systemId) {
    alarms_.use(config);
    webhook_.useNow(config);
    systemId_ = systemId;
    const bool posted = std::exchange(posts_, !config.url.host.empty());
    if (posted || !posts_ || isOver_) return;
    for (const auto& [key, alarm] : known_) webhook_.postNow(documentOf(alarm, true, systemId_));
}

void AlarmWatch::startNow() {
    next_.wakeAfter(period);
}

void AlarmWatch::endNow() {
    isOver_ = true;
    next_.cancel();
    webhook_.endNow();
}

std::vector<Alarm> AlarmWatch::judgeNow(const Snapshot& snapshot) {
    return alarms_.judge(snapshot, nio::Clock::now());
}

void AlarmWatch::notedNow(const Snapshot& snapshot) {
    if (isOver_ || snapshot.draining) return;
    std::map<Key, Alarm> now;
    for (const Alarm& alarm : snapshot.alarms) now.emplace(Key{alarm.kind, alarm.name}, alarm);
    for (const auto& [key, alarm] : known_) {
        if (!now.contains(key)) say(alarm, false);
    }
    for (const auto& [key, alarm] : now) {
        if (!known_.contains(key)) say(alarm, true);
    }
    known_ = std::move(now);
}

void AlarmWatch::say(const Alarm& alarm, bool begins) {
    const std::string text = apps::printable(alarm.text);
    begins ? nio::log(nio::LogLevel::warning, "alarm: " + text)
           : nio::log(nio::LogLevel::info, "alarm is over: " + text);
    webhook_.postNow(documentOf(alarm, begins, systemId_));
}

}  // namespace router
