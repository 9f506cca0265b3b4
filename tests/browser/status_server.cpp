// The status page of a router that is not there: the admin interface over a made-up router whose
// figures move, with names that try to break out of the page.
//
//     status-server PORT [TOKEN]
//
// It says where it listens in one line and serves until SIGTERM. For tests/browser/.
#include <csignal>
#include <cstdlib>
#include <iostream>

#include <nio/net/SignalHandler.h>

#include "apps/sms_router/admin/FakeRouter.h"
#include "sms_router/admin/AdminServer.h"

namespace {

constexpr const char* hostile = "<img src=x onerror=\"console.error('img')\">&amp;'";

class MovingRouter final : private routertest::FakeRouter {
  public:
    MovingRouter() {
        nameRows();
        now.uptime = std::chrono::seconds(0);
        lines = {"route \"vip\" does not match: account",
                 std::string("route \"") + hostile + "\" matches", "=> connector \"north\""};
    }

    router::AdminCalls calls() {
        router::AdminCalls calls = FakeRouter::calls();
        calls.snapshot = [this, snapshot = calls.snapshot](auto answer) {
            move();
            snapshot(std::move(answer));
        };
        calls.reload = [this, reload = calls.reload](auto answer) {
            loadAnother();
            reload(std::move(answer));
        };
        return calls;
    }

  private:
    // Every second configuration has mistakes.
    void loadAnother() {
        const std::vector<std::string> said{"router.toml:12: no such connector: \"nort\"",
                                            std::string("router.toml:40: ") + hostile};
        const bool fine = !reloaded.mistakes.empty() || reloaded.warnings.empty();
        reloaded = fine ? router::Reloaded{.warnings = said} : router::Reloaded{.mistakes = said};
    }
    void nameRows() {
        now.connectors[1].lastError = "</script><script>console.error('script')</script>";
        now.connectors.push_back(routertest::someConnector(std::string(hostile) + "/?#%"));
        now.connectors.back().counters.refused = 0;
        now.connectors.push_back(routertest::someConnector("full"));
        now.accounts[0].lastError = std::string("bind refused: ") + hostile;
        now.accounts[1].systemId = hostile;
        now.accounts[1].lastError.clear();
        now.accounts[1].webhook->lastError = hostile;
        now.accounts[1].binds[0].peer = hostile;
        for (int i = 3; i < 14; ++i) {
            now.accounts.push_back(routertest::someAccount("esme" + std::to_string(i)));
            now.accounts.back().lastError.clear();
        }
        now.accounts.back().systemId = std::string(64, 'W');
    }

    // As if a second had gone by.
    void move() {
        now.taken = std::chrono::system_clock::now();
        now.uptime += std::chrono::seconds(1);
        const std::uint64_t more = 40 + 25 * (++moves_ % 7);
        for (router::AccountRow& account : now.accounts) add(account.counters, more);
        for (router::ConnectorRow& connector : now.connectors) {
            if (connector.live) add(connector.counters, 3 * more);
            // Never the whole window of another: a full one hides that the connector is throttled.
            const bool isFull = connector.name == "full";
            connector.outstanding = isFull ? 10 : connector.live ? more % 10 : 0;
        }
        now.store.commits += more;
        router::Stages& stages = now.connectors[0].stages;
        stages.smsc.counts[13 + moves_ % 4] += more;
        stages.commit.counts[9 + moves_ % 3] += more;
        stages.handOff.counts[4] += more;
    }
    static void add(router::MessageCounters& counters, std::uint64_t more) {
        counters.submitted += more;
        counters.accepted += more - 2;
        counters.refused += 2;
        counters.receipts += more / 2;
        counters.delivered += more / 9;
    }

    std::uint64_t moves_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    const int port = argc > 1 ? std::atoi(argv[1]) : 0;
    nio::SignalHandler::block({SIGTERM, SIGINT}).orThrow();
    MovingRouter moving;
    nio::SelectorThread dispatcher;
    router::AdminOptions options;
    if (argc > 2) options.token = argv[2];
    const auto address = nio::SocketAddress::loopback4(static_cast<std::uint16_t>(port));
    auto server = router::AdminServer::open(nio::ServerSocketChannel::open(address).orThrow(),
                                            options, dispatcher, moving.calls())
                      .orThrow();
    auto stop = [&](int) { dispatcher.requestClose({std::chrono::milliseconds(0)}); };
    auto signals = nio::SignalHandler::open({SIGTERM, SIGINT}, stop).orThrow();
    const bool started =
        server.start() && dispatcher.registerChannelLater(std::move(signals), nio::Interest::read);
    std::cout << "status-server listening on http://" << server.address().toString() << "/"
              << std::endl;
    dispatcher.run();
    return started ? 0 : 1;
}
