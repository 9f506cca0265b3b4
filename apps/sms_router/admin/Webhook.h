// Posts JSON documents to a URL, one at a time and in order, without blocking.
//
// A document is delivered when the answer is 2xx; what comes before the final answer (1xx) is read
// over. Otherwise it is tried again, up to
// AlarmConfig::urlAttempts times, after 1 s, 2 s, 4 s and so on up to 30 s; then it is lost, as is
// the oldest when more than AlarmConfig::urlQueue wait. The log says once that posts fail, and once
// that they succeed again and how many were lost. It names host and port only: the rest of the URL
// may hold a secret.
//
// The server of an https:// URL must have a certificate with the host's name that the context of
// useTls() trusts. The time of an attempt includes the handshake.
//
// Thread: the dispatcher's own, except construction, useTls() before the dispatcher starts, and
// lost().
// Lifetime: it must go after its dispatcher has stopped, and before that is destroyed.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include <nio/net/Connector.h>
#include <nio/timers/Deadline.h>

#include <nio-tls/TlsContext.h>

#include "sms_router/config/RouterConfig.h"

namespace router {

class Webhook final : private nio::ConnectorListener {
  public:
    Webhook(nio::SelectorThread& thread, std::shared_ptr<nio::Resolver> resolver,
            const AlarmConfig& config);
    ~Webhook() override;

    // For the attempts from now on; null: the URL is not https.
    void useTls(std::shared_ptr<const nio::TlsContext> tls) { tls_ = std::move(tls); }
    // Without a host what waits is dropped. Another URL or authority gets what waits, and is tried
    // at once.
    void useNow(const AlarmConfig& config) NIO_REQUIRES(nio::onDispatcher);
    void postNow(std::string document) NIO_REQUIRES(nio::onDispatcher);
    // The router stops: what fails from now on is not tried again, and nothing is said of it.
    void endNow() NIO_REQUIRES(nio::onDispatcher);
    // Thread: any.
    std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }

  private:
    // One attempt. Its connection may outlive it.
    struct Attempt;
    struct Exchange;

    void connectionEstablished(nio::Connector& connector, nio::SocketChannel channel) override
        NIO_REQUIRES(nio::onDispatcher);
    void connectionFailed(nio::Connector& connector, const nio::Error& error) override
        NIO_REQUIRES(nio::onDispatcher);
    void beginNext() NIO_REQUIRES(nio::onDispatcher);
    void begin() NIO_REQUIRES(nio::onDispatcher);
    void answered(std::string_view statusLine) NIO_REQUIRES(nio::onDispatcher);
    void timeIsUp() NIO_REQUIRES(nio::onDispatcher);
    void succeeded() NIO_REQUIRES(nio::onDispatcher);
    void failed(const std::string& why) NIO_REQUIRES(nio::onDispatcher);
    void endAttempt() NIO_REQUIRES(nio::onDispatcher);
    void lose();
    std::string requestWith(const std::string& document) const;

    nio::SelectorThread& thread_;
    const std::shared_ptr<nio::Resolver> resolver_;
    AlarmConfig config_;
    std::shared_ptr<const nio::TlsContext> tls_;
    std::deque<std::string> waiting_;   // the first is being posted
    std::shared_ptr<Attempt> attempt_;  // null: none
    std::optional<nio::Connector> connector_;
    nio::Deadline deadline_;    // of the attempt, or until the next one
    std::size_t attempts_ = 0;  // of the first document, that have failed
    unsigned failures_ = 0;     // in a row
    std::uint64_t unsaid_ = 0;  // lost since posts fail
    bool isOver_ = false;
    std::atomic<std::uint64_t> lost_{0};
};

}  // namespace router
