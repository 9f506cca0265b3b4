// What `smpp-bench esme` reports of an SMSC that does not answer, or goes away.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <optional>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include <smpp/pdu/Pdu.h>
#include <smpp/pdu/PduFramer.h>
#include <smpp/pdu/PduWriter.h>

#include "support/Process.h"

namespace {

using nlohmann::json;
using smpp::Command;
using smpp::Status;
using support::Process;
using testing::Contains;
using testing::HasSubstr;

// One connection of an SMSC, whose answers the test writes. Every wait is bounded.
class ScriptedSmsc {
  public:
    ScriptedSmsc() : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const where = reinterpret_cast<sockaddr*>(&address);
        const timeval patience{Process::patience.count(), 0};
        ::setsockopt(listener_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
        EXPECT_EQ(::bind(listener_.get(), where, size), 0);
        EXPECT_EQ(::listen(listener_.get(), 1), 0);
        EXPECT_EQ(::getsockname(listener_.get(), where, &size), 0);
        port_ = std::to_string(ntohs(address.sin_port));
    }

    const std::string& port() const { return port_; }

    void bind() {
        const smpp::Header request = awaitBind();
        send(smpp::PduWriter(Command::bindTransceiverResp, Status::ok, request.sequence)
                 .text("scripted")
                 .finish());
    }
    // Accepts the connection of a bind. Skips connections that close without one: another test may
    // have probed the port.
    smpp::Header awaitBind() {
        std::optional<smpp::Header> request;
        while (!request) {
            connection_ = nio::UniqueFd(::accept(listener_.get(), nullptr, nullptr));
            if (connection_.get() < 0 && errno == EINTR) continue;
            if (connection_.get() < 0) throw std::runtime_error("no ESME connects");
            const timeval patience{Process::patience.count(), 0};
            ::setsockopt(connection_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
            request = next();
        }
        return *request;
    }
    void goAway() {
        listener_.reset();
        connection_.reset();
    }
    smpp::Header receive() {
        const std::optional<smpp::Header> header = next();
        if (!header) throw std::runtime_error("the ESME sends no more");
        return *header;
    }
    void send(const nio::Bytes& pdu) {
        EXPECT_EQ(::send(connection_.get(), pdu.data(), pdu.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(pdu.size()));
    }

  private:
    std::optional<smpp::Header> next() {
        for (;;) {
            const smpp::Framed framed = framer_.next(input_);
            if (framed.kind == smpp::Framed::Kind::pdu) {
                const smpp::Header header = smpp::scan(framed.bytes).header;
                input_.erase(input_.begin(),
                             input_.begin() + static_cast<std::ptrdiff_t>(framed.bytes.size()));
                return header;
            }
            nio::Byte block[4096];
            const ssize_t got = ::recv(connection_.get(), block, sizeof block, 0);
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) return {};
            input_.insert(input_.end(), block, block + got);
        }
    }

    nio::UniqueFd listener_;
    nio::UniqueFd connection_;
    std::string port_;
    const smpp::PduFramer framer_;
    nio::Bytes input_;
};

std::vector<std::string> esme(const std::string& port, const std::vector<std::string>& options) {
    std::vector<std::string> all{support::bin("smpp-bench"), "esme", "--port", port, "--json"};
    all.insert(all.end(), options.begin(), options.end());
    return all;
}

// Its report, after a run that was not content.
json failedRun(Process& process) {
    EXPECT_EQ(process.wait(), 1) << process.errors();
    return json::parse(process.output());
}

json failedRun(const std::vector<std::string>& smscOptions,
               const std::vector<std::string>& esmeOptions) {
    std::vector<std::string> command{support::bin("smpp-bench"), "smsc", "--any-account"};
    command.insert(command.end(), smscOptions.begin(), smscOptions.end());
    Process smsc(command);
    const std::string line = smsc.readLine();
    Process process(esme(line.substr(line.rfind(':') + 1), esmeOptions));
    return failedRun(process);
}

TEST(EsmeRun, EndsWhenItsConnectionsAreLost) {
    const json report = failedRun({"--drop-link-every", "50"}, {"--messages", "100"});
    EXPECT_EQ(report["lost_links"], 1);
    EXPECT_EQ(report["answered"].get<int>() + report["unanswered"].get<int>(), report["sent"]);
    EXPECT_THAT(report["complaints"], Contains("1 connections were lost"));
}

TEST(EsmeRun, EndsWhenTheLastAnswersDoNotCome) {
    const json report =
        failedRun({"--latency", "1h"}, {"--messages", "5", "--answer-timeout", "400ms"});
    EXPECT_EQ(report["sent"], 5);
    EXPECT_EQ(report["unanswered"], 5) << "each once";
}

TEST(EsmeRun, EndsWhenTheWindowStaysFull) {
    const json report = failedRun(
        {"--latency", "1h"}, {"--messages", "100", "--window", "10", "--answer-timeout", "400ms"});
    EXPECT_EQ(report["sent"], 10);
    EXPECT_EQ(report["unanswered"], 10);
}

TEST(EsmeRun, CountsAGenericNackAsARefusal) {
    ScriptedSmsc smsc;
    Process process(esme(smsc.port(), {"--messages", "2", "--window", "1"}));
    smsc.bind();
    smsc.send(smpp::genericNack(Status::invCmdId, smsc.receive().sequence));
    smsc.send(smpp::genericNack(Status::ok, smsc.receive().sequence));
    const smpp::Header unbind = smsc.receive();
    EXPECT_EQ(unbind.command, Command::unbind);
    smsc.send(smpp::answer(unbind.command, Status::ok, unbind.sequence));
    const json report = failedRun(process);
    EXPECT_EQ(report["answered"], 2);
    EXPECT_EQ(report["statuses"]["ESME_RINVCMDID"], 1);
    EXPECT_EQ(report["statuses"]["ESME_RUNKNOWNERR"], 1);
    EXPECT_EQ(report["complaints"], json({"2 answers are not ESME_ROK"}));
}

TEST(EsmeRun, TakesAGenericNackForARefusedBind) {
    ScriptedSmsc smsc;
    Process process(esme(smsc.port(), {"--messages", "2"}));
    smsc.send(smpp::genericNack(Status::invCmdId, smsc.awaitBind().sequence));
    const json report = failedRun(process);
    EXPECT_EQ(report["bind_refusals"], json({{"ESME_RINVCMDID", 1}}));
}

TEST(EsmeRun, GivesUpAnSmscThatDoesNotComeBack) {
    ScriptedSmsc smsc;
    Process process(esme(smsc.port(), {"--messages", "5", "--window", "1", "--reconnect",
                                       "--answer-timeout", "400ms"}));
    smsc.bind();
    smsc.receive();
    smsc.goAway();
    const json report = failedRun(process);
    EXPECT_EQ(report["sent"], 1);
    EXPECT_THAT(report["complaints"], Contains("4 messages were not sent"));
}

TEST(EsmeRun, SurvivesASendThatEndsTheConnection) {
    ScriptedSmsc smsc;
    // More than the output limit of a connection.
    Process process(esme(smsc.port(), {"--messages", "2000000", "--window", "2000000"}));
    smsc.bind();
    const json report = failedRun(process);
    EXPECT_EQ(report["lost_links"], 1);
    EXPECT_EQ(report["unanswered"], report["sent"]);
}

TEST(EsmeRun, IsNotContentIfItMeasuredNothing) {
    const json report = failedRun({}, {"--messages", "5", "--warm-up", "1h"});
    EXPECT_EQ(report["answered"], 5);
    EXPECT_EQ(report["complaints"], json({"nothing was measured"}));
}

TEST(EsmeRun, RefusesAWarmUpThatLeavesNothingToMeasure) {
    Process process(esme("2775", {"--duration", "1s", "--warm-up", "1s"}));
    EXPECT_EQ(process.wait(), 2);
    EXPECT_THAT(process.errors(), HasSubstr("--warm-up: must be shorter than --duration"));
}

TEST(EsmeRun, RefusesTheServerPidOfNoProcess) {
    Process process(esme("2775", {"--server-pid", "2147483647"}));
    EXPECT_EQ(process.wait(), 2);
    EXPECT_THAT(process.errors(), HasSubstr("--server-pid: there is no process 2147483647"));
}

TEST(EsmeRun, RefusesMessagesWithoutAWindow) {
    Process process(esme("2775", {"--window", "0", "--messages", "5"}));
    EXPECT_EQ(process.wait(), 2);
    EXPECT_THAT(process.errors(), HasSubstr("--messages: --window 0 sends none"));
}

}  // namespace
