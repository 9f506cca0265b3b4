#include "sms_router/admin/Webhook.h"

#include <algorithm>

#include <nio/base/Log.h>

namespace router {

namespace {

constexpr std::chrono::seconds firstPause{1};
constexpr std::chrono::seconds longestPause{30};

std::chrono::seconds pauseAfter(unsigned failures) {
    return std::min(longestPause, firstPause * (1 << std::min(failures - 1, 5U)));
}

apps::HttpClientOptions optionsOf(const AlarmConfig& config) {
    apps::HttpClientOptions options;
    options.authority = config.urlAuthority;
    options.allowPrivate = true;  // the operator's own URL
    return options;
}

}  // namespace

Webhook::Webhook(nio::SelectorThread& thread, std::shared_ptr<nio::Resolver> resolver,
                 const AlarmConfig& config)
    : thread_(thread),
      resolver_(std::move(resolver)),
      config_(config),
      pause_(thread.deadlines(), [this] {
          nio::onDispatcher.assertCurrent();
          beginNext();
      }) {}

void Webhook::useNow(const AlarmConfig& config) {
    const bool isAnother = config_.url != config.url || config_.urlAuthority != config.urlAuthority;
    config_ = config;
    isOutdated_ = true;
    if (!isAnother) return;
    client_.reset();
    isPosting_ = false;
    pause_.cancel();
    attempts_ = 0;
    failures_ = 0;
    unsaid_ = 0;
    if (config_.url.host.empty()) waiting_.clear();
    beginNext();
}

void Webhook::postNow(std::string document) {
    if (config_.url.host.empty()) return;
    waiting_.push_back(std::move(document));
    const std::ptrdiff_t begun = isPosting_ || attempts_ > 0 ? 1 : 0;
    while (waiting_.size() > config_.urlQueue + static_cast<std::size_t>(begun)) {
        waiting_.erase(waiting_.begin() + begun);
        lose();
    }
    beginNext();
}

void Webhook::endNow() {
    isOver_ = true;
    pause_.cancel();
}

void Webhook::lose() {
    ++unsaid_;
    lost_.fetch_add(1, std::memory_order_relaxed);
}

void Webhook::beginNext() {
    if (isPosting_ || pause_.isSet() || waiting_.empty()) return;
    if (!client_ || std::exchange(isOutdated_, false)) {
        client_.emplace(thread_, resolver_, optionsOf(config_));
    }
    apps::HttpCall post{.method = "POST", .url = config_.url.text(), .body = waiting_.front()};
    post.headers = {{"User-Agent", "sms-router"}, {"Content-Type", "application/json"}};
    post.timeLimit = config_.urlTimeout;
    (void)client_->callNow(std::move(post), [this](const nio::Result<apps::HttpAnswer>& answer) {
        nio::onDispatcher.assertCurrent();
        answered(answer);
    });
    isPosting_ = true;
}

void Webhook::answered(const nio::Result<apps::HttpAnswer>& answer) {
    isPosting_ = false;
    if (!answer) return failed(answer.error().context());
    const int status = answer.value().status;
    if (status / 100 != 2) return failed("answered with status " + std::to_string(status));
    succeeded();
}

void Webhook::succeeded() {
    waiting_.pop_front();
    attempts_ = 0;
    if (std::exchange(failures_, 0) > 0) {
        nio::log(nio::LogLevel::info, "alarms: posts to " + config_.url.hostAndPort() +
                                          " succeed again; " + std::to_string(unsaid_) +
                                          " notices were lost");
    }
    unsaid_ = 0;
    beginNext();
}

void Webhook::failed(const std::string& why) {
    if (isOver_) return;
    if (++failures_ == 1) {
        nio::log(nio::LogLevel::warning, "alarms: post to " + config_.url.hostAndPort() +
                                             " failed: " + why +
                                             "; further failures are not logged");
    }
    if (++attempts_ >= config_.urlAttempts) {
        waiting_.pop_front();
        attempts_ = 0;
        lose();
    }
    pause_.wakeAfter(pauseAfter(failures_));
}

}  // namespace router
