#include "sms_router/admin/Webhook.h"

#include <algorithm>

#include <nio/base/Log.h>
#include <nio/pipeline/PipelineFactory.h>

#include <nio-tls/Tls.h>

#include "common/Printable.h"

namespace router {

namespace {

constexpr std::chrono::seconds firstPause{1};
constexpr std::chrono::seconds longestPause{30};
constexpr std::size_t longestLine = 4096;  // of the answer's head
constexpr std::size_t shownBytes = 100;    // of one that is no HTTP

std::chrono::seconds pauseAfter(unsigned failures) {
    return std::min(longestPause, firstPause * (1 << std::min(failures - 1, 5U)));
}

// "HTTP/1.1 204 No Content"; 0: this is none.
int statusOf(std::string_view line) {
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    if (line.size() < 12 || !line.starts_with("HTTP/1.") || line[8] != ' ') return 0;
    const std::string_view digits = line.substr(9, 3);
    if (!std::all_of(digits.begin(), digits.end(), isDigit)) return 0;
    return (digits[0] - '0') * 100 + (digits[1] - '0') * 10 + (digits[2] - '0');
}

// The final answer follows. None follows 101, Switching Protocols.
bool isInterimStatus(int status) {
    return status / 100 == 1 && status != 101;
}

}  // namespace

struct Webhook::Attempt {
    nio::ChannelHandle connection{};
};

// What the connection of an attempt does.
struct Webhook::Exchange {
    Webhook* webhook;
    std::weak_ptr<Attempt> attempt;
    std::string unread{};
    bool isInterim = false;  // what follows up to an empty line: 1xx

    void opened(auto& peer) NIO_REQUIRES(nio::onDispatcher) {
        if (attempt.expired()) return;
        peer.send(nio::asBytes(webhook->requestWith(webhook->waiting_.front())));
    }
    void read(auto& peer, std::string_view bytes) NIO_REQUIRES(nio::onDispatcher) {
        if (attempt.expired()) return;
        unread.append(bytes);
        while (const std::optional<std::string> line = nextLine()) {
            if (isInterim) {
                isInterim = !line->empty();
            } else if (!(isInterim = isInterimStatus(statusOf(*line)))) {
                peer.closeAfterFlush();
                if (!attempt.expired()) webhook->answered(*line);
                return;
            }
        }
        if (unread.size() <= longestLine) return;
        webhook->failed("no HTTP answer: a line of more than " + std::to_string(longestLine) +
                        " octets");
    }
    void failed(auto&, const nio::Error& error) NIO_REQUIRES(nio::onDispatcher) {
        if (!attempt.expired()) webhook->failed(error.message());
    }
    void closed(auto&) NIO_REQUIRES(nio::onDispatcher) {
        if (!attempt.expired()) webhook->failed("closed without an answer");
    }

  private:
    // Without its end.
    std::optional<std::string> nextLine() {
        const std::size_t end = unread.find('\n');
        if (end == unread.npos || end > longestLine) return std::nullopt;
        std::string line = unread.substr(0, end);
        unread.erase(0, end + 1);
        if (line.ends_with('\r')) line.pop_back();
        return line;
    }
};

Webhook::Webhook(nio::SelectorThread& thread, std::shared_ptr<nio::Resolver> resolver,
                 const AlarmConfig& config)
    : thread_(thread),
      resolver_(std::move(resolver)),
      config_(config),
      deadline_(thread.deadlines(), [this] {
          nio::onDispatcher.assertCurrent();
          timeIsUp();
      }) {}

Webhook::~Webhook() = default;

void Webhook::useNow(const AlarmConfig& config) {
    const bool isAnother = config_.url != config.url || config_.urlAuthority != config.urlAuthority;
    config_ = config;
    if (!isAnother) return;
    endAttempt();
    deadline_.cancel();
    attempts_ = 0;
    failures_ = 0;
    unsaid_ = 0;
    if (config_.url.host.empty()) waiting_.clear();
    beginNext();
}

void Webhook::postNow(std::string document) {
    if (config_.url.host.empty()) return;
    waiting_.push_back(std::move(document));
    const std::ptrdiff_t begun = attempt_ != nullptr || attempts_ > 0 ? 1 : 0;
    while (waiting_.size() > config_.urlQueue + static_cast<std::size_t>(begun)) {
        waiting_.erase(waiting_.begin() + begun);
        lose();
    }
    beginNext();
}

void Webhook::endNow() {
    isOver_ = true;
    if (attempt_ == nullptr) deadline_.cancel();
}

void Webhook::lose() {
    ++unsaid_;
    lost_.fetch_add(1, std::memory_order_relaxed);
}

void Webhook::beginNext() {
    if (attempt_ != nullptr || deadline_.isSet() || waiting_.empty()) return;
    begin();
}

void Webhook::begin() {
    attempt_ = std::make_shared<Attempt>();
    deadline_.wakeAfter(config_.urlTimeout);
    nio::ConnectorOptions options;
    options.timeout = config_.urlTimeout;
    options.resolver = resolver_;
    connector_.emplace(thread_, static_cast<nio::ConnectorListener&>(*this), options);
    connector_->connectNow(config_.url.host, config_.url.port);
}

std::string Webhook::requestWith(const std::string& document) const {
    return "POST " + config_.url.target + " HTTP/1.1\r\nHost: " + config_.url.hostAndPort() +
           "\r\nUser-Agent: sms-router\r\nContent-Type: application/json\r\nContent-Length: " +
           std::to_string(document.size()) + "\r\nConnection: close\r\n\r\n" + document;
}

void Webhook::connectionEstablished(nio::Connector&, nio::SocketChannel channel) {
    // Throws where an https:// URL has no context: nothing leaves as plain text.
    std::string name = config_.url.host;
    if (name.ends_with('.')) name.pop_back();  // of the root of the DNS: no certificate has it
    const nio::TlsStage tls = config_.url.isTls ? nio::tls(tls_, name) : nio::tls();
    const auto handlers = nio::pipeline(tls, Exchange{this, attempt_});
    const std::weak_ptr<Attempt> mine = attempt_;
    auto registered = thread_.registerChannelNow(handlers(std::move(channel)), nio::Interest::read);
    if (!registered) return failed(registered.error().message());
    if (const auto attempt = mine.lock()) attempt->connection = registered.value();
}

void Webhook::connectionFailed(nio::Connector&, const nio::Error& error) {
    failed(error.message());
}

void Webhook::answered(std::string_view statusLine) {
    const int status = statusOf(statusLine);
    if (status / 100 == 2) return succeeded();
    const std::string_view shown = statusLine.substr(0, shownBytes);
    failed(status == 0 ? "no HTTP answer: '" + apps::printable(shown) + "'"
                       : "answered with status " + std::to_string(status));
}

void Webhook::timeIsUp() {
    if (attempt_ == nullptr) return beginNext();
    failed("no answer in " + std::to_string(config_.urlTimeout.count()) + " ms");
}

void Webhook::endAttempt() {
    if (attempt_ == nullptr) return;
    const nio::ChannelHandle connection = attempt_->connection;
    attempt_.reset();
    connector_->cancelNow();
    if (connection.dispatcher() == nullptr) return;
    nio::SelectorHandler* const found = thread_.findNow(connection);
    if (found != nullptr) static_cast<nio::StreamHandler*>(found)->abort();
}

void Webhook::succeeded() {
    endAttempt();
    deadline_.cancel();
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
    endAttempt();
    if (isOver_) return deadline_.cancel();
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
    deadline_.wakeAfter(pauseAfter(failures_));
}

}  // namespace router
