// A TLS connection whose network bytes may be changed on their way. What must hold, on either side:
//  - what comes out is the beginning of what went in on the other side: nothing changed, whatever
//    happens to the bytes between them;
//  - before the handshake nothing comes out; where nobody touches the bytes all of it does;
//  - a failure says what happened, in one line.
//
// Input: the version, whether the client trusts, then steps: who sends what, pieces of which size
// are passed on, which byte is changed, what is put in between, the end.

#include <openssl/ssl.h>

#include "nio-tls/Certificates.h"
#include "nio-tls/TlsPair.h"

#include "fuzz/FuzzTarget.h"

namespace {

using fuzz::require;
using nio::TlsContext;
using nio::TlsSession;
using support::TlsPair;
using support::TlsSide;
using Context = std::shared_ptr<const TlsContext>;

constexpr int mostSteps = 60;
const char* const host = "smsc.example.org";

struct Contexts {
    Contexts() {
        const nio::TlsServerFiles files = authority.issue("server");
        for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
            servers.push_back(TlsContext::server(files).orThrow());
            SSL_CTX_set_max_proto_version(servers.back()->native(), version);
        }
        client = TlsContext::client({.authority = authority.file()}).orThrow();
    }
    support::Authority authority{"authority"};
    std::vector<Context> servers;
    Context client;
};

const Contexts& contexts() {
    static const Contexts made;
    return made;
}

struct End {
    TlsSide side;
    std::string sent{};
    bool hasFinished = false;
};

class Scene {
  public:
    explicit Scene(const Context& server)
        : client_{TlsSide{std::make_unique<TlsSession>(*contexts().client, host)}},
          server_{TlsSide{std::make_unique<TlsSession>(*server)}} {
        server_.side.begin();
        client_.side.begin();
    }

    void step(fuzz::FuzzInput& input) {
        const std::size_t what = input.upTo(15);
        End& from = what % 2 == 0 ? client_ : server_;
        End& to = what % 2 == 0 ? server_ : client_;
        switch (what / 2) {
            case 0: return send(from, std::string(input.byte() * 70U, 'x'));
            case 1: return send(from, std::string(input.take(input.byte())));
            case 2: return finish(from);
            case 3: return disturb(to, input.take(input.byte()));
            case 4: return change(from, to, input.byte() * 4U, input.byte());
            case 5: return talk();
            default: return pass(from, to, 1 + input.byte() * 8U);
        }
    }
    void check() const {
        check(client_, server_);
        check(server_, client_);
    }
    void finish() {
        talk();
        check();
        if (isDisturbed_) return;
        require(!client_.side.error && !server_.side.error, "it stays up");
        require(client_.side.plain.text == server_.sent && server_.side.plain.text == client_.sent,
                "all of it comes out");
    }

  private:
    static void check(const End& to, const End& from) {
        require(from.sent.starts_with(to.side.plain.text), "what comes out is what went in");
        if (!to.side.error) return;
        const std::string& context = to.side.error->context();
        require(!context.empty() && context.find('\n') == context.npos, "a failure is one line");
    }
    void pass(End& from, End& to, std::size_t most) {
        const std::string_view piece = from.side.say(most);
        if (!piece.empty()) to.side.take(piece);
    }
    void talk() {
        for (std::size_t before = SIZE_MAX; before != said();) {
            before = said();
            pass(client_, server_, 3000);
            pass(server_, client_, 3000);
        }
    }
    std::size_t said() const {
        const auto left = [](const TlsSide& side) { return side.network.text.size() - side.said; };
        return left(client_.side) + left(server_.side) + client_.side.plain.text.size() +
               server_.side.plain.text.size();
    }
    static void send(End& from, const std::string& text) {
        if (text.empty() || from.hasFinished || !from.side.isUp()) return;
        from.side.send(text);
        if (!from.side.error) from.sent += text;
    }
    static void finish(End& from) {
        if (from.side.error || from.hasFinished) return;
        from.hasFinished = true;
        from.side.finish();
    }
    void disturb(End& to, std::string_view bytes) {
        if (bytes.empty()) return;
        isDisturbed_ = true;
        to.side.take(bytes);
    }
    void change(End& from, End& to, std::size_t place, std::uint8_t by) {
        std::string piece(from.side.say(3000));
        if (piece.empty()) return;
        isDisturbed_ = true;
        piece[place % piece.size()] = static_cast<char>(piece[place % piece.size()] ^ by);
        to.side.take(piece);
    }

    End client_;
    End server_;
    bool isDisturbed_ = false;
};

void run(fuzz::FuzzInput input) {
    Scene scene(contexts().servers[input.upTo(1)]);
    for (int steps = 0; steps < mostSteps && !input.isEmpty(); ++steps) {
        scene.step(input);
        scene.check();
    }
    scene.finish();
}

const fuzz::FuzzTarget target("tls_filter", run);

}  // namespace
