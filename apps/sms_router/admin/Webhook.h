// Posts JSON documents to a URL, one at a time and in order, without blocking.
//
// A document is delivered when the answer is 2xx. Otherwise it is tried again, up to
// AlarmConfig::urlAttempts times, after 1 s, 2 s, 4 s and so on up to 30 s; then it is lost, as is
// the oldest when more than AlarmConfig::urlQueue wait. The log says once that posts fail, and once
// that they succeed again and how many were lost. It names host and port only: the rest of the URL
// may hold a secret.
//
// Thread: the dispatcher's own, except construction and lost().
// Lifetime: it must go after its dispatcher has stopped, and before that is destroyed.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "common/http/HttpClient.h"
#include "sms_router/config/RouterConfig.h"

namespace router {

class Webhook final {
  public:
    Webhook(nio::SelectorThread& thread, std::shared_ptr<nio::Resolver> resolver,
            const AlarmConfig& config);

    // Without a host what waits is dropped. Another URL or authority gets what waits, and is tried
    // at once. The authority's file is read again for the next attempt.
    void useNow(const AlarmConfig& config) NIO_REQUIRES(nio::onDispatcher);
    void postNow(std::string document) NIO_REQUIRES(nio::onDispatcher);
    // The router stops: what fails from now on is not tried again, and nothing is said of it.
    void endNow() NIO_REQUIRES(nio::onDispatcher);
    // Thread: any.
    std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

  private:
    void beginNext() NIO_REQUIRES(nio::onDispatcher);
    void answered(const nio::Result<apps::HttpAnswer>& answer) NIO_REQUIRES(nio::onDispatcher);
    void succeeded() NIO_REQUIRES(nio::onDispatcher);
    void failed(const std::string& why) NIO_REQUIRES(nio::onDispatcher);
    void lose();

    nio::SelectorThread& thread_;
    const std::shared_ptr<nio::Resolver> resolver_;
    AlarmConfig config_;
    std::optional<apps::HttpClient> client_;
    bool isOutdated_ = false;          // the client
    std::deque<std::string> waiting_;  // the first is being posted
    bool isPosting_ = false;
    nio::Deadline pause_;       // until the next attempt
    std::size_t attempts_ = 0;  // of the first document, that have failed
    unsigned failures_ = 0;     // in a row
    std::uint64_t unsaid_ = 0;  // lost since posts fail
    bool isOver_ = false;
    std::atomic<std::uint64_t> lost_{0};
};

}  // namespace router
