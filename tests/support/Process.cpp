#include "support/Process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <nio/sys/Kernel.h>

namespace support {

namespace {

using namespace std::chrono_literals;

struct Pipe {
    Pipe() {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
        read = nio::UniqueFd(ends[0]);
        write = nio::UniqueFd(ends[1]);
    }
    nio::UniqueFd read;
    nio::UniqueFd write;
};

// What posix_spawn is told: the three standard descriptors, no blocked signal.
class SpawnSettings {
  public:
    SpawnSettings(int output, int errors) {
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
        ::posix_spawn_file_actions_adddup2(&actions_, errors, STDERR_FILENO);
        ::posix_spawnattr_init(&attributes_);
        sigset_t none;
        ::sigemptyset(&none);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        sigset_t usual;  // a shell has those in its background ignore them
        ::sigemptyset(&usual);
        ::sigaddset(&usual, SIGINT);
        ::sigaddset(&usual, SIGQUIT);
        ::posix_spawnattr_setsigdefault(&attributes_, &usual);
        ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    ~SpawnSettings() {
        ::posix_spawn_file_actions_destroy(&actions_);
        ::posix_spawnattr_destroy(&attributes_);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;

    const posix_spawn_file_actions_t* actions() const { return &actions_; }
    const posix_spawnattr_t* attributes() const { return &attributes_; }

  private:
    posix_spawn_file_actions_t actions_;
    posix_spawnattr_t attributes_;
};

}  // namespace

std::string bin(const std::string& program) {
    return std::string(NIO_BIN_DIR) + "/" + program;
}

Process::Process(const std::vector<std::string>& command) : name_(command.at(0)) {
    Pipe output;
    Pipe errors;
    spawn(command, output.write.get(), errors.write.get());
    output_.fd = std::move(output.read);
    errors_.fd = std::move(errors.read);
}

Process::~Process() {
    if (hasEnded()) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
}

void Process::spawn(const std::vector<std::string>& command, int output, int errors) {
    std::vector<char*> arguments;
    for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    const SpawnSettings settings(output, errors);
    const int failure = ::posix_spawnp(&pid_, name_.c_str(), settings.actions(),
                                       settings.attributes(), arguments.data(), environ);
    if (failure != 0) throw std::runtime_error(name_ + ": " + std::strerror(failure));
}

// A child that was reaped already is not signalled: its id may be another's by now.
void Process::signal(int number) const {
    if (!exitCode_) ::kill(pid_, number);
}

std::string Process::readLine(Stream& stream) {
    const nio::TimePoint end = nio::Clock::now() + patience;
    std::size_t newline = stream.text.find('\n');
    while (newline == std::string::npos && stream.fd) {
        if (nio::Clock::now() > end) giveUp("no line came");
        pump(100ms);
        newline = stream.text.find('\n');
    }
    const std::string line = stream.text.substr(0, newline);
    stream.text.erase(0, newline == std::string::npos ? newline : newline + 1);
    return line;
}

bool Process::waitForErrorLine(std::chrono::milliseconds longest) {
    const nio::TimePoint end = nio::Clock::now() + longest;
    const auto hasLine = [this] { return errors_.text.find('\n') != std::string::npos; };
    while (!hasLine() && errors_.fd && nio::Clock::now() < end) pump(100ms);
    return hasLine();
}

int Process::wait() {
    const nio::TimePoint end = nio::Clock::now() + patience;
    while (!hasEnded()) {
        if (nio::Clock::now() > end) giveUp("it did not end");
        pump(5ms);
    }
    while (output_.fd || errors_.fd) {
        if (nio::Clock::now() > end) giveUp("its output did not end");
        pump(100ms);
    }
    return *exitCode_;
}

void Process::pump(std::chrono::milliseconds wait) {
    // An entry of a closed stream has the descriptor -1, which poll passes over.
    std::array<pollfd, 2> entries{pollfd{output_.fd.get(), POLLIN, 0},
                                  pollfd{errors_.fd.get(), POLLIN, 0}};
    nio::kernel::waitPoll(entries, wait).orThrow();
    const std::array<Stream*, 2> streams{&output_, &errors_};
    for (std::size_t i = 0; i < streams.size(); ++i) {
        if (entries[i].revents == 0) continue;
        std::array<char, 4096> bytes;
        const ssize_t count = ::read(entries[i].fd, bytes.data(), bytes.size());
        if (count > 0) streams[i]->text.append(bytes.data(), static_cast<std::size_t>(count));
        if (count > 0 && streams[i] == &errors_) separateStalls();
        if (count == 0) streams[i]->fd.reset();
        if (count < 0 && errno != EINTR) giveUp("its pipe failed");
    }
}

void Process::separateStalls() {
    std::string& text = errors_.text;
    for (;;) {
        const std::size_t stall = text.find(" has been running for ");
        const std::size_t end = text.find('\n', stall);
        if (end == std::string::npos) return;
        const std::size_t before = text.rfind('\n', stall);
        const std::size_t begin = before == std::string::npos ? 0 : before + 1;
        stalls_.append(text, begin, end + 1 - begin);
        text.erase(begin, end + 1 - begin);
    }
}

bool Process::hasEnded() {
    if (exitCode_ || pid_ <= 0) return true;
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_) return false;
    exitCode_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return true;
}

void Process::giveUp(const std::string& what) const {
    throw std::runtime_error(name_ + ": " + what + "; it said: [" + output_.text + "] and [" +
                             errors_.text + "]");
}

}  // namespace support
