#include "apps/sms_router/scenarios/RouterProcess.h"

#include <fstream>
#include <stdexcept>

namespace router::scenarios {

namespace {

std::string section(const std::string& name, const std::string& lines) {
    return "[" + name + "]\n" + lines + "\n\n";
}

std::string quoted(const std::string& key, const std::string& value) {
    return key + " = \"" + value + "\"\n";
}

bool has(const std::string& lines, const std::string& key) {
    return lines.find(key) != std::string::npos;
}

std::string connectorText(const ConnectorSetup& connector) {
    std::string lines;
    if (connector.port != 0) {
        lines = "host = \"127.0.0.1\"\nport = " + std::to_string(connector.port) + "\n";
    }
    lines += "system_id = \"router\"\npassword = \"secret\"\n";
    if (!has(connector.settings, "reconnect_first")) lines += "reconnect_first = \"20ms\"\n";
    const bool connects = !has(connector.settings, "outbind_listen");
    if (connects && !has(connector.settings, "reconnect_max"))
        lines += "reconnect_max = \"100ms\"\n";
    return section("connector." + connector.name, lines + connector.settings);
}

std::string addressIn(const std::string& line, const std::string& before, const char* end) {
    const std::size_t found = line.find(before);
    if (found == std::string::npos) throw std::runtime_error("the router said: " + line);
    const std::size_t start = found + before.size();
    return line.substr(start, line.find_first_of(end, start) - start);
}

}  // namespace

std::string RouterSetup::text(const std::string& storeFile, const std::string& recordsFile) const {
    std::string all = section("router", (has(router, "threads") ? "" : "threads = 2\n") + router);
    all += section("timers", timers);
    all += section("listener.esme", "host = \"127.0.0.1\"\nport = 0\n" + listener);
    all +=
        section("account.esme1", quoted("password", "secret1") + "numbers = [\"12345\"]\n" + esme1);
    all +=
        section("account.esme2", quoted("password", "secret2") + "numbers = [\"54321\"]\n" + esme2);
    for (const ConnectorSetup& connector : connectors) all += connectorText(connector);
    all += section("store", quoted("durability", durability) + quoted("path", storeFile) + store);
    if (records) all += section("records", quoted("path", recordsFile));
    if (admin) all += section("admin", "port = 0\n" + adminSettings);
    return all + more + "\n";
}

RouterProcess::RouterProcess(RouterSetup setup) : setup_(std::move(setup)) {
    writeConfig();
    start();
}

void RouterProcess::start() {
    readyLine_.clear();
    std::vector<std::string> command = setup_.prefix;
    command.insert(command.end(), {support::bin("sms-router"), "--config", configFile()});
    command.insert(command.end(), setup_.options.begin(), setup_.options.end());
    process_.emplace(command);
}

void RouterProcess::awaitReady() {
    if (!readyLine_.empty()) return;
    readyLine_ = process().readLine();
    if (readyLine_.empty()) {
        process().wait();
        throw std::runtime_error("the router did not start: " + process().errors());
    }
    address_ = nio::SocketAddress::parse(addressIn(readyLine_, "listening on ", " ,")).orThrow();
    if (!setup_.admin) return;
    const std::string line = process().readLine();
    adminAddress_ = nio::SocketAddress::parse(addressIn(line, "http://", "/")).orThrow();
}

const std::string& RouterProcess::readyLine() {
    awaitReady();
    return readyLine_;
}

const nio::SocketAddress& RouterProcess::address() {
    awaitReady();
    return address_;
}

const nio::SocketAddress& RouterProcess::adminAddress() {
    awaitReady();
    return adminAddress_;
}

nio::SocketAddress RouterProcess::nextHttpAddress() {
    awaitReady();
    const std::string line = process_->readLine();
    const std::size_t start = line.find("http://") + 7;
    const std::string address = line.substr(start, line.find('/', start) - start);
    return nio::SocketAddress::parse(address).orThrow();
}

SmppPeer RouterProcess::bound(const std::string& account, Command kind) {
    SmppPeer esme(address());
    // secret1 is esme1's.
    const std::string password = "secret" + account.substr(account.size() - 1);
    const Status status = esme.bind({.kind = kind, .systemId = account, .password = password});
    if (status != Status::ok) throw std::runtime_error("bind: " + smpp::nameOf(status));
    return esme;
}

std::string RouterProcess::stop() {
    awaitReady();
    signal(SIGTERM);
    return lastLine();
}

std::string RouterProcess::logLine() {
    for (;;) {
        const std::string line = process().readErrorLine();
        if (!has(line, "warning: alarm: ") && !has(line, "info: alarm is over: ")) return line;
    }
}

void RouterProcess::kill() {
    signal(SIGKILL);
    process().wait();
}

void RouterProcess::startAgain() {
    process_.reset();
    start();
}

void RouterProcess::writeConfig() {
    writeConfig(setup_.text(storeFile(), recordsFile()));
}

void RouterProcess::writeConfig(const std::string& text) {
    std::ofstream(configFile()) << text;
}

std::string RouterProcess::reload(std::vector<std::string>* said) {
    awaitReady();
    signal(SIGHUP);
    for (;;) {
        const std::string line = logLine();
        if (line.empty()) throw std::runtime_error("the router does not say that it reloaded");
        if (has(line, "info: ") && has(line, "reloaded")) return line;
        if (said != nullptr) said->push_back(line);
    }
}

Ended runRouter(const std::vector<std::string>& arguments) {
    std::vector<std::string> command{support::bin("sms-router")};
    command.insert(command.end(), arguments.begin(), arguments.end());
    support::Process process(command);
    const int exitCode = process.wait();
    return {exitCode, process.output(), process.errors()};
}

}  // namespace router::scenarios
