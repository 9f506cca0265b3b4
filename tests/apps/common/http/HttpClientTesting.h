// What the tests of the HTTP client share: a client on a dispatcher whose turns the test makes,
// what became of its calls, and a server that does what the test says, octet by octet.
//
// Thread: that of the test.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/http/HttpClient.h"
#include "support/BareListener.h"
#include "support/TestDispatcher.h"
#include "support/TurnUntil.h"

namespace httptest {

// One connection at a time.
class ScriptedServer {
  public:
    std::string url(const std::string& path = "/") const {
        return "http://" + listener_.address.toString() + path;
    }
    // Whether another connection has come; it takes the place of the last one.
    bool hasConnection() {
        nio::kernel::Accepted accepted = nio::kernel::accept(listener_.fd.get());
        if (!accepted.fd) return false;
        peer_.emplace(std::move(accepted.fd));
        request_.clear();
        return true;
    }
    // Whether the request has come whole; without a body.
    bool isAsked() {
        if (!peer_ && !hasConnection()) return false;
        request_ += peer_->receiveWhatIsThere();
        return request_.ends_with("\r\n\r\n");
    }
    const std::string& request() const { return request_; }
    void send(std::string_view text) { peer_->send(text); }
    void close() { peer_.reset(); }
    void reset() {
        nio::kernel::setResetOnClose(peer_->fd()).orThrow();
        close();
    }
    // Whether the client has closed the connection.
    bool isLeft() {
        (void)peer_->receiveWhatIsThere();
        return peer_->last().status == nio::IoStatus::closed || peer_->last().isFailed();
    }

  private:
    support::BareListener listener_;
    std::optional<support::Peer> peer_;
    std::string request_;
};

class HttpClientTest : public testing::Test {
  protected:
    using Answer = nio::Result<apps::HttpAnswer>;

    void start(apps::HttpClientOptions options = {}) {
        options.allowPrivate = true;
        client = std::make_unique<apps::HttpClient>(*dispatcher, resolver, std::move(options));
    }
    // Its number: what becomes of it is answers[number].
    std::size_t call(apps::HttpCall what) {
        const std::size_t number = ++calls;
        dispatcher.inTurn([&] {
            nio::onDispatcher.assertCurrent();
            lastId = client->callNow(std::move(what), [this, number](Answer answer) {
                EXPECT_TRUE(answers.emplace(number, std::move(answer)).second) << "twice";
            });
            EXPECT_FALSE(answers.contains(number)) << "inside callNow()";
        });
        return number;
    }
    std::size_t call(const std::string& url) {
        apps::HttpCall what;
        what.url = url;
        what.timeLimit = std::chrono::hours(1);
        return call(std::move(what));
    }
    bool until(const std::function<bool()>& done) { return support::turnUntil(*dispatcher, done); }
    Answer answerTo(std::size_t number) {
        if (!until([&] { return answers.contains(number); })) return nio::Errc::timedOut;
        return answers.at(number);
    }
    template <class Call>
    Answer get(Call&& what) {
        return answerTo(call(std::forward<Call>(what)));
    }
    // Of one that fails.
    static std::string reasonOf(const Answer& answer) {
        return answer ? "none" : answer.error().context();
    }

    std::shared_ptr<nio::Resolver> resolver = std::make_shared<nio::Resolver>();
    support::TestDispatcher dispatcher;
    std::unique_ptr<apps::HttpClient> client;
    std::size_t calls = 0;
    apps::HttpClient::CallId lastId = 0;
    std::map<std::size_t, Answer> answers;
};

}  // namespace httptest
