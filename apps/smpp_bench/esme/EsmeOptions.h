// What `smpp-bench esme` can be told.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace smppbench {

struct AccountName {
    std::string systemId;
    std::string password;
};

// How many messages are sent, and which.
struct EsmeLoad {
    std::size_t window = 10;   // unanswered submit_sm per bind; 0: idle binds
    std::size_t messages = 0;  // in all; 0: as long as `duration`
    std::chrono::nanoseconds duration{std::chrono::seconds(5)};
    std::chrono::nanoseconds warmUp{0};
    double rate = 0;  // submits per second, of all binds together; 0: as fast as the windows allow
    std::size_t payloadOctets = 120;
    std::string from = "12345";
    std::string toPrefix = "4670";

    bool isIdle() const { return window == 0; }
};

// What must come back, and how long that may take.
struct EsmeChecks {
    bool registered = false;
    std::chrono::nanoseconds waitReceipts{std::chrono::seconds(10)};
    std::chrono::nanoseconds settle{std::chrono::milliseconds(200)};
    std::chrono::nanoseconds answerTimeout{std::chrono::seconds(10)};
    bool allowRefusals = false;
    bool allowDuplicates = false;
};

struct EsmeOptions {
    std::string host = "127.0.0.1";
    std::uint16_t port = 2775;
    std::chrono::seconds keepAlive{0};  // 0: none
    std::vector<AccountName> accounts{{"esme1", "secret1"}};
    std::size_t binds = 1;     // with two kinds: of each
    bool transceivers = true;  // false: transmitters and receivers
    bool reconnect = false;
    EsmeLoad load;
    EsmeChecks checks;
    std::optional<int> serverPid;
    bool json = false;
    bool show = false;
};

// The subcommand; `options` is filled in when the command line is parsed.
CLI::App* addEsme(CLI::App& app, EsmeOptions& options);

}  // namespace smppbench
