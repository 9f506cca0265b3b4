#include "sms_router/app/Commands.h"

#include <termios.h>
#include <unistd.h>
#include <csignal>
#include <iostream>
#include <ostream>
#include <stdexcept>
#include <string>

#include "common/CommandLine.h"
#include "common/Printable.h"
#include "common/Units.h"
#include "sms_router/config/ApiKey.h"
#include "sms_router/config/ConfigLimits.h"
#include "sms_router/config/ConfigReader.h"
#include "sms_router/config/PasswordHash.h"
#include "sms_router/config/Spelling.h"
#include "sms_router/routing/Explain.h"

namespace router {

using apps::counted;

namespace {

std::string storeOf(const StoreConfig& store) {
    return store.durability == Durability::memory ? "ids in memory" : "ids in " + store.path;
}

std::string adminOf(const AdminConfig& admin) {
    if (!admin.enabled) return "no admin interface";
    return "admin on " + admin.host + ":" + std::to_string(admin.port);
}

}  // namespace

void writeFindings(const std::string& path, const ConfigReading& reading, std::ostream& errors) {
    for (const ConfigMistake& mistake : reading.mistakes) {
        errors << apps::printable(describe(path, mistake)) + "\n";
    }
    for (const std::string& warning : reading.warnings) {
        errors << apps::printable(path + ": warning: " + warning) + "\n";
    }
}

std::string summaryOf(const RouterConfig& config) {
    return counted(config.listeners.size(), "listener") + ", " +
           counted(config.accounts.size(), "account") + ", " +
           counted(config.connectors.size(), "connector") + ", " +
           counted(config.groups.size(), "group") + ", " + counted(config.routes.size(), "route") +
           ", " + counted(config.moRoutes.size(), "MO route") + "; " + storeOf(config.store) +
           "; " + adminOf(config.admin);
}

int checkConfig(const RouterOptions& options, std::ostream& out, std::ostream& errors) {
    ConfigReading reading = readConfigFile(options.configFile, options.settings);
    if (reading.config != nullptr) {
        for (std::string& warning : exposedFiles(options.configFile, *reading.config)) {
            reading.warnings.push_back(std::move(warning));
        }
    }
    writeFindings(options.configFile, reading, errors);
    if (!reading.config) return apps::exitUsage;
    out << options.configFile << ": ok\n" << summaryOf(*reading.config) << "\n" << std::flush;
    return out ? apps::exitOk : apps::exitFailed;
}

namespace {

// What to say of an unknown `name`; empty if it is known or empty. `what`: "account", say.
std::string unknown(const std::string& what, const std::string& name, const auto& known) {
    if (name.empty() || known.contains(name)) return {};
    return "--" + what + ": unknown " + what + " '" + name + "'" + didYouMean(name, namesOf(known));
}

}  // namespace

int explainMessage(const RouterOptions& options, std::ostream& out, std::ostream& errors) {
    const ConfigReading reading = readConfigFile(options.configFile, options.settings);
    writeFindings(options.configFile, reading, errors);
    if (!reading.config) return apps::exitUsage;
    const ExplainRequest& asked = options.message;
    std::string why = unknown("account", asked.account, reading.config->accountByName);
    if (why.empty()) why = unknown("connector", asked.connector, reading.config->connectorByName);
    if (!why.empty()) {
        errors << "sms-router: " << apps::printable(why) << "\n";
        return apps::exitUsage;
    }
    ConnectorBoard board(reading.config->connectors.size());
    for (std::size_t i = 0; i < board.size(); ++i) {
        board[i].live = reading.config->connectors[i].sends();
    }
    Router router(reading.config, board);
    for (const std::string& line : explain(router, options.message)) {
        out << apps::printable(line) << "\n";
    }
    out << std::flush;
    return out ? apps::exitOk : apps::exitFailed;
}

namespace {

termios terminalBefore;  // where a signal handler can reach it

// The terminal shows again what is typed; then the signal has its way.
extern "C" void restoreAndEnd(int signal) {
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminalBefore);
    ::raise(signal);
}

void endWith(int signal, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESETHAND;
    ::sigaddset(&action.sa_mask, SIGTTOU);  // it would stop a background process
    struct sigaction known {};
    ::sigaction(signal, nullptr, &known);
    if (known.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
}

// Nothing happens where standard input is no terminal.
class QuietTerminal {
  public:
    QuietTerminal() : isTerminal_(::tcgetattr(STDIN_FILENO, &terminalBefore) == 0) {
        if (!isTerminal_) return;
        std::cerr << "Password: " << std::flush;
        for (const int signal : endings) endWith(signal, restoreAndEnd);
        termios quiet = terminalBefore;
        quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
    }
    QuietTerminal(const QuietTerminal&) = delete;
    QuietTerminal& operator=(const QuietTerminal&) = delete;
    ~QuietTerminal() {
        if (!isTerminal_) return;
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &terminalBefore);
        for (const int signal : endings) endWith(signal, SIG_DFL);
        std::cerr << "\n";
    }

  private:
    static constexpr int endings[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

    const bool isTerminal_;
};

int refuse(std::ostream& errors, const std::string& why) {
    errors << "sms-router: " << why << "\n";
    return apps::exitUsage;
}

}  // namespace

int hashPassword(std::istream& in, std::ostream& out, std::ostream& errors) {
    constexpr std::size_t longest = limits::password;
    std::string password;
    std::getline(in, password);
    if (password.ends_with('\r')) password.pop_back();
    if (password.empty()) return refuse(errors, "the password is empty");
    if (password.size() > longest || password.find('\0') != std::string::npos) {
        return refuse(errors, "a password must have at most 64 octets and no NUL");
    }
    out << PasswordHash::of(password).text() << "\n" << std::flush;
    return out ? apps::exitOk : apps::exitFailed;
}

int makeApiKey(std::ostream& out) {
    const std::string key = newApiKey();
    out << "key:      " << key << "\napi_keys: \"" << apiKeyDigest(key) << "\"\n" << std::flush;
    return out ? apps::exitOk : apps::exitFailed;
}

int hashPasswordOfStandardInput() {
    QuietTerminal quiet;
    return hashPassword(std::cin, std::cout, std::cerr);
}

}  // namespace router
