// sms-router as a child process, with a folder of its own for its configuration, store and records.
//
//     TestSmsc smsc;
//     RouterProcess router({.connectors = {{"smsc", smsc.port()}}});
//     SmscBind upstream = smsc.accept();
//     SmppPeer esme = router.bound("esme1");
//
// It begins at once, and is awaited when its address is first asked for: so that the test can
// answer its binds in between. Accounts are esme1/secret1 (number 12345) and esme2/secret2 (54321).
//
// Thread: one at a time.
// Lifetime: the destructor kills the program if it still runs, then the folder goes.
// Errors: std::runtime_error; what the program said is in the message.
#pragma once

#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/sms_router/scenarios/SmppPeer.h"
#include "nio/sys/KernelTesting.h"
#include "support/Process.h"

namespace router::scenarios {

struct ConnectorSetup {
    std::string name = "smsc";
    std::uint16_t port = 0;  // 0: neither host nor port is written
    std::string settings{};  // more lines of [connector.NAME]
};

// Lines of TOML for its sections, besides what the defaults say.
struct RouterSetup {
    std::vector<ConnectorSetup> connectors{};
    std::string router{};    // [router]; threads = 2 unless it says otherwise
    std::string timers{};    // [timers]
    std::string listener{};  // [listener.esme]
    std::string esme1{};     // [account.esme1]
    std::string esme2{};     // [account.esme2]
    std::string store{};     // [store]
    std::string durability = "memory";
    std::string more{};                  // behind all that: other accounts, groups, routes
    bool records = false;                // written to recordsFile()
    bool admin = false;                  // the admin interface, on a free port
    std::string adminSettings{};         // [admin]
    std::vector<std::string> options{};  // of the command line
    // Before the program, e.g. a shell that sets a limit and then runs "$@".
    std::vector<std::string> prefix{};

    // The whole file.
    std::string text(const std::string& storeFile, const std::string& recordsFile) const;
};

class RouterProcess {
  public:
    explicit RouterProcess(RouterSetup setup);

    // --- what it says of itself; waits until it is ready
    const std::string& readyLine();
    const nio::SocketAddress& address();
    // Only with `admin`.
    const nio::SocketAddress& adminAddress();
    // Of the next line, which says it: first that of [http], then that of [admin].
    nio::SocketAddress nextHttpAddress();

    // --- ESMEs
    SmppPeer connected() { return SmppPeer(address()); }
    // std::runtime_error if the bind is refused. The password is that of `account`.
    SmppPeer bound(const std::string& account = "esme1", Command kind = Command::bindTransceiver);

    // --- its life
    support::Process& process() { return *process_; }
    void signal(int number) { process().signal(number); }
    // SIGTERM: the last line.
    std::string stop();
    // What it printed last (behind the ready lines), and its exit code; after a signal that ends
    // it.
    std::string lastLine() { return process().readLine(); }
    // The next line of its log, but for those of alarms: on a busy machine any trouble may last
    // long enough for one.
    std::string logLine();
    int exitCode() { return process().wait(); }
    // SIGKILL, and waits until it is gone.
    void kill();
    // Another process with the same files, once the last one is gone. Its address may be another.
    void startAgain();

    // --- its files
    RouterSetup& setup() { return setup_; }
    // Writes the configuration again, from setup().
    void writeConfig();
    void writeConfig(const std::string& text);
    // SIGHUP, then the line that says what became of it (mistakes are in `said`).
    std::string reload(std::vector<std::string>* said = nullptr);
    std::string file(const std::string& name) const { return folder_.file(name); }
    std::string configFile() const { return file("router.toml"); }
    std::string storeFile() const { return file("router.db"); }
    std::string recordsFile() const { return file("router.jsonl"); }

  private:
    void start();
    void awaitReady();

    RouterSetup setup_;
    nio::kerneltest::TemporaryFolder folder_;
    std::optional<support::Process> process_;
    std::string readyLine_;
    nio::SocketAddress address_;
    nio::SocketAddress adminAddress_;
};

// A program of ours that ends by itself.
struct Ended {
    int exitCode = 0;
    std::string output{};
    std::string errors{};
};
Ended runRouter(const std::vector<std::string>& arguments);

}  // namespace router::scenarios
