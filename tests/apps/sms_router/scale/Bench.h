// smpp-bench at both ends of the router.
//
// Thread: one at a time. Errors: as support::Process's.
#pragma once

#include <nlohmann/json.hpp>

#include <csignal>
#include <string>
#include <vector>

#include "apps/sms_router/scenarios/RouterProcess.h"

namespace router::scenarios {

class BenchSmsc {
  public:
    explicit BenchSmsc(const std::vector<std::string>& options = {}) : process_(command(options)) {
        const std::string line = process_.readLine();
        port_ = static_cast<std::uint16_t>(std::stoul(line.substr(line.rfind(':') + 1)));
    }

    std::uint16_t port() const { return port_; }
    // Ends it: what it has counted.
    nlohmann::json counts() {
        process_.signal(SIGTERM);
        const std::string line = process_.readLine();
        process_.wait();
        return nlohmann::json::parse(line);
    }

  private:
    static std::vector<std::string> command(const std::vector<std::string>& options) {
        std::vector<std::string> all{support::bin("smpp-bench"), "smsc"};
        all.insert(all.end(), options.begin(), options.end());
        return all;
    }

    support::Process process_;
    std::uint16_t port_ = 0;
};

// ESMEs that ask for receipts, and check them.
class BenchEsmes {
  public:
    BenchEsmes(RouterProcess& router, const std::vector<std::string>& options)
        : process_(command(router.address().port(), options)) {}

    // Its report; "ok" is whether it is content, "complaints" are what it is not content with.
    nlohmann::json report() {
        process_.wait();
        return nlohmann::json::parse(process_.output());
    }

  private:
    static std::vector<std::string> command(std::uint16_t port,
                                            const std::vector<std::string>& options) {
        std::vector<std::string> all{support::bin("smpp-bench"),
                                     "esme",
                                     "--port",
                                     std::to_string(port),
                                     "--json",
                                     "--registered",
                                     "--wait-receipts",
                                     "30s",
                                     "--answer-timeout",
                                     "30s"};
        all.insert(all.end(), options.begin(), options.end());
        return all;
    }

    support::Process process_;
};

}  // namespace router::scenarios
