// What one run of the router is made of, drawn from its seed.
//
// Thread: a value.
#pragma once

#include <algorithm>

#include "simulation/Faults.h"
#include "simulation/Machine.h"
#include "sms_router/config/RouterConfig.h"

namespace simulation {

struct RouterScenario {
    static constexpr std::size_t mostEsmes = 4;
    static constexpr std::size_t mostWebs = 2;
    static constexpr std::size_t mostAccounts = mostEsmes + mostWebs;
    static constexpr std::size_t mostSmscs = 3;
    static constexpr std::size_t mostParts = 3;  // of a text that is sent by HTTP
    static constexpr std::uint16_t esmePort = 2775;
    static constexpr std::uint16_t otherPort = 2776;
    static constexpr std::uint16_t adminPort = 8080;
    static constexpr std::uint16_t httpPort = 8776;
    static constexpr std::chrono::milliseconds latestAnswer{1500};  // of an SMSC, and receipt
    static constexpr std::chrono::milliseconds hookTimeout{2000};

    static RouterScenario drawn(std::uint64_t seed);

    // What a reload may change of the configuration.
    struct Edition {
        std::size_t shift = 0;  // of the connectors to which the accounts have their routes
        std::size_t accountWindow = 1;
        std::array<std::size_t, mostSmscs> binds{};  // the how manieth ones of each connector
        std::array<bool, mostAccounts> lacksAccount{};
        std::optional<std::size_t> lacksConnector{};
        bool isReversed = false;      // the connectors are written down so
        bool hasUnreachable = false;  // a connector where nobody listens
        bool hasAnotherPort = false;  // for ESMEs
    };
    // What is behind an account's webhook.
    enum class Hook {
        good,    // takes all at once
        moody,   // refuses, is late, is silent or goes away, until it has had enough of that
        silent,  // takes connections, and answers nothing
        lost,    // connections to it are not answered
        absent,  // nothing listens
    };
    // Accounts esme0, esme1, … of SMPP, web0, … of HTTP, connectors smsc0, …: each account that
    // there is has a route to one of them.
    router::SharedConfig config(std::size_t edition) const;
    std::size_t connectorOf(std::size_t account, std::size_t edition) const {
        return connectorOf(account, editions[edition]);
    }

    // Of each account of HTTP: fewer, since all that waits makes time-outs longer.
    std::size_t webTexts() const { return std::min<std::size_t>(messages, 6); }
    std::chrono::milliseconds longestWait() const {
        return latestAnswer * (esmes * messages + webs * mostParts * webTexts());
    }
    std::chrono::milliseconds response() const;
    // An ESME's; within this time the router may send it again once.
    std::chrono::milliseconds latestAcknowledgement() const { return 2 * response(); }

    // Those of HTTP are behind those of SMPP.
    static bool isWeb(std::size_t account) { return account >= mostEsmes; }
    static std::string nameOf(std::size_t account) {
        return isWeb(account) ? "web" + std::to_string(account - mostEsmes)
                              : "esme" + std::to_string(account);
    }
    static std::string keyOf(std::size_t account) { return "key of " + nameOf(account); }
    static std::string secretOf(std::size_t account) { return "secret of " + nameOf(account); }
    static nio::SocketAddress hookAddress(std::size_t account) {
        return nio::SocketAddress::loopback4(static_cast<std::uint16_t>(4000 + account));
    }
    Hook hookOf(std::size_t account) const { return hooks[account - mostEsmes]; }
    // Any of those that there are.
    std::size_t anyAccount(Random& random) const {
        const std::size_t index = random.below(esmes + webs);
        return index < esmes ? index : mostEsmes + index - esmes;
    }
    std::uint8_t versionOf(std::size_t account) const {
        return isWeb(account) ? std::uint8_t{0x34} : versions[account];
    }
    static std::string numberOf(std::size_t account) { return "2" + std::to_string(account); }
    static std::string smscName(std::size_t index) { return "smsc" + std::to_string(index); }
    static nio::SocketAddress smscAddress(std::size_t index) {
        return nio::SocketAddress::loopback4(static_cast<std::uint16_t>(3001 + index));
    }

    std::uint64_t seed = 0;
    std::size_t dispatchers = 1;
    std::chrono::microseconds moderation{0};
    std::size_t esmes = 1;
    std::size_t receivers = 0;  // ESMEs that have a second connection for deliveries
    std::size_t webs = 0;       // accounts that send by HTTP, and have a webhook
    std::array<Hook, mostWebs> hooks{};
    bool websHavePasswords = false;  // and use them, instead of keys
    unsigned hangsUpPerMille = 0;    // connections of HTTP that are reset, per step
    std::size_t smscs = 1;
    std::size_t binds = 1;     // to each SMSC
    std::size_t window = 1;    // of a connector
    std::size_t messages = 1;  // of each ESME
    Machine::Limits limits{};
    unsigned refusalsPerMille = 0;    // by an SMSC, of messages
    unsigned receiptsPerMille = 0;    // for messages that it has accepted
    unsigned originatesPerMille = 0;  // messages that an SMSC has for an ESME, per message to it
    unsigned alertsPerMille = 0;      // likewise, which nothing answers
    bool isOneSmsc = false;           // to which all of them belong: any sends the others' receipts
    unsigned notNowPerMille = 0;      // deliveries that an ESME refuses for now
    unsigned latePerMille = 0;        // deliveries that an ESME acknowledges when it likes
    unsigned oddPerMille = 0;         // PDUs that are not as SMPP has them
    std::array<std::uint8_t, mostEsmes> versions{0x34, 0x34, 0x34, 0x34};  // of ESMEs' binds
    unsigned breaksPerMille = 0;   // connections that an SMSC resets, per PDU
    unsigned unbindsPerMille = 0;  // connections that an SMSC ends in good order, per message
    unsigned goesPerMille = 0;     // ESMEs that go in the middle
    std::size_t questions = 0;     // by the administrator, some of which are reloads
    unsigned reloadsPerMille = 0;
    unsigned switchesPerMille = 0;  // connectors stopped, or started
    unsigned mistakesPerMille = 0;  // reloads of a configuration that is wrong
    bool waitsForBinds = true;      // ESMEs come when the SMSCs are bound
    std::size_t stopAt = SIZE_MAX;  // the step in which the router is told to stop
    std::size_t calmAt = 0;
    unsigned stepsWhileAsleepPerMille = 0;
    FaultRates faultsPerMille{};
    std::vector<Edition> editions;  // the first is there from the start

  private:
    Edition drawNext(Random& random) const;
    std::size_t connectorOf(std::size_t account, const Edition& now) const;
    void drawWebs(Random& random);
    void drawModeration();
    void addAccount(router::RouterConfig& config, std::size_t account, const Edition& now) const;
    void addConnectors(router::RouterConfig& config, const Edition& now) const;
};

}  // namespace simulation
