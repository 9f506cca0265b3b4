// The router's admin interface behind a real socket, with a made-up router. What must hold:
//  - where the stream is cut changes no answer. Of two things that are wrong the cut may say which
//    is answered (see http_requests.cpp): the last answer is compared by its kind alone;
//  - the connection ends when all is answered, and nothing fails on the dispatcher;
//  - who does not show the token learns nothing and changes nothing.
//
// Input: whether there is a token, how many cuts, the sizes of the pieces, the stream.

#include "apps/sms_router/admin/FakeRouter.h"
#include "sms_router/admin/AdminServer.h"
#include "support/TestClient.h"
#include "support/TestDispatcher.h"

#include "fuzz/FuzzTarget.h"

namespace {

using fuzz::require;

const std::string token = "a token that nobody guesses";
constexpr std::string_view version = "HTTP/1.1 ";

// The ports of one host would not last: each connection keeps one for a minute after its end.
nio::SocketAddress nextHost() {
    static unsigned count = 0;
    const std::string last = std::to_string(1 + count++ % 250);
    return nio::SocketAddress::numeric("127.0.0." + last, 0).orThrow();
}

// One router and one client.
class Site {
  public:
    explicit Site(bool hasToken) {
        router::AdminOptions options;
        if (hasToken) options.token = token;
        auto server =
            router::AdminServer::open(nio::ServerSocketChannel::open(nextHost()).orThrow(), options,
                                      *dispatcher_, fake_.calls())
                .orThrow();
        require(server.start(), "it serves");
        client_.emplace(server.address());
        nio::kernel::setNoDelay(client_->fd(), true).orThrow();
    }
    ~Site() {
        client_->reset();
        dispatcher_->requestClose({std::chrono::milliseconds(0)});
        while (dispatcher_.turn()) {
        }
    }

    void send(std::string_view bytes) {
        client_->send(bytes);
        client_->pump();
        dispatcher_.turn();
    }
    // All that it answers.
    std::string answers() {
        client_->finish();
        const bool ended = dispatcher_.turnUntil([&] {
            client_->pump();
            return client_->hasEnded();
        });
        require(ended, "the connection ends");
        require(dispatcher_.failures.empty() && dispatcher_.misuses.empty(), "nothing fails");
        return client_->received();
    }
    const std::vector<std::string>& asked() const { return fake_.asked; }

  private:
    routertest::FakeRouter fake_;
    support::TestDispatcher dispatcher_;
    std::optional<support::TestClient> client_;
};

// Without what depends on time: the date, and whether a client is told to go on, which depends on
// how much of its request has come.
std::string comparable(std::string text) {
    constexpr std::string_view goOn = "HTTP/1.1 100 Continue\r\n\r\n";
    for (std::size_t at = 0; (at = text.find(goOn, at)) != text.npos;) text.erase(at, goOn.size());
    constexpr std::string_view date = "\r\nDate: ";
    for (std::size_t at = 0; (at = text.find(date, at)) != text.npos;) {
        text.erase(at, text.find('\r', at + date.size()) - at);
    }
    return text;
}

void compare(const std::string& whole, const std::string& pieces) {
    if (whole == pieces) return;
    const std::size_t last = whole.rfind(version);
    require(last != whole.npos && last == pieces.rfind(version), "as many answers");
    require(whole.substr(0, last) == pieces.substr(0, last), "the same answers");
    require(whole[last + version.size()] == '4' && pieces[last + version.size()] == '4',
            "the last one says what is wrong");
}

// What is asked without a token.
void requireHealthAlone(const Site& site) {
    for (const std::string& asked : site.asked()) {
        require(asked == "snapshot", "without the token it asks for nothing");
    }
}

void run(fuzz::FuzzInput input) {
    const bool hasToken = input.upTo(3) == 0;
    const std::string_view sizes = input.take(1 + input.upTo(6));
    const std::string_view stream = input.rest();
    Site whole(hasToken);
    whole.send(stream);
    Site pieces(hasToken);
    for (std::size_t i = 0, at = 0; at < stream.size(); ++i) {
        const std::size_t size = 1 + static_cast<unsigned char>(sizes[i % sizes.size()]);
        pieces.send(stream.substr(at, size));
        at += size;
    }
    compare(comparable(whole.answers()), comparable(pieces.answers()));
    if (!hasToken || stream.find(token) != stream.npos) return;
    requireHealthAlone(whole);
    requireHealthAlone(pieces);
}

const fuzz::FuzzTarget target("admin_page", run);

}  // namespace
