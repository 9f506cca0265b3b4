#include "sms_router/commands/HashPasswordCommand.h"

#include <termios.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <stdexcept>
#include <string>

#include "common/CommandLine.h"
#include "sms_router/accounts/PasswordHash.h"
#include "sms_router/config/ConfigLimits.h"

namespace router {

namespace {

termios before;  // where a signal handler can reach it

// The terminal shows again what is typed; then the signal has its way.
extern "C" void restoreAndEnd(int signal) {
    ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
    ::raise(signal);
}

void endWith(int signal, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESETHAND;
    ::sigaddset(&action.sa_mask, SIGTTOU);  // else who is in the background would only be stopped
    struct sigaction known {};
    ::sigaction(signal, nullptr, &known);
    if (known.sa_handler != SIG_IGN) ::sigaction(signal, &action, nullptr);
}

// Nothing happens where standard input is no terminal.
class QuietTerminal {
  public:
    QuietTerminal() : isTerminal_(::tcgetattr(STDIN_FILENO, &before) == 0) {
        if (!isTerminal_) return;
        std::cerr << "Password: " << std::flush;
        for (const int signal : endings) endWith(signal, restoreAndEnd);
        termios quiet = before;
        quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
    }
    QuietTerminal(const QuietTerminal&) = delete;
    QuietTerminal& operator=(const QuietTerminal&) = delete;
    ~QuietTerminal() {
        if (!isTerminal_) return;
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
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

int hashPasswordOfStandardInput() {
    QuietTerminal quiet;
    return hashPassword(std::cin, std::cout, std::cerr);
}

}  // namespace router
