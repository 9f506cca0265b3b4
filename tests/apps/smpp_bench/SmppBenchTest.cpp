// smpp-bench as its users meet it: its ESMEs are content with a good SMSC, and notice
// what a bad one does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <fstream>
#include <sstream>
#include <thread>

#include <nlohmann/json.hpp>

#include "nio/sys/KernelTesting.h"
#include "support/Process.h"

namespace {

using nlohmann::json;
using support::bin;
using support::Process;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class MessageCentre {
  public:
    explicit MessageCentre(std::vector<std::string> options = {})
        : process_(command(std::move(options))) {
        const std::string line = process_.readLine();
        port_ = line.substr(line.rfind(':') + 1);
    }

    const std::string& port() const { return port_; }
    // Ends it.
    json counts() {
        process_.signal(SIGTERM);
        const std::string line = process_.readLine();
        EXPECT_EQ(process_.wait(), 0);
        return json::parse(line);
    }

  private:
    static std::vector<std::string> command(std::vector<std::string> options) {
        std::vector<std::string> all{bin("smpp-bench"), "smsc", "--any-account", "--receipt-delay",
                                     "1ms"};
        all.insert(all.end(), options.begin(), options.end());
        return all;
    }

    Process process_;
    std::string port_;
};

struct Ran {
    int exitCode = 0;
    json report;
    std::vector<std::string> complaints() const { return report["complaints"]; }
};

Ran runEsme(const MessageCentre& centre, const std::vector<std::string>& options) {
    std::vector<std::string> command{bin("smpp-bench"), "esme",       "--port",
                                     centre.port(),     "--messages", "100",
                                     "--json",          "--settle",   "50ms"};
    command.insert(command.end(), options.begin(), options.end());
    Process esme(command);
    Ran ran;
    ran.exitCode = esme.wait();
    ran.report = json::parse(esme.output());
    return ran;
}

TEST(SmppBench, IsContentWithAGoodMessageCentre) {
    MessageCentre centre;
    const Ran ran = runEsme(centre, {"--registered", "--binds", "4", "--accounts", "a:x,b:y"});
    EXPECT_EQ(ran.exitCode, 0);
    EXPECT_THAT(ran.complaints(), IsEmpty());
    EXPECT_EQ(ran.report["answered"], 100);
    EXPECT_EQ(ran.report["receipts"]["complete"], 100);
    const json counts = centre.counts();
    EXPECT_EQ(counts["accepted"], 100);
    EXPECT_EQ(counts["duplicate_submits"], 0);
    EXPECT_EQ(counts["receipts_acknowledged"], 100);
    EXPECT_EQ(counts["unbinds"], 4);
}

TEST(SmppBench, BindsTransmittersAndReceiversApart) {
    MessageCentre centre;
    const Ran ran = runEsme(centre, {"--registered", "--binds", "2", "--kind", "tx+rx"});
    EXPECT_EQ(ran.exitCode, 0);
    EXPECT_EQ(ran.report["binds"], 4);
    EXPECT_EQ(ran.report["receipts"]["complete"], 100);
}

TEST(SmppBench, NoticesReceiptsThatComeTwice) {
    MessageCentre centre({"--duplicate-receipts"});
    const Ran ran = runEsme(centre, {"--registered"});
    EXPECT_EQ(ran.exitCode, 1);
    EXPECT_THAT(ran.complaints(), ElementsAre(HasSubstr("came again")));
}

TEST(SmppBench, NoticesReceiptsThatDoNotCome) {
    MessageCentre centre({"--receipts", "none"});
    const Ran ran = runEsme(centre, {"--registered", "--wait-receipts", "50ms"});
    EXPECT_EQ(ran.exitCode, 1);
    EXPECT_THAT(ran.complaints(), ElementsAre("100 receipts are missing"));
}

TEST(SmppBench, NoticesReceiptsOfOtherIds) {
    MessageCentre centre({"--id-form", "hex", "--receipt-id-form", "decimal"});
    const Ran ran = runEsme(centre, {"--registered", "--wait-receipts", "50ms"});
    EXPECT_EQ(ran.exitCode, 1);
    EXPECT_THAT(ran.complaints(), testing::Contains(HasSubstr("were not answered")));
}

TEST(SmppBench, TakesReceiptsThatOutrunTheirAnswers) {
    MessageCentre centre({"--receipt-before-response", "--latency", "5ms"});
    EXPECT_EQ(runEsme(centre, {"--registered"}).exitCode, 0);
}

TEST(SmppBench, NoticesRefusals) {
    MessageCentre centre({"--throttle-above", "1"});
    const Ran ran = runEsme(centre, {});
    EXPECT_EQ(ran.exitCode, 1);
    EXPECT_GT(ran.report["statuses"]["ESME_RTHROTTLED"], 90);
}

TEST(SmppBench, SendsWhatADroppedConnectionLeftUnacknowledgedAgain) {
    MessageCentre centre({"--drop-link-every", "40"});
    const Ran ran = runEsme(centre, {"--registered", "--reconnect", "--binds", "2"});
    // Whose acknowledgement went with the link comes again: no more can be asked. Each drop leaves
    // at most a window of ten unanswered.
    const int complete = ran.report["receipts"]["complete"];
    EXPECT_GE(complete, 80) << ran.report;
    EXPECT_LT(complete, 100) << ran.report;
    EXPECT_EQ(complete + ran.report["unanswered"].get<int>(), 100) << ran.report;
    EXPECT_EQ(ran.report["receipts"]["lost"], 0) << ran.report;
    const json counts = centre.counts();
    EXPECT_EQ(counts["dropped_links"], 2);
    EXPECT_EQ(counts["receipts_acknowledged"], counts["receipts"]);
}

TEST(SmppBench, FindsTheSmscByItsHostName) {
    MessageCentre centre({"--host", "localhost"});
    EXPECT_EQ(runEsme(centre, {"--host", "localhost"}).exitCode, 0);
}

TEST(SmppBench, TakesAnIpv6HostInBrackets) {
    if (!nio::kerneltest::hasIpv6()) GTEST_SKIP() << "no IPv6 on this machine";
    MessageCentre centre({"--host", "[::1]"});
    EXPECT_EQ(runEsme(centre, {"--host", "[::1]"}).exitCode, 0);
}

// Of connections from or to this port of 127.0.0.1: those that are established and whose next timer
// is this: "02" that of keep-alive, "00" none.
std::size_t countWithTimer(const std::string& timer, const std::string& port, std::size_t column) {
    char hex[16];
    std::snprintf(hex, sizeof hex, ":%04X", static_cast<unsigned>(std::stoul(port)));
    std::ifstream table("/proc/net/tcp");
    std::size_t found = 0;
    for (std::string row; std::getline(table, row);) {
        std::istringstream stream(row);
        std::vector<std::string> words;
        for (std::string word; stream >> word;) words.push_back(word);
        const bool isOpen = words.size() > 5 && words[3] == "01";
        if (isOpen && words[column].ends_with(hex) && words[5].starts_with(timer + ":")) ++found;
    }
    return found;
}

TEST(SmppBench, KeepsConnectionsAlive) {
    constexpr std::size_t local = 1, remote = 2;
    for (const bool on : {true, false}) {
        const std::vector<std::string> option =
            on ? std::vector<std::string>{"--keepalive", "60s"} : std::vector<std::string>{};
        const MessageCentre centre(option);
        std::vector<std::string> command{
            bin("smpp-bench"), "esme",       "--port", centre.port(), "--window", "0",
            "--json",          "--duration", "600s",   "--binds",     "2"};
        command.insert(command.end(), option.begin(), option.end());
        Process esme(command);
        EXPECT_THAT(esme.readLine(), HasSubstr("esme bound 2 binds"));
        const std::string timer = on ? "02" : "00";
        const nio::TimePoint end = nio::Clock::after(Process::patience);
        for (const std::size_t side : {local, remote}) {
            // Until the last answer is acknowledged another timer comes first.
            while (countWithTimer(timer, centre.port(), side) != 2 && nio::Clock::now() < end) {
                std::this_thread::yield();
            }
            EXPECT_EQ(countWithTimer(timer, centre.port(), side), 2u) << side;
        }
    }
}

TEST(SmppBench, RefusesListsWithAnEmptyPart) {
    const std::vector<std::array<std::string, 3>> wrong{{"esme", "--accounts", "a:x,,b:y"},
                                                        {"esme", "--accounts", "a:x,"},
                                                        {"smsc", "--mo-to", ",1"},
                                                        {"smsc", "--mo-to", "1,,2"}};
    for (const auto& [command, option, value] : wrong) {
        Process process({bin("smpp-bench"), command, option, value});
        EXPECT_EQ(process.wait(), 2) << value;
        EXPECT_EQ(process.errors(),
                  "smpp-bench: " + option + ": '" + value + "' has an empty part (see --help)\n");
    }
}

TEST(SmppBench, RefusesTextThatIsLongerThanItsField) {
    const std::string longText(70, '1');
    const std::vector<std::pair<std::string, std::string>> wrong{
        {"--from", longText},     {"--to-prefix", longText},       {"--system-id", longText},
        {"--password", longText}, {"--accounts", longText + ":x"}, {"--accounts", "x:" + longText}};
    for (const auto& [option, value] : wrong) {
        Process esme({bin("smpp-bench"), "esme", option, value});
        EXPECT_EQ(esme.wait(), 2) << option;
        EXPECT_THAT(esme.errors(), HasSubstr(option + ": '" + longText + "' has more than "));
    }
}

TEST(SmppBench, RefusesNumbersOfAnSmscThatCannotWork) {
    const std::vector<std::pair<std::string, std::string>> wrong{
        {"--ack-timeout", "0"}, {"--deliver-window", "0"}, {"--first-id", "-3"}};
    for (const auto& [option, value] : wrong) {
        Process smsc({bin("smpp-bench"), "smsc", option, value});
        EXPECT_EQ(smsc.wait(), 2) << option;
        EXPECT_THAT(smsc.errors(), HasSubstr(option + ": '" + value + "' is "));
    }
}

TEST(SmppBench, RefusesPortsThatDoNotExist) {
    const std::vector<std::pair<std::string, std::string>> wrong{
        {"esme", "0"}, {"esme", "99999"}, {"smsc", "99999"}};
    for (const auto& [command, port] : wrong) {
        Process process({bin("smpp-bench"), command, "--port", port});
        EXPECT_EQ(process.wait(), 2) << command;
        EXPECT_THAT(process.errors(), HasSubstr("--port: '" + port + "' is out of range"));
    }
}

TEST(SmppBench, NamesAnUnknownSubcommand) {
    Process unknown({bin("smpp-bench"), "foo"});
    EXPECT_EQ(unknown.wait(), 2);
    EXPECT_THAT(unknown.errors(), HasSubstr("foo"));
    Process none({bin("smpp-bench")});
    EXPECT_EQ(none.wait(), 2);
    EXPECT_THAT(none.errors(), HasSubstr("a subcommand is required: esme or smsc"));
}

TEST(SmppBench, RefusesAnInvalidOutbindAddress) {
    Process smsc({bin("smpp-bench"), "smsc", "--outbind", "nonsense"});
    EXPECT_EQ(smsc.wait(), 2);
    EXPECT_THAT(smsc.errors(), HasSubstr("--outbind: 'nonsense' is not ADDRESS:PORT"));
}

TEST(SmppBench, RefusesAWrongPassword) {
    Process smsc({bin("smpp-bench"), "smsc", "--system-id", "a", "--password", "right"});
    const std::string line = smsc.readLine();
    Process esme({bin("smpp-bench"), "esme", "--port", line.substr(line.rfind(':') + 1),
                  "--system-id", "a", "--password", "wrong", "--messages", "1", "--json"});
    EXPECT_EQ(esme.wait(), 1);
    EXPECT_THAT(esme.output(), HasSubstr("ESME_RINVPASWD"));
}

}  // namespace
