// A program of ours as a child process, with its standard output and error on pipes.
//
//     Process server({bin("echo-server"), "--port", "0"});
//     std::string line = server.readLine();
//     server.signal(SIGTERM);
//     EXPECT_EQ(server.wait(), 0);
//
// Output and errors are read together, so that a child never blocks on the one that nobody asks
// for. What the watchdog says of callbacks that a busy machine held up is not among the errors.
//
// Thread: one at a time.
// Lifetime: the destructor kills the child if it still runs, and reaps it.
// Errors: std::runtime_error, also when `patience` is over; what the child said is in the message.
#pragma once

#include <sys/types.h>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <nio/sys/Clock.h>
#include <nio/sys/UniqueFd.h>

namespace support {

// The path of a program of this build.
std::string bin(const std::string& program);

class Process {
  public:
    static constexpr std::chrono::seconds patience{120};

    // The program is looked for in PATH if it is no path. Standard input is /dev/null, no signal is
    // blocked, SIGINT and SIGQUIT are not ignored.
    explicit Process(const std::vector<std::string>& command);
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;
    ~Process();

    pid_t pid() const { return pid_; }
    void signal(int number) const;

    // The next line without its newline; what is left, or nothing, at the end.
    std::string readLine() { return readLine(output_); }
    std::string readErrorLine() { return readLine(errors_); }
    // Whether standard error has a line, or gets one within this time.
    bool waitForErrorLine(std::chrono::milliseconds longest);

    // Until it has ended: its exit code, or 128 + the signal that ended it.
    int wait();
    // All that was not read as lines; call wait() first to have everything.
    std::string output() const { return output_.text; }
    std::string errors() const { return errors_.text; }
    // Lines of the watchdog.
    const std::string& stalls() const { return stalls_; }

  private:
    struct Stream {
        nio::UniqueFd fd;
        std::string text;
    };

    void spawn(const std::vector<std::string>& command, int output, int errors);
    std::string readLine(Stream& stream);
    // Takes in what has come; waits for it at most so long.
    void pump(std::chrono::milliseconds wait);
    void separateStalls();
    bool hasEnded();
    [[noreturn]] void giveUp(const std::string& what) const;

    std::string name_;
    pid_t pid_ = -1;
    std::optional<int> exitCode_;
    Stream output_;
    Stream errors_;
    std::string stalls_;
};

}  // namespace support
