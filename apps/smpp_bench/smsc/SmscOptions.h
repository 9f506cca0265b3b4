// What `smpp-bench smsc` can be told.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/Delay.h"
#include "smpp_bench/MessageIds.h"

namespace CLI {
class App;
}

namespace smppbench {

enum class Receipts { none, all, requested };
enum class ReceiptForm { text, tlv, both };

struct ReceiptOptions {
    Receipts which = Receipts::requested;
    ReceiptForm form = ReceiptForm::both;
    IdForm idForm = IdForm::decimal;
    apps::Delay delay{std::chrono::milliseconds(50)};
    bool beforeResponse = false;
    bool twice = false;
};

struct MoOptions {
    double rate = 0;  // per second
    std::vector<std::string> to{"12345"};
};

struct SmscOptions {
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;
    std::chrono::seconds keepAlive{0};  // 0: none
    std::string systemId = "router";
    std::string password = "secret";
    bool anyAccount = false;
    std::string outbind;  // HOST:PORT

    IdForm idForm = IdForm::decimal;
    std::uint64_t firstId = 0;  // 0: from the clock, so that two runs share none
    std::chrono::nanoseconds latency{0};
    double throttleAbove = 0;   // submits per second; 0: never
    std::size_t dropEvery = 0;  // submits; 0: never

    ReceiptOptions receipts;
    MoOptions mo;
    std::chrono::nanoseconds acknowledgeTimeout{std::chrono::seconds(10)};
    std::size_t deliverWindow = 1000;  // unacknowledged, per bind
};

// The subcommand; `options` is filled in when the command line is parsed.
CLI::App* addSmsc(CLI::App& app, SmscOptions& options);

}  // namespace smppbench
