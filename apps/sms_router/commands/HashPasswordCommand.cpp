#include "sms_router/commands/HashPasswordCommand.h"

#include <termios.h>
#include <unistd.h>

#include <iostream>
#include <stdexcept>
#include <string>

#include "common/CommandLine.h"
#include "sms_router/accounts/PasswordHash.h"

namespace router {

namespace {

// Nothing happens where standard input is no terminal.
class QuietTerminal {
  public:
    QuietTerminal() : isTerminal_(::tcgetattr(STDIN_FILENO, &before_) == 0) {
        if (!isTerminal_) return;
        std::cerr << "Password: " << std::flush;
        termios quiet = before_;
        quiet.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet);
    }
    QuietTerminal(const QuietTerminal&) = delete;
    QuietTerminal& operator=(const QuietTerminal&) = delete;
    ~QuietTerminal() {
        if (!isTerminal_) return;
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
        std::cerr << "\n";
    }

  private:
    termios before_{};
    const bool isTerminal_;
};

int refuse(std::ostream& errors, const std::string& why) {
    errors << "sms-router: " << why << "\n";
    return apps::exitUsage;
}

}  // namespace

int hashPassword(std::istream& in, std::ostream& out, std::ostream& errors) {
    constexpr std::size_t longest = 8;
    std::string password;
    std::getline(in, password);
    if (password.ends_with('\r')) password.pop_back();
    if (password.empty()) return refuse(errors, "there is no password");
    if (password.size() > longest || password.find('\0') != std::string::npos) {
        return refuse(errors, "a bind has room for 8 octets of password, and no NUL");
    }
    out << PasswordHash::of(password).text() << "\n" << std::flush;
    return out ? apps::exitOk : apps::exitFailed;
}

int hashPasswordOfStandardInput() {
    QuietTerminal quiet;
    return hashPassword(std::cin, std::cout, std::cerr);
}

}  // namespace router
