// The options of echo-client, as CLI11 knows them: the words of --help, defaults and ranges.
//
// Thread: one at a time. Errors: parse() throws CLI::ParseError, and CLI::Success for --help and
// --version.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "echo_client/options/LoadOptions.h"

namespace load {

class LoadCommandLine {
  public:
    LoadCommandLine();
    LoadCommandLine(const LoadCommandLine&) = delete;
    LoadCommandLine& operator=(const LoadCommandLine&) = delete;

    // Once.
    LoadOptions parse(const std::vector<std::string>& arguments);
    CLI::App& app() { return app_; }

  private:
    void addTarget();
    void addTls();
    void addMessages();
    void addLoad();
    void addOpenLoop();
    void addConnections();
    void addVerdict();
    void addOutput();
    void addBadClients();
    void addManyMachines();
    // Sets the defaults that depend on other options, and checks that the options fit each other,
    // in LoadOptionChecks.cpp. Reads ECHO_CLIENT_TOKEN where --agents has no --token.
    void settle();
    CLI::Option* addFile(const std::string& option, std::string& target, const std::string& help);

    CLI::App app_;
    LoadOptions options_;
    std::string target_;  // HOST:PORT
    bool noReconnect_ = false;
    bool usesTls_ = false;
    bool isInsecure_ = false;
    bool isOneWay_ = false;
    bool connectOnly_ = false;
    nio::TlsTrust tls_;
    Dialogue dialogue_;  // but for its turns
    std::vector<Template> sends_;
    std::vector<Expectation> expects_;
    std::vector<double> weights_;
};

}  // namespace load
